package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"taper/testdata"
)

// shifts records layout shifts that no click caused, with their size and elements, and refused requests.
const shifts = `(() => {
	window.shifted = [];
	const real = window.fetch;
	window.fetch = async (...a) => {
		const answer = await real(...a);
		if (!answer.ok) window.shifted.push(answer.status + ' ' + a[0]);
		return answer;
	};
	const where = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(' ');
	new PerformanceObserver((l) => {
		for (const e of l.getEntries()) for (const s of e.sources) window.shifted.push(e.value.toFixed(4) + ' ' + (s.node?.id || s.node?.outerHTML?.slice(0, 90) || 'text') + ': ' + where(s.previousRect) + ' → ' + where(s.currentRect));
	}).observe({type: 'layout-shift'});
})()`

// twoFrames waits for the frames after the last change; shifts are reported by then.
const twoFrames = `new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r))))`

// await runs a statement in the page until its promise is resolved.
func (b *tab) await(js string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](js, chromedp.EvalAwaitPromise))
}

// sweep moves a slider to the given number of positions across its range and back, each when the page shows the
// previous one. A move without an answer fails the test.
func (b *tab) sweep(form, id string, places int) {
	b.Helper()
	b.await(fmt.Sprintf(`(async () => {
		const form = document.querySelector('%s'), range = document.getElementById('%s');
		const never = (where) => new Promise((_, no) => setTimeout(() => no(new Error('no answer at ' + where)), 240000));
		form.dataset.liveMs = 1e6; // however slow this machine is
		for (let i = 0; i <= 2 * %[3]d; i++) {
			const share = (i <= %[3]d ? i : 2 * %[3]d - i) / %[3]d, was = range.value;
			range.value = Number(range.min) + share * (range.max - range.min);
			const answered = new Promise((r) => form.addEventListener('taper:answer', r, {once: true}));
			range.dispatchEvent(new Event('input', {bubbles: true}));
			if (range.value === was) continue; // limited by a neighbour
			await Promise.race([answered, never(range.id + ' = ' + range.value)]);
			await %[4]s;
		}
	})()`, form, id, places, twoFrames))
}

// pull drags a slider with the mouse across its range and back, and releases it elsewhere; end follows the drag and
// the answer to the release.
func (b *tab) pull(id string, places int, end func(how string)) {
	b.Helper()
	b.exec(fmt.Sprintf(`document.getElementById('%s').scrollIntoView({block: 'center'})`, id))
	var at struct{ X, Y, Width, Share float64 }
	raw := eval[string](b, fmt.Sprintf(`((range) => {
		const r = range.getBoundingClientRect();
		return JSON.stringify({x: r.x + 8, y: r.y + r.height / 2, width: r.width - 16, share: (range.value - range.min) / (range.max - range.min)});
	})(document.getElementById('%s'))`, id))
	if err := json.Unmarshal([]byte(raw), &at); err != nil {
		b.Fatal(err)
	}
	mouse := func(kind input.DispatchMouseEventType, share float64) {
		b.do(chromedp.MouseEvent(kind, at.X+share*at.Width, at.Y, chromedp.ButtonLeft))
	}
	mouse("mousePressed", at.Share)
	for i := range 2*places + 1 {
		share := float64(i) / float64(places)
		if i > places {
			share = 2 - share
		}
		mouse("mouseMoved", share)
		b.wait(`requests.open === 0`)
		b.await(twoFrames)
	}
	end("dragged")
	mouse("mouseReleased", 0)
	b.await(twoFrames)
	b.wait(`requests.open === 0`)
	b.await(twoFrames)
	end("released")
}

// TestNothingShifts moves every slider of the live pages by keys and by mouse: nothing on the screen shifts, neither
// while it is moved nor when it is released.
func TestNothingShifts(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	wdbc := "/stratify/" + bringAnswered(t, s, string(testdata.Read("wdbc.csv"))).ID
	places := 3
	if measured() {
		places = 40
	}
	for _, c := range []struct {
		path, form string
		widths     []int
	}{
		{wdbc, "#strat", []int{1280, 360}}, {wdbc + "?method=alpha", "#strat", []int{1280}}, {wdbc + "?task=abstain", "#strat", []int{1280, 360}}, {wdbc + "?noise=random&method=tempered&l2=0.01", "#strat", []int{1280}},
		{"/playground", "#play", []int{1280, 360}}, {"/playground?data=long-servedio", "#play", []int{1280, 360}}, {"/playground?b.method=interval&b.pi=.2,.4,.6", "#play", []int{360}},
		{"/?family=alpha", "form[data-explore]", []int{1280, 360}}, {"/?family=interval", "form[data-explore]", []int{1280}},
		{"/?family=adversarial&metric=abstain", "form[data-explore]", []int{1280, 360}}, {"/?family=adversarial", "form[data-explore]", []int{360}}, {"/?family=t-logistic", "form[data-explore]", []int{1280}},
	} {
		for _, width := range c.widths {
			b.look(width, "light")
			b.open(c.path)
			b.drawn()
			for _, id := range eval[[]string](b, `[...document.querySelectorAll('`+c.form+` [data-slider] input[type=range]:not(:disabled)')].map((r) => r.id)`) {
				tell := func(how string) {
					b.await(twoFrames)
					for _, s := range eval[[]string](b, `window.shifted.splice(0)`) {
						t.Errorf("%s, %d px, %s, %s: %s", c.path, width, id, how, s)
					}
				}
				b.await(twoFrames) // on a busy machine the last frame may show a page half received
				b.exec(shifts)
				b.sweep(c.form, id, places)
				tell("set")
				b.countRequests()
				b.pull(id, places, tell)
				b.open(c.path)
				b.drawn()
			}
		}
	}
}
