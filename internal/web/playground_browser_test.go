package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
)

// paintedJS counts the colours in the raster of each surface, and checks that all numbers of the page are finite.
const paintedJS = `(() => {
	const colours = [...document.querySelectorAll('[data-raster]')].map((c) => {
		const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
		const hatch = c.parentElement.querySelector('[data-hatch]');
		const struck = new Uint32Array(hatch.getContext('2d').getImageData(0, 0, hatch.width, hatch.height).data.buffer).some((v) => v);
		return d.some((v) => v) || struck ? new Set(d).size + (struck ? 1 : 0) : 0;
	});
	const bars = [...document.querySelectorAll('.pg-bar')].length;
	const rows = [...document.querySelectorAll('#pg-table tbody tr')].map((r) => [...r.cells].map((c) => c.innerText));
	return {colours, bars, rows, problem: document.getElementById('problem').hidden ? '' : document.getElementById('problem').innerText,
		stops: [...document.querySelectorAll('#pg-warn .warn-stop')].map((w) => w.innerText)};
})()`

type playPainted struct {
	Colours []int
	Bars    int
	Rows    [][]string
	Problem string
	Stops   []string
}

// playDrawn fails the test unless both surfaces, both histograms and the table have content, with finite numbers.
func (b *tab) playDrawn(where string) {
	b.Helper()
	b.playShows(where, 2)
}

// playShows is playDrawn with a least number of colours.
func (b *tab) playShows(where string, least int) {
	b.Helper()
	var got playPainted
	raw := eval[string](b, "JSON.stringify("+paintedJS+")")
	b.expectAll("willReadFrequently") // the test itself reads the canvas
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		b.Fatal(err)
	}
	if got.Problem != "" || len(got.Stops) > 0 {
		b.Errorf("%s: %s %q", where, got.Problem, got.Stops)
		return
	}
	if len(got.Colours) != 2 || min(got.Colours[0], got.Colours[1]) < least {
		b.Errorf("%s: the surfaces have %v colours", where, got.Colours)
	}
	if got.Bars != 40 {
		b.Errorf("%s: %d bars, want 20 for each model", where, got.Bars)
	}
	if len(got.Rows) < 5 {
		b.Fatalf("%s: the table has %d rows", where, len(got.Rows))
	}
	for _, cell := range got.Rows[0][1:] {
		if cell == "" || strings.ContainsAny(cell, "–NI∞") {
			b.Errorf("%s: clean accuracy reads %q", where, got.Rows[0])
		}
	}
	if n := eval[int](b, `[...document.querySelectorAll('.fluid')].filter((s) => /NaN|Infinity|undefined/.test(s.innerHTML)).length`); n != 0 {
		b.Errorf("%s: %d drawings hold what is no number", where, n)
	}
}

// playOpen opens a state and waits until it is drawn.
func (b *tab) playOpen(query string) {
	b.Helper()
	b.open("/playground" + query)
	b.wait(`document.querySelectorAll('[data-painted]').length === 2`)
}

// TestPlayground opens the page in every look: figures without a click, in both themes, wide and narrow, without an
// accessibility violation.
func TestPlayground(t *testing.T) {
	_, b := commonTab(t)
	for name, query := range ordered(map[string]string{"playground": "", "playground-bands": "?noise=none&b.method=interval", "playground-classes": "?data=blobs&b.method=al-abstain&b.alpha=0.3", "playground-own": "?data=own", "playground-presenting": "?present=1", "playground-roles": "?data=long-servedio-2d&b.method=alpha&b.alpha=4&brush=b:0"}) {
		everyLook(b, name, "/playground"+query)
		b.wait(`document.querySelectorAll('[data-painted]').length === 2`)
		b.playDrawn(name)
	}
}

// playMethod is a method in the list of a model.
type playMethod struct{ ID, Group string }

// playMethods reads the list of B.
func (b *tab) playMethods() []playMethod {
	b.Helper()
	raw := eval[string](b, `JSON.stringify([...document.querySelectorAll('#pg-b-method option')].map((o) => ({ID: o.value, Group: o.parentElement.label})))`)
	var all []playMethod
	if err := json.Unmarshal([]byte(raw), &all); err != nil || len(all) < 5 {
		b.Fatalf("methods %s: %v", raw, err)
	}
	return all
}

// TestPlaygroundDraws draws every generator once and every method once.
func TestPlaygroundDraws(t *testing.T) {
	_, b := commonTab(t)
	for _, g := range synth.Generators {
		b.playOpen("?data=" + g.ID + "&n=200")
		b.playDrawn(g.ID)
	}
	drawn := map[string]bool{}
	for _, data := range []string{"gmm", "ordinal-stripes"} {
		b.playOpen("?n=100&data=" + data)
		for _, m := range b.playMethods() {
			if !drawn[m.ID] {
				b.playOpen("?n=150&noise=none&data=" + data + "&b.method=" + m.ID)
				b.playDrawn(m.ID)
			}
			drawn[m.ID] = true
		}
	}
	if len(drawn) < 26 {
		t.Errorf("the lists offer %d methods", len(drawn))
	}
}

// TestPlaygroundPairs draws every method on every generator that it can classify: make bench-browser.
func TestPlaygroundPairs(t *testing.T) {
	if !measured() {
		t.Skip("Draws every method on every generator, which takes minutes: run make bench-browser.")
	}
	p := start(t, "")
	for _, g := range synth.Generators {
		b := newTab(t, p.base)
		sample, err := playground.GenerateSample(t.Context(), g.ID, 150, 7, 0)
		if err != nil {
			t.Fatal(err)
		}
		query, least := "", 1 // a plane through many columns may have a single answer
		if sample.X.Cols == 2 {
			query, least = "&a.features=quadratic&b.features=quadratic", 2
		}
		b.playOpen("?n=150&noise=none&data=" + g.ID)
		for _, m := range b.playMethods() {
			b.playOpen("?n=150&noise=none&data=" + g.ID + "&b.method=" + m.ID + query)
			b.playShows(g.ID+", "+m.ID, least)
		}
	}
}

// countRequests counts the open, the most open and the answered requests.
func (b *tab) countRequests() {
	b.Helper()
	b.exec(`(() => {
		const real = window.fetch, n = window.requests = {open: 0, most: 0, answers: 0};
		window.fetch = async (...a) => { n.most = Math.max(n.most, ++n.open); try { return await real(...a); } finally { n.open--; } };
		document.addEventListener('taper:answer', () => n.answers++, true);
	})()`)
}

// playSettled waits until the page shows the answer to its last request.
func (b *tab) playSettled(address string) {
	b.Helper()
	b.wait(fmt.Sprintf(`location.search.includes(%s) && document.querySelector('#play').dataset.url === location.pathname + location.search && !document.querySelector('#play .is-stale')`, quote(address)))
}

// TestPlaygroundDrag moves a slider thirty times as fast as possible: the last state is shown, superseded requests
// are dropped, the history has one entry, and nothing shifts.
func TestPlaygroundDrag(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?b.method=tempered")
	b.await(twoFrames) // the frame before may show a page half received
	b.exec(watchShift)
	entries := eval[int](b, `history.length`)
	b.countRequests()
	b.do(chromedp.Evaluate[chromedp.Void](`(async () => {
		const range = document.getElementById('b-t1-range');
		for (let i = 0; i < 30; i++) {
			range.stepUp();
			range.dispatchEvent(new Event('input', {bubbles: true}));
			await new Promise((r) => setTimeout(r, 4));
		}
		range.dispatchEvent(new Event('change', {bubbles: true}));
	})()`, chromedp.EvalAwaitPromise))
	b.playSettled("b.t1=0.9")
	b.wait(`requests.open === 0`)
	if n := eval[int](b, `requests.answers`); n < 1 || n > 31 {
		t.Errorf("30 moves brought %d answers", n)
	}
	if value := eval[string](b, `document.getElementById('b-t1-value').value`); value != "0.90" {
		t.Errorf("the slider stands at %s, want 0.90", value)
	}
	if text := b.text("#pg-table"); !strings.Contains(text, "t₁\u00a0=\u00a00.9") {
		t.Errorf("the table is not of the last state: %q", text)
	}
	if n := eval[int](b, `history.length`); n != entries {
		t.Errorf("the drag left %d history entries", n-entries)
	}
	if shift := eval[float64](b, `window.shift`); shift > .001 {
		t.Errorf("the layout shifted by %v: %q", shift, eval[[]string](b, `window.moved`))
	}
}

// TestPlaygroundLink: a copied link gives the same JSON in another program, except for the times.
func TestPlaygroundLink(t *testing.T) {
	const query = "/playground/live?data=moons&n=200&a.features=rbf&b.method=alpha&b.alpha=4&b.features=rbf&step=3"
	one, two := start(t, ""), start(t, "")
	if a, c := timeless(t, getJSON(t, one.base+query)), timeless(t, getJSON(t, two.base+query)); a != c || len(a) < 5000 {
		t.Errorf("the link answers %d bytes here and %d there, not the same", len(a), len(c))
	}
}

// timeless removes the times from an answer.
func timeless(t *testing.T, answer string) string {
	t.Helper()
	var a map[string]any
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	delete(a, "ms")
	delete(a, "times")
	for _, m := range a["models"].(map[string]any) {
		delete(m.(map[string]any), "ms")
	}
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestPlaygroundKeyboard uses only keys: another method, its slider, the probe, a bar, the steps, a table; and back
// through the history.
func TestPlaygroundKeyboard(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?b.method=tempered")
	b.do(chromedp.Focus("#pg-b-method"), chromedp.KeyEvent("α"))
	b.wait(`!location.search.includes("b.method")`)
	b.playSettled("")
	if got := b.text("#pg-b-title"); got != "" && !strings.Contains(got, "α-loss") {
		t.Errorf("the title says %q", got)
	}
	b.wait(`document.getElementById('b-alpha-range') !== null && document.activeElement.id === 'pg-b-method'`)
	b.do(keys("#b-alpha-range", strings.Repeat(kb.ArrowRight, 3)))
	b.playSettled("b.alpha=5.2")
	b.wait(`document.querySelector('#b-alpha [data-hint]').textContent.includes('1.24')`)

	plot := `#pg-a-surface [data-plot]`
	b.do(chromedp.Focus(chromedp.CSS(plot)), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowUp))
	for _, id := range []string{"a", "b"} {
		if got := b.text("#pg-" + id + "-surface-read"); !strings.Contains(got, "P(") || !strings.Contains(got, " at ") {
			t.Errorf("the probe reads %q on %s", got, id)
		}
	}
	b.wait(`['a', 'b'].every((id) => document.getElementById('pg-' + id + '-surface-read').innerText.includes('score '))`) // once the pointer rests
	bar := `#pg-b-weights .pg-bar[tabindex="0"]`
	b.do(chromedp.Focus(chromedp.CSS(bar)), chromedp.KeyEvent(kb.Enter))
	b.playSettled("brush=b:0")
	b.wait(`document.activeElement.matches('#pg-b-weights .pg-bar[aria-pressed="true"]')`)
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	b.playSettled("brush=b:1")
	b.do(keys("#pg-step-range", kb.Home))
	b.playSettled("step=0")
	if got := b.text("#pg-step-word"); !strings.Contains(got, "Step 0 of") {
		t.Errorf("the step is called %q", got)
	}
	b.do(keys("#pg-step-range", kb.End))
	b.wait(`!location.search.includes('step')`)
	b.do(chromedp.Focus(`#pg-a-surface [data-play-table]`), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelectorAll('#pg-a-surface-grid tbody tr').length === 9`)
	b.axe("playground, table open")
	b.exec(`history.back()`)
	b.wait(`location.search.includes('b.method=tempered') && document.getElementById('pg-b-method').value === 'tempered' && document.getElementById('b-t1-range') !== null`)
}

// TestPlaygroundOwnPoints adds, drags and deletes points, on the surface and in the list.
func TestPlaygroundOwnPoints(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?data=own")
	count := func() int { return eval[int](b, `document.querySelectorAll('#pg-points [data-rows] tr').length`) }
	if count() != 8 {
		t.Fatalf("%d points, want 8", count())
	}
	at := func(u, v float64) (x, y float64) {
		box := eval[[]float64](b, `(() => { const p = document.querySelector('#pg-b-surface [data-plot]'); p.scrollIntoView({block: 'center'}); const r = p.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
		return box[0] + u*box[2], box[1] + v*box[3]
	}
	b.do(chromedp.MouseClickXY(at(.9, .1)))
	b.wait(`location.search.includes('pts=') && document.querySelectorAll('#pg-points [data-rows] tr').length === 9`)
	b.playSettled("pts=")
	last := func(part string) string {
		return eval[string](b, `[...document.querySelectorAll('#pg-points [data-rows] tr')].at(-1).querySelector('[data-`+part+`]').value`)
	}
	before := last("x")
	x0, y0 := at(.9, .1)
	x1, y1 := at(.5, .3)
	b.exec(fmt.Sprintf(`(() => { const p = document.querySelector('#pg-b-surface [data-plot] canvas[data-dots]');
		p.parentElement.setPointerCapture = () => {};
		const fire = (type, x, y) => p.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: x, clientY: y, button: 0, buttons: 1, pointerId: 1}));
		fire('pointerdown', %f, %f); for (let k = 1; k <= 10; k++) fire('pointermove', %f + (%f) * k / 10, %f + (%f) * k / 10); fire('pointerup', %f, %f); })()`, x0, y0, x0, x1-x0, y0, y1-y0, x1, y1))
	b.playSettled("pts=")
	if after := last("x"); after == before || count() != 9 {
		t.Errorf("the drag left x at %s and %d points", after, count())
	}
	dragged := last("x")
	b.do(chromedp.Focus(`#pg-b-surface [data-plot]`), chromedp.KeyEvent(kb.Delete))
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 8`)
	if last("x") == dragged {
		t.Error("Delete after a drag removed another point")
	}
	b.playSettled("data=own") // the default points are not in the address
	if gap := eval[float64](b, `document.querySelector('#pg-a-surface .pg-surface').getBoundingClientRect().top - document.querySelector('[data-class]').getBoundingClientRect().bottom`); gap < 0 || gap > 300 {
		t.Errorf("the class that a click adds stands %.0f px above the surface", gap)
	}
	for n, key := range []string{"1", "0"} {
		b.do(chromedp.Focus(`#pg-b-surface [data-plot]`), chromedp.KeyEvent(key), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
		b.wait(fmt.Sprintf(`document.querySelectorAll('#pg-points [data-rows] tr').length === %d`, 9+n))
		if c := last("c"); c != key {
			t.Errorf("key %s: the point got class %s", key, c)
		}
		if shown := eval[string](b, `document.querySelector('[data-class]').value`); shown != key {
			t.Errorf("key %s: above the surface stands class %s", key, shown)
		}
		b.playSettled("pts=")
	}
	b.do(chromedp.KeyEvent(kb.Delete))
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 9`)
	b.playSettled("pts=")
	b.do(chromedp.Focus(`#pg-points [data-rows] tr:last-child [data-remove]`), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 8`)
	b.playSettled("data=own")
	b.click(`#pg-points [data-add-point]`)
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 9`)
	b.playSettled("pts=")
	b.do(chromedp.Focus(`#pg-points [data-rows] tr:first-child [data-remove]`), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 8 && document.activeElement.matches('[data-remove]')`)
	b.do(chromedp.Focus(`#pg-points [data-rows] tr:first-child [data-x]`))
	b.exec(`document.activeElement.select()`)
	b.do(chromedp.KeyEvent("-0,75"), chromedp.KeyEvent(kb.Tab))
	b.playSettled("pts=-0.75,")
	b.playDrawn("own points")
	b.axe("own points")
	b.shot("playground-own-edited")
}

// TestPlaygroundSteps plays the steps of a solver, and steps singly under reduced motion.
func TestPlaygroundSteps(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("")
	b.follow(`[data-run] [data-word]`)
	b.click(`[data-run]`)
	b.wait(`said.includes('Pause') && document.querySelector('[data-run] [data-word]').textContent === 'Play' && !location.search.includes('step')`)
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		t.Fatal(err)
	}
	b.playOpen("?data=own&pts=0,0,0%3B1,1,1%3B1,0,1%3B0,.2,0%3B.1,1,0&present=1&step=2")
	if eval[bool](b, `[...document.querySelectorAll('.top, .foot, .acts, .scrub, .fig-tools button')].some((el) => el.checkVisibility({visibilityProperty: true}))`) {
		t.Error("before an audience there are controls")
	}
	b.exec(`document.querySelector('#pg-b-weights [data-bin="19"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	b.playSettled("brush=b:19")
	if got := eval[string](b, `location.search`); !strings.Contains(got, "pts=") || !strings.Contains(got, "present=1") || !strings.Contains(got, "step=2") {
		t.Errorf("before an audience a mark lost the points or the step: %s", got)
	}
	b.playOpen("?b.method=tempered&step=2")
	if got := b.text(`[data-run]`); got != "Step" {
		t.Errorf("the button says %q", got)
	}
	b.click(`[data-run]`)
	b.playSettled("step=3")
	if got := eval[bool](b, `new Promise((r) => setTimeout(() => r(location.search.includes('step=3')), 500))`); !got {
		t.Error("the steps went on by themselves")
	}
}

// TestPlaygroundInView: during a drag the visible parts follow. What is scrolled into view follows too, before the next
// move, and the release brings the rest.
func TestPlaygroundInView(t *testing.T) {
	_, b := commonTab(t)
	b.look(1280, "light")
	b.do(chromedp.EmulateViewport(1280, 700)) // the figures below the surfaces are out of sight
	b.open("/playground")
	b.wait(`document.querySelectorAll('[data-painted]').length === 2`)
	b.exec(`document.querySelector('#play').dataset.liveMs = 1e6`) // however slow this machine is
	shown := func() map[string]string {
		return eval[map[string]string](b, `Object.fromEntries(['result', 'pg-b-surface-over', 'pg-b-lossbox', 'pg-b-weightbox', 'pg-points'].map((id) => [id, document.getElementById(id).innerHTML]))`)
	}
	changed := func(since map[string]string) (ids []string) {
		for id, html := range ordered(shown()) {
			if html != since[id] {
				ids = append(ids, id)
			}
		}
		return ids
	}
	before := shown()
	at := eval[[]float64](b, `((range) => { const r = range.getBoundingClientRect(); return [r.x + 8, r.width - 16, r.y + r.height / 2]; })(document.getElementById('pg-rate-range'))`)
	mouse := func(kind input.DispatchMouseEventType, share float64) {
		b.do(chromedp.MouseEvent(kind, at[0]+share*at[1], at[2], chromedp.ButtonLeft))
	}
	b.countRequests()
	mouse("mousePressed", .5)
	mouse("mouseMoved", .9)
	b.wait(`((r) => r.value > .8 * r.max)(document.getElementById('pg-rate-range')) && requests.open === 0`)
	b.await(twoFrames)
	if got := changed(before); !slices.Equal(got, []string{"pg-b-surface-over", "result"}) {
		t.Errorf("on the screen without scrolling %v followed the drag", got)
	}
	b.exec(`document.getElementById('pg-b-weightbox').scrollIntoView({block: 'end', behavior: 'instant'})`)
	// The page hears of the scroll in a frame of its own, which may come late where the machine is busy.
	b.wait(`document.getElementById('pg-b-weightbox').innerHTML !== ` + quote(before["pg-b-weightbox"]))
	b.wait(`requests.open === 0`)
	if got := changed(before); slices.Contains(got, "pg-points") {
		t.Errorf("after scrolling %v followed the drag", got)
	}
	mouse("mouseReleased", .9)
	b.wait(`requests.open === 0`)
	b.await(twoFrames)
	if got := changed(before); len(got) != len(before) {
		t.Errorf("after the release %v followed", got)
	}
}

// TestPlaygroundSlowAnswers: where the moves of a slider wait for its release, steps are played all the same; and a
// move there and back leaves nothing dimmed, although nothing is requested.
func TestPlaygroundSlowAnswers(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?n=100")
	b.exec(`document.querySelector('#play').dataset.liveMs = -1`) // any answer is slow
	b.hold("/playground/live")
	if n := eval[int](b, `document.querySelector('[data-run]').click(), held.length`); n != 1 {
		t.Fatalf("Play made %d requests", n)
	}
	b.deliver(0)
	if got := eval[string](b, `document.querySelector('#play').dataset.url`); !strings.Contains(got, "step=") {
		t.Errorf("played, the page shows %s", got)
	}
	b.wait(`held.length === 2`)
	b.exec(`document.querySelector('[data-run]').click()`)
	b.deliver(1)
	b.wait(`held.length === 3`)
	b.deliver(2)

	emit := func(name string, by int) int {
		return eval[int](b, fmt.Sprintf(`(() => { const r = document.querySelector('#pg-step-range'); r.valueAsNumber += %d;
			r.dispatchEvent(new Event(%s, {bubbles: true})); return held.length; })()`, by, quote(name)))
	}
	n := emit("change", 0) // the first request that describes the page as it is now
	for request := 3; request < n; request++ {
		b.deliver(request)
	}
	emit("input", 1)
	if !eval[bool](b, `!!document.querySelector('#play .is-stale')`) {
		t.Fatal("a move that waits dims nothing")
	}
	emit("input", -1)
	if emit("change", 0) != n {
		t.Fatal("the state on the page is requested again")
	}
	if eval[bool](b, `!!document.querySelector('#play .is-stale')`) {
		t.Error("moved there and back, the page stays dimmed")
	}
}

// TestPlaygroundOneScreen: at 1280 × 900 all controls are on the first screen; at 360 the noise follows the two
// surfaces; nothing scrolls sideways.
func TestPlaygroundOneScreen(t *testing.T) {
	_, b := commonTab(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.playOpen("")
	for _, sel := range []string{"#pg-group-noise", "#pg-group-sample", "#pg-group-shared", "#pg-a-methods", "#pg-b-methods", "#pg-a-par", "#pg-b-par", "#pg-a-surface .pg-surface", "#pg-b-surface .pg-surface", "#pg-steps .scrub"} {
		if end := eval[float64](b, `document.querySelector(`+quote(sel)+`).getBoundingClientRect().bottom`); end <= 0 || end > 900 {
			t.Errorf("%s ends at %.0f px of 900", sel, end)
		}
	}
	for _, id := range []string{"a", "b"} {
		if box := eval[[]float64](b, `(() => { const r = document.querySelector('#pg-`+id+`-surface .pg-surface').getBoundingClientRect(); return [r.width, r.height]; })()`); min(box[0], box[1]) < 300 {
			t.Errorf("surface %s is %v px", id, box)
		}
	}
	b.do(chromedp.EmulateViewport(360, 800))
	b.playOpen("")
	order := eval[[]float64](b, `['#pg-a-surface', '#pg-b-surface', '#pg-group-noise', '#pg-steps', '#pg-a-loss'].map((s) => document.querySelector(s).getBoundingClientRect().top)`)
	if !slices.IsSorted(order) {
		t.Errorf("at 360 px surfaces, noise, steps and loss begin at %v", order)
	}
	gap := eval[float64](b, `document.querySelector('#pg-group-noise').getBoundingClientRect().top - document.querySelector('#pg-b-surface').getBoundingClientRect().bottom`)
	if wide := eval[float64](b, `document.documentElement.scrollWidth`); gap > 80 || wide > 360 {
		t.Errorf("the noise begins %.0f px after the surfaces; the page is %.0f px wide", gap, wide)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// TestPlaygroundFillsTheScreen: presenting fills 1920 × 1080, without scrolling, with both surfaces and two large
// accuracies, in text readable from the last row; the slider of the noise changes the accuracies.
func TestPlaygroundFillsTheScreen(t *testing.T) {
	_, b := commonTab(t)
	b.do(chromedp.EmulateViewport(1920, 1080))
	b.playOpen("?present=1")
	box := eval[[]float64](b, `['a', 'b'].flatMap((id) => { const r = document.querySelector('#pg-' + id + '-surface .pg-surface').getBoundingClientRect(); return [r.left, r.right, r.bottom]; })`)
	if box[0] > 100 || box[4] < 1820 || max(box[2], box[5]) > 1000 {
		t.Errorf("the surfaces stand from %.0f to %.0f px and end at %.0f and %.0f px", box[0], box[4], box[2], box[5])
	}
	if tall := eval[int](b, `document.documentElement.scrollHeight - innerHeight`); tall > 0 {
		b.Errorf("the page is %d px higher than the screen", tall)
	}
	scores := `[...document.querySelectorAll('.pg-score strong')].map((el) => el.textContent)`
	before := eval[[]string](b, scores)
	said := b.text("#result")
	for _, score := range before {
		if !strings.Contains(said, score) {
			b.Errorf("%q is not in %q", score, said)
		}
	}
	if large := eval[float64](b, `Math.min(...[...document.querySelectorAll('.pg-score strong')].map((el) => parseFloat(getComputedStyle(el).fontSize)))`); len(before) != 2 || large < 64 {
		b.Errorf("the accuracies %v have letters of %.0f px", before, large)
	}
	b.do(keys("#pg-rate-range", kb.Home))
	b.wait(fmt.Sprintf(scores+`.join() !== %q && `+scores+`.every((s) => document.getElementById('result').textContent.includes(s))`, strings.Join(before, ",")))
	b.exec(`document.activeElement.blur()`) // without the focus, too, arrow keys step the noise
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
	b.wait(`document.querySelector('#pg-rate-range').value === '1' && /[?&]rate=0?.01(&|$)/.test(location.search)`)
	if small := eval[float64](b, `Math.min(...[...document.querySelectorAll('h1, .result, .pg-head h2, .pg-marks, .pg-read, .pg-surface text')].map((el) => parseFloat(getComputedStyle(el).fontSize)))`); small < 18 {
		t.Errorf("the smallest letters are %.0f px", small)
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// TestPlaygroundSharedSettings: one slider sets the penalty of both models; separate settings start with the shared
// ones.
func TestPlaygroundSharedSettings(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("")
	b.do(keys("#pg-l2-range", kb.ArrowRight))
	b.playSettled("?l2=0.0002")
	b.click(`#pg-settings [value="own"]`)
	b.playSettled("settings=own&a.l2=0.0002&b.l2=0.0002")
	b.wait(`document.getElementById('a-l2-range') && document.getElementById('b-l2-range') && !document.getElementById('pg-l2-range')`)
	b.do(keys("#a-l2-range", kb.ArrowRight))
	b.playSettled("a.l2=0.0005&b.l2=0.0002")
	b.axe("playground, settings of their own")
	b.click(`#pg-settings [value="shared"]`)
	b.playSettled("?l2=0.0005")
	b.wait(`document.getElementById('pg-l2-range') && !document.getElementById('b-l2-range') && document.activeElement.matches('#pg-settings input')`)
}

// TestPlaygroundFiles saves a surface and a histogram as separate files.
func TestPlaygroundFiles(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("")
	b.exec(`HTMLAnchorElement.prototype.click = () => {}; URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }; URL.revokeObjectURL = () => {}`)
	for id, parts := range ordered(map[string][]string{"pg-b-surface": {"<image ", "<circle ", "P = ½", "stroke="}, "pg-b-weights": {"pattern", "<rect", "0.2"}, "pg-a-loss": {"<path", "margin z"}}) {
		b.exec(`window.saved = undefined; document.querySelector('#` + id + ` [data-play-file]').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
		b.wait(`window.saved !== undefined`)
		text := eval[string](b, `window.saved.text()`)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s.svg lacks %q: %.300s", id, part, text)
			}
		}
		if ok := eval[bool](b, `new DOMParser().parseFromString(`+quote(text)+`, 'image/svg+xml').querySelector('parsererror') === null`); !ok {
			t.Errorf("%s.svg is not well formed", id)
		}
	}
}

// TestPlaygroundFlat drags for a while, 30 s in make bench-browser: the number of elements on the page does not
// grow, and no request stays open.
func TestPlaygroundFlat(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("")
	ms := 2000
	if measured() {
		ms = 30000
	}
	b.countRequests()
	drag := func(ms int) (nodes int, megabytes float64) {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(async () => {
			const range = document.getElementById('b-alpha-range'), end = performance.now() + %d;
			for (let i = 0; performance.now() < end; i++) {
				i %% 24 < 12 ? range.stepUp() : range.stepDown();
				range.dispatchEvent(new Event('input', {bubbles: true}));
				await new Promise((r) => setTimeout(r, 16));
			}
			range.dispatchEvent(new Event('change', {bubbles: true}));
		})()`, ms), chromedp.EvalAwaitPromise))
		b.playSettled("")
		b.wait(`requests.open === 0`)
		if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
		heap, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		return eval[int](b, `document.querySelectorAll('*').length`), heap.UsedSize / 1e6
	}
	nodes, heap := drag(400)
	after, more := drag(ms)
	t.Logf("after %d ms of dragging: %+d elements, %+.1f MB", ms, after-nodes, more-heap)
	if after-nodes > 200 || after-nodes < -200 || more-heap > 60 {
		t.Errorf("dragging left %+d elements and %+.1f MB", after-nodes, more-heap)
	}
}

// TestPlaygroundPoints: other points have their own controls, suitable methods, and an entry in the history.
func TestPlaygroundPoints(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?b.method=tempered")
	choose := func(id, value string) {
		b.exec(fmt.Sprintf(`(() => { const s = document.getElementById(%s); s.value = %s; s.dispatchEvent(new Event('input', {bubbles: true})); s.dispatchEvent(new Event('change', {bubbles: true})); })()`, quote(id), quote(value)))
	}
	entries := eval[int](b, `history.length`)
	choose("pg-data", "blobs")
	b.playSettled("data=blobs")
	if n := eval[int](b, `history.length`); n != entries+1 {
		t.Errorf("another sample added %d history entries, want 1", n-entries)
	}
	b.wait(`document.querySelector('#pg-b-method option[value="alpha"]') === null`)
	if got := b.text("#pg-warn"); !strings.Contains(got, "needs two classes") {
		t.Errorf("the page does not say that the method was replaced: %q", got)
	}
	if got := b.text("#pg-key"); !strings.Contains(got, "label 3") {
		t.Errorf("the legend says %q", got)
	}
	choose("pg-data", "own")
	b.playSettled("data=own")
	b.wait(`document.querySelectorAll('#pg-points [data-rows] tr').length === 8 && document.getElementById('pg-noise').value === 'none'`)
	b.playDrawn("own points")
	choose("pg-noise", "random")
	b.wait(`document.getElementById('pg-rate-range') !== null`)
	seed := eval[string](b, `document.getElementById('pg-seed').value`)
	b.click(`[data-new-seed]`)
	b.wait(`document.getElementById('pg-seed').value !== ` + quote(seed))
	b.playSettled("seed=")
}

// TestPlaygroundDataset shows two columns of an uploaded table, then a plane through all of them.
func TestPlaygroundDataset(t *testing.T) {
	_, b := ownTab(t)
	b.open("/playground")
	id := eval[string](b, `fetch('/api/v1/datasets/generate', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({generator: 'adni-like', rows: 300, seed: 1})}).then((r) => r.json()).then((d) => d.id)`)
	b.playOpen("?data=dataset:" + id)
	b.playDrawn("dataset")
	b.exec(`(() => { const s = document.getElementById('pg-cy'); s.value = 'roi_05'; s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.playSettled("cy=roi_05")
	b.playDrawn("another column")
	b.exec(`document.querySelector('[name="use"][value="all"]').click()`)
	b.playSettled("use=all")
	b.wait(`document.getElementById('pg-key').innerText.includes('median')`)
	b.playDrawn("all columns")
	b.axe("playground of a dataset")
}

// TestPlaygroundTooFew: points that cannot be fitted give a message, and more can be added until they can.
func TestPlaygroundTooFew(t *testing.T) {
	_, b := commonTab(t)
	b.open("/playground?data=own&pts=0,0,0%3B1,1,1%3B1,0,1")
	b.expectAll("422")
	b.wait(`document.querySelectorAll('[data-painted]').length === 2`)
	if got := b.text("#problem"); !strings.Contains(got, "too few") {
		t.Errorf("the page says %q", got)
	}
	box := eval[[]float64](b, `(() => { const p = document.querySelector('#pg-a-surface [data-plot]'); p.scrollIntoView({block: 'center'}); const r = p.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	b.do(chromedp.MouseClickXY(box[0]+.2*box[2], box[1]+.2*box[3]))
	b.wait(`document.getElementById('problem').hidden && document.querySelectorAll('.pg-bar').length === 40`)
	b.playSettled("pts=")
	b.playDrawn("four points")
}

// TestPlaygroundSave saves both models as runs.
func TestPlaygroundSave(t *testing.T) {
	_, b := ownTab(t)
	b.playOpen("?n=100")
	b.do(keys("#b-alpha-range", kb.ArrowRight))
	b.playSettled("b.alpha=4.4")
	b.click(`.pg-save summary`)
	b.shot("playground-save")
	b.click(`.pg-save button[value="both"]`)
	b.wait(`location.pathname === '/runs' && document.querySelectorAll('main tbody tr').length === 2`)
	if got := b.text("main"); !strings.Contains(got, "4.4") {
		t.Errorf("the runs say %q", got)
	}
}

// TestLateAnswersAreShown moves a slider without rest while every answer takes longer than a move waits: answers are
// shown all the same.
func TestLateAnswersAreShown(t *testing.T) {
	_, b := commonTab(t)
	b.open("/?family=alpha")
	b.drawn()
	b.hold("/explore?")
	b.exec(`(() => {
		const form = document.querySelector('form[data-explore]'), range = document.querySelector('[data-slider] input[type=range]');
		let i = 0;
		window.shown = 0;
		form.dataset.liveMs = 1e6; // however slow this machine is
		form.addEventListener('taper:answer', () => shown++);
		setInterval(() => {
			i++ % 24 < 12 ? range.stepUp() : range.stepDown();
			range.dispatchEvent(new Event('input', {bubbles: true}));
		}, 20);
	})()`)
	// A move ends a request that is overdue after 500 ms, and the moves after it wait for the next one.
	for i, request := range []int{1, 3} {
		b.wait(fmt.Sprintf(`held.length > %d`, request))
		b.await(`new Promise((r) => setTimeout(r, 600))`)
		b.deliver(request)
		if n := eval[int](b, `shown`); n != i+1 {
			t.Errorf("%d answers were shown while the slider moved, want %d", n, i+1)
		}
	}
}

// TestRefitsWhileDragging moves a slider without rest: answers arrive during the drag, not only after the
// release, and one request is open at a time.
func TestRefitsWhileDragging(t *testing.T) {
	_, b := commonTab(t)
	b.playOpen("?b.method=tempered")
	b.countRequests()
	got := eval[[]int](b, `(async () => {
		const form = document.getElementById('play'), range = document.getElementById('b-t1-range');
		form.dataset.liveMs = 1e6; // however slow this machine is
		const begun = performance.now();
		for (let i = 0; performance.now() - begun < 240000 && requests.answers < 5; i++) {
			i % 24 < 12 ? range.stepUp() : range.stepDown();
			range.dispatchEvent(new Event('input', {bubbles: true}));
			await new Promise((r) => setTimeout(r, 8));
		}
		return [requests.answers, requests.most];
	})()`)
	if got[0] < 5 || got[1] > 2 {
		t.Errorf("%d answers while dragging, at most %d requests open", got[0], got[1])
	}
}
