package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/table"
	"taper/internal/testtime"
	"taper/internal/web/api"
)

// sampleID is the dataset of a sample, which the first start loads.
func (p *program) sampleID(file string) string {
	p.t.Helper()
	var id string
	testtime.Until(p.t, "the sample "+file, func() bool {
		var list struct {
			Items []struct{ ID, File string }
		}
		p.getJSON("/api/v1/datasets?limit=100", &list)
		for _, d := range list.Items {
			if d.File == file {
				id = d.ID
			}
		}
		return id != ""
	})
	return id
}

func (p *program) getJSON(path string, to any) {
	p.t.Helper()
	res, err := http.Get(p.base + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(to); err != nil {
		p.t.Fatalf("%s: %v", path, err)
	}
}

// upload uploads a file and returns its dataset.
func (p *program) upload(name string, data []byte) string {
	p.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, _ := w.CreateFormFile("file", name)
	_, _ = part.Write(data)
	_ = w.Close()
	res, err := http.Post(p.base+"/api/v1/datasets", w.FormDataContentType(), &body)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	var d api.Dataset
	if err := json.Unmarshal(text, &d); err != nil || d.ID == "" {
		p.t.Fatalf("%s: %d %s", name, res.StatusCode, text)
	}
	for range 2 { // the outcome, then the event if it is ambiguous
		i := slices.IndexFunc(d.Warnings, func(w table.Warning) bool {
			return (w.Code == "which-outcome" || w.Code == "which-event") && len(w.Choices) > 0
		})
		if i < 0 {
			break
		}
		p.patch(d.ID, d.Warnings[i].Choices[0].Outcome, &d)
	}
	return d.ID
}

// patch answers a question about outcome or event.
func (p *program) patch(id string, o *table.OutcomeChoice, d *api.Dataset) {
	p.t.Helper()
	answer := map[string]any{"outcome": o.Column}
	if len(o.Positive) > 0 {
		answer["positive"] = o.Positive
	}
	body, _ := json.Marshal(answer)
	req, _ := http.NewRequest(http.MethodPatch, p.base+"/api/v1/datasets/"+id, bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(d); err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d %v", body, res.StatusCode, err)
	}
}

// TestStratifyLooks opens the page for the samples and the files of TAPER_DATA_DIR in every look.
func TestStratifyLooks(t *testing.T) {
	p, b := commonTab(t)
	for _, file := range []string{"wdbc.csv", "adni-like.csv", "heart-clinic-dirty.csv"} {
		everyLook(b, "stratify-"+file, "/stratify/"+p.sampleID(file))
	}
	wdbc := p.sampleID("wdbc.csv")
	everyLook(b, "stratify-reject", "/stratify/"+wdbc+"?mode=reject&pi=.2,.8&band=1")
	everyLook(b, "stratify-hold", "/stratify/"+wdbc+"?hold=1")
	if dir := os.Getenv("TAPER_DATA_DIR"); dir != "" {
		if data, err := os.ReadFile(filepath.Join(dir, "pima.csv")); err == nil {
			everyLook(b, "stratify-pima", "/stratify/"+p.upload("pima.csv", data))
		}
	}
}

// steer presses keys on the slider of a boundary.
func (b *tab) steer(id string, keys ...string) {
	b.Helper()
	b.do(chromedp.Focus("#" + id + "-range"))
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// TestStratifyByKeyboard uses only keys: values, strata, address and history follow.
func TestStratifyByKeyboard(t *testing.T) {
	p, b := commonTab(t)
	id := p.sampleID("wdbc.csv")
	b.open("/data")
	b.open("/stratify/" + id)
	b.drawn()
	rows := func() string { return b.text("#r-strata tbody tr td") }
	first, say := rows(), b.text("#density-say")
	history := eval[int](b, `history.length`)

	b.steer("pi1", kb.ArrowLeft, kb.ArrowLeft, kb.PageDown)
	b.wait(`location.search === '?pi=.13,.5,.75'`)
	if got := eval[string](b, `document.getElementById('pi1-value').value`); got != "13" {
		t.Errorf("π1 reads %s after two arrows and Page Down from 25, want 13", got)
	}
	b.wait(`document.querySelector('#r-strata tbody th').innerText.includes('13')`)
	if got := b.text("#pi1 [data-note]"); got != "13\u00a0%" {
		t.Errorf("π1 is noted %q, want 13 %%", got)
	}
	if rows() == first || b.text("#density-say") == say {
		t.Errorf("the strata stay at %s rows, or the density at %q", first, say)
	}
	if got := eval[string](b, `document.getElementById('pi1-range').getAttribute('aria-valuetext')`); !strings.HasPrefix(got, "Boundary 1 at 13 percent, cut-off at score −1.9") {
		t.Errorf("spoken: %q", got)
	}
	if got := eval[string](b, `document.activeElement.id`); got != "pi1-range" {
		t.Errorf("the focus went to %q", got)
	}
	if n := eval[int](b, `history.length`) - history; n != 1 {
		t.Errorf("%d history entries for one slider, want 1", n)
	}
	if got := eval[string](b, `document.querySelector('#template').value`); got != "own" {
		t.Errorf("the template reads %q, want own", got)
	}

	b.steer("pi2", kb.PageDown, kb.PageDown, kb.PageDown, kb.PageDown)
	b.wait(`location.search === '?pi=.13,.14,.75'`)
	if got := b.text("#pi2 .err"); got != "The one before is 13\u00a0%: move it first." {
		t.Errorf("said of the clamp: %q", got)
	}

	b.exec(`history.back()`)
	b.wait(`location.search === '?pi=.13,.5,.75' && document.getElementById('pi2-value')?.value === '50'`)
	b.exec(`history.back()`)
	b.wait(`location.search === '' && document.getElementById('pi1-value')?.value === '25'`)
	b.wait(fmt.Sprintf(`document.querySelector('#r-strata tbody td').innerText === %s`, quote(first)))
	b.exec(`history.back()`)
	b.wait(`location.pathname === '/data'`)
}

// TestDraggedToEnd: a boundary at the end of its range says so if it was dragged there. What a small percentage may
// have meant is asked of typed values alone.
func TestDraggedToEnd(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.drawn()
	b.follow("#pi1-hint")
	drag := func(to, address string) {
		b.exec(`(() => { const r = document.getElementById('pi1-range'); r.focus(); r.value = ` + to + `;
			for (const type of ['input', 'change']) r.dispatchEvent(new Event(type, {bubbles: true})); })()`)
		b.wait(`location.search.startsWith(` + quote(address) + `) && !document.querySelector('.is-stale')`)
	}
	drag("0", "?pi=.001,.5,.75")
	if got := b.text("#pi1-hint"); got != "0.1\u00a0% is the end of the scale." {
		t.Errorf("at the end %q is said", got)
	}
	b.exec(`document.getElementById('pi1').dataset.before = ''`)
	b.exec(`(() => { const s = document.getElementById('seed'); s.focus(); s.value = '8'; s.blur(); s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`document.querySelector('#pi1:not([data-before])') && !document.querySelector('.is-stale')`) // the panel is replaced
	drag("5", "?pi=.05,.5,.75")
	for _, said := range eval[[]string](b, `said`) {
		if strings.Contains(said, "type") {
			t.Errorf("after a drag %q is said", said)
		}
	}
	b.do(typed("pi1", "0.1"))
	b.wait(`document.querySelector('#pi1-hint').innerText.trim() === 'This is 0.1\u00a0%. For 10\u00a0%, type 10.'`)
}

// TestPercentFields types boundaries as a clinician does. The field shows and takes per cent, the address has
// fractions, and the message about a corrected value stays after the answer.
func TestPercentFields(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv"))
	b.drawn()
	reads := func(text string) { b.wait(`document.querySelector('#pi1-value').value === ` + quote(text)) }
	settled := func(address, note string) {
		b.wait(`location.search === ` + quote(address) + ` && document.querySelector('#pi1 [data-note]').innerText === ` + quote(note+"\u00a0%") + ` && !document.querySelector('.is-stale')`)
	}
	typeIn := func(text string) { // and wait until the answer has replaced the panel
		b.exec(`(() => { document.querySelector('#pi1').dataset.before = '' })()`)
		b.do(typed("pi1", text))
		b.wait(`document.querySelector('#pi1') && !document.querySelector('#pi1[data-before]')`)
	}
	said := func() string { return eval[string](b, `document.querySelector('#pi1-hint').innerText.trim()`) }
	reads("25")

	for _, c := range []struct{ text, share, shown string }{{"30", ".3", "30"}, {"31 %", ".31", "31"}, {"32%", ".32", "32"}} {
		typeIn(c.text)
		settled("?pi="+c.share+",.5,.75", c.shown)
		if reads(c.shown); said() != "" {
			t.Errorf("%s: %q is said, want nothing", c.text, said())
		}
	}
	typeIn("12,5")
	settled("?pi=.125,.5,.75", "12.5")

	typeIn("0.3")
	settled("?pi=.003,.5,.75", "0.3")
	b.wait(`document.querySelector('#pi1-hint').innerText.trim() === 'This is 0.3\u00a0%. For 30\u00a0%, type 30.'`)

	typeIn("60")
	settled("?pi=.49,.5,.75", "49")
	reads("49")
	want := "Boundaries must rise, and the next one is 50\u00a0%: 60\u00a0% was changed to 49\u00a0%. To go further, move the next one first."
	if got := said(); got != want {
		t.Errorf("after the answer %q is said, want %q", got, want)
	}
	if got := eval[string](b, `document.querySelector('#pi1-value').getAttribute('aria-describedby')+document.querySelector('#pi1-hint').getAttribute('role')`); got != "pi1-hintstatus" {
		t.Errorf("the message is bound to its field by %q", got)
	}
	typeIn("20")
	settled("?pi=.2,.5,.75", "20")
	if said() != "" {
		t.Errorf("%q is still said after the next edit", said())
	}

	// An answer that arrives while the user types into the next field does not change that field.
	b.exec(`(() => {
		const first = document.querySelector('#pi1-value'), next = document.querySelector('#pi2-value');
		next.dataset.before = '';
		document.querySelector('#strat').addEventListener('taper:answer', () => { window.answered = true; }, {once: true});
		first.focus(); first.value = '21'; first.blur(); first.dispatchEvent(new Event('change', {bubbles: true}));
		next.focus(); next.value = '6'; next.dispatchEvent(new Event('input', {bubbles: true}));
	})()`)
	b.wait(`window.answered`)
	if !eval[bool](b, `document.activeElement.dataset.before === '' && document.activeElement.value === '6'`) {
		t.Error("an answer took away what was being typed")
	}
}

// TestStratifyControls changes the controls that are not sliders.
func TestStratifyControls(t *testing.T) {
	p, b := commonTab(t)
	id := p.sampleID("wdbc.csv")
	b.open("/stratify/" + id)
	b.drawn()
	b.click(`input[name="mode"][value="reject"]`)
	b.wait(`location.search === '?mode=reject' && document.querySelectorAll('[name="pi.pct"]').length === 2`)
	b.wait(`document.querySelector('#r-reject')?.innerText.includes('Reportable')`)
	if got := eval[string](b, `document.activeElement.value`); got != "reject" {
		t.Errorf("the focus left the rule: %q", got)
	}
	b.drawn()
	b.click(`input[name="mode"][value="interval"]`)
	b.wait(`location.search === '' && document.querySelectorAll('[name="pi.pct"]').length === 3`)
	b.click(`[data-add]`)
	b.wait(`document.querySelectorAll('[name="pi.pct"]').length === 4 && document.querySelectorAll('#r-strata tbody tr').length === 5`)
	b.click(`#pi4 [data-remove]`)
	b.wait(`document.querySelectorAll('[name="pi.pct"]').length === 3`)
	b.exec(`(() => { const t = document.querySelector('#template'); t.value = 'low'; t.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search === '?pi=.02,.05,.1'`)
	b.click(`#how-1se`)
	b.wait(`location.search === '?pi=.02,.05,.1&l2=1se'`)
	b.steer("lambda", kb.ArrowRight)
	b.wait(`/l2=0\./.test(location.search) && document.querySelector('#how-hand').checked`)
	b.click(`#r-predictors summary`)
	b.click(`#x0`)
	b.click(`#r-predictors form button`)
	b.wait(`document.querySelector('#predictors-h').innerText.includes('29 of 30')`)
	b.click(`#r-rows a`)
	b.wait(`document.querySelectorAll('#r-rows tbody tr').length === 20 && location.search.includes('band=0')`)
	b.click(`.whatif summary`)
	b.click(`.whatif form button`)
	b.wait(`document.querySelector('#whatif-answer').innerText.includes('Band')`)
	b.axe("everything open")
	b.fits("everything open")
}

// TestStratifyKeepsThePatient moves a boundary after a prediction for one patient: the form stays open with the values
// entered, without the band of the fit before.
func TestStratifyKeepsThePatient(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("heart-clinic.csv") + "?l2=0.0156&folds=2")
	b.drawn()
	b.click(`#try summary`)
	const filled = `[...document.querySelectorAll('#try [name]')].map((el) => el.value).join()`
	b.exec(`(() => {
		document.querySelector('#try input').value = '41,5';
		document.querySelector('#try select').selectedIndex = 1 - document.querySelector('#try select').selectedIndex;
	})()`)
	want := eval[string](b, filled)
	b.click(`#try button`)
	b.wait(`document.querySelector('#whatif-answer').innerText`)
	b.steer("pi1", kb.ArrowRight)
	b.wait(`document.querySelector('#try form').action.includes('pi=.26') && !document.querySelector('.is-stale')`)
	if got := eval[string](b, filled); got != want {
		t.Errorf("after a move the form has %q, want %q", got, want)
	}
	if !eval[bool](b, `document.querySelector('#try').open && !document.querySelector('#whatif-answer').innerText`) {
		t.Error("after a move the form is closed, or has the band of the fit before")
	}
}

// TestStratifyCopiedLink opens the address of a dragged state again and gets the same numbers.
func TestStratifyCopiedLink(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?pi=.2,.5,.8&l2=0.0156&folds=2")
	b.drawn()
	b.steer("pi2", kb.ArrowRight)
	b.wait(`location.search === '?pi=.2,.51,.8&l2=0.0156&folds=2'`)
	b.wait(`!document.querySelector('.is-stale')`)
	// The refits of the last column follow the table, in their own time; until then those of the last state are grey.
	const refitted = `((all) => all.length === 5 && all.every((e) => /^\d/.test(e.innerText) && !e.classList.contains('muted')))(` +
		`[...document.querySelectorAll('#r-strata [data-later]')])`
	b.wait(refitted)
	table, link := b.text("#r-strata"), eval[string](b, `location.href`)
	other := newTab(t, p.base)
	other.do(chromedp.Navigate(link))
	other.wait(refitted)
	if got := other.text("#r-strata"); got != table {
		t.Errorf("the link shows\n%s\nwant\n%s", got, table)
	}
}

// TestStratifySave saves a run and opens it.
func TestStratifySave(t *testing.T) {
	p, b := ownTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.click(`.head .acts button[formaction$="/save"]`)
	b.wait(`location.pathname.startsWith('/runs/r') && document.querySelector('#r-strata')`)
	b.drawn()
	everyLook(b, "run", eval[string](b, `location.pathname`))
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0312")
	b.click(`.head .acts .btn-1`)
	b.wait(`location.pathname.startsWith('/report/')`)
}

// drag moves the slider of a boundary back and forth as a pointer does and returns the times from each move to the
// paint of its answer in ms, sorted.
func (b *tab) drag(id string, moves int) []float64 {
	b.Helper()
	return eval[[]float64](b, fmt.Sprintf(`(async () => {
		const range = document.getElementById('%s-range'), form = document.getElementById('strat');
		const painted = () => new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }));
		const took = [];
		form.dataset.liveMs = 1e6; // however slow this machine is
		range.focus();
		for (let i = 0; i < %d; i++) {
			const answer = new Promise((done) => form.addEventListener('taper:answer', done, {once: true}));
			const start = performance.now();
			range.value = 15 + (i %% 2 ? i %% 30 : 29 - i %% 30);
			range.dispatchEvent(new Event('input', {bubbles: true}));
			await answer;
			await painted();
			took.push(performance.now() - start);
		}
		range.dispatchEvent(new Event('change', {bubbles: true}));
		return took.sort((a, b) => a - b);
	})()`, id, moves))
}

// TestStratifyDrag drags a boundary with 569 rows and 30 columns: the axes are fixed, nothing on the page shifts,
// and a move takes little processor time. The times are logged.
func TestStratifyDrag(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	b.open("/stratify/" + p.sampleID("wdbc.csv"))
	b.drawn()
	axes := eval[string](b, `JSON.parse(document.getElementById('strat').dataset.keep).axes`)
	b.exec(`(() => { window.shift = 0; new PerformanceObserver((l) => { for (const e of l.getEntries()) window.shift += e.value; }).observe({type: 'layout-shift'}); })()`)
	b.drag("pi1", 10) // the first answers warm the caches
	history := eval[int](b, `history.length`)
	var took []float64
	work := b.work(func() { took = b.drag("pi1", 60) }) / 60
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	t.Logf("slider to paint, 569 × 30, K = 3: p50 %.0f ms, p95 %.0f ms; %v of work a move", p50, p95, work)
	if measured() && work > 600*time.Millisecond {
		t.Errorf("a move takes %v of processor time", work)
	}
	b.wait(`!document.querySelector('.is-stale')`)
	if got := eval[string](b, `JSON.parse(document.getElementById('strat').dataset.keep).axes`); got != axes || axes == "" {
		t.Errorf("the axes moved from %q to %q while dragging", axes, got)
	}
	if n := eval[int](b, `history.length`) - history; n != 0 {
		t.Errorf("%d history entries for a second drag of the same slider", n)
	}
	if shift := eval[float64](b, `window.shift`); shift > 0.02 {
		t.Errorf("the layout shifted by %.3f while dragging", shift)
	}
}

// TestStratifyProgress opens a slow fit: progress that advances, then the page itself; and Cancel, which shows the
// controls only.
func TestStratifyProgress(t *testing.T) {
	inBrowser(t)
	s, d := slow(t)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	release := occupied(t, s)
	b.open("/stratify/" + d.ID + "?folds=2")
	b.wait(`document.querySelector('[data-progress]')`)
	release()
	b.wait(`document.querySelector('#r-strata')`)
	b.drawn()
	s.app.Computations.Patience = testtime.Hang // a move is answered, however slow this machine is
	b.steer("pi1", kb.ArrowRight)
	b.wait(`location.search.startsWith('?pi=.26') && document.querySelector('#pi1-value')?.value === '26'`)
	b.wait(`document.querySelector('#r-strata') && !document.querySelector('.is-stale')`)
	s.app.Computations.Patience = 50 * time.Millisecond
	occupied(t, s)
	b.open("/stratify/" + d.ID + "?folds=20&seed=5")
	b.wait(`document.querySelector('[data-progress]')`)
	b.shot("stratify-progress-1280-light")
	b.axe("progress") // here, where the page stays for a while
	b.click(`[data-progress] button`)
	b.wait(`location.search.includes('hold=1') && document.querySelector('.empty')?.innerText.includes('Nothing is computed')`)
	b.shot("stratify-hold-1280-light")
}

// TestStratifyStale moves a slider while the program answers slowly: outdated results are dimmed until the answer
// arrives, and only the last answer is applied.
func TestStratifyStale(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.drawn()
	b.hold("/live?")
	b.steer("pi1", kb.ArrowRight, kb.ArrowRight, kb.ArrowRight)
	b.wait(`document.querySelector('#density').classList.contains('is-stale') && document.querySelector('#r-strata').classList.contains('is-stale')`)
	for request := range eval[int](b, `held.length`) {
		b.deliver(request)
	}
	b.wait(`!document.querySelector('.is-stale') && location.search.startsWith('?pi=.28,')`)
	if got := b.text("#r-strata tbody th"); !strings.Contains(got, "28") {
		t.Errorf("the strata show %q, want those of the last move", got)
	}
}

// TestPreviewInView: what is scrolled into view while a slider is held shows the preview or is dimmed, and the release
// shows all rows everywhere.
func TestPreviewInView(t *testing.T) {
	inBrowser(t)
	s, id := sampleServer(t, "wdbc.csv")
	many(s)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	b.open("/stratify/" + id + "?x=mean_radius&x=mean_texture&l2=0.01&pi=0.3,0.6&band=2")
	b.drawn()
	b.exec(`document.querySelector('#strat').dataset.liveMs = 1e6`) // however slow this machine is
	const parts = `['r-strata', 'r-icons', 'r-beside', 'losses-say', 'r-fit', 'r-rows', 'whatif-answer']`
	texts := func() map[string]string {
		return eval[map[string]string](b, `Object.fromEntries(`+parts+`.map((id) => {
			const part = document.getElementById(id).cloneNode(true);
			for (const el of part.querySelectorAll('[id^="changes-"]')) el.remove(); // of the bootstrap, which comes later
			return [id, part.textContent.replace(/[\d.]+ ms/g, '')];
		}))`)
	}
	before := texts()
	at := eval[[]float64](b, `((range) => {
		range.scrollIntoView({block: 'center'});
		const r = range.getBoundingClientRect();
		return [r.x + 8, r.width - 16, r.y + r.height / 2];
	})(document.getElementById('pi2-range'))`)
	mouse := func(kind input.DispatchMouseEventType, share float64) {
		b.do(chromedp.MouseEvent(kind, at[0]+share*at[1], at[2], chromedp.ButtonLeft))
	}
	b.countRequests()
	mouse("mousePressed", .6)
	mouse("mouseMoved", .8)
	b.wait(`document.querySelector('#r-extent').innerText.includes('Preview on 100') && requests.open === 0`)
	for _, part := range []string{"r-beside", "losses-say", "r-rows", "r-strata"} {
		b.exec(fmt.Sprintf(`document.getElementById('%s').scrollIntoView({block: 'center', behavior: 'instant'})`, part))
		b.await(twoFrames)
		b.wait(`requests.open === 0`)
		b.await(twoFrames)
	}
	for part, text := range ordered(texts()) {
		held := eval[bool](b, `document.getElementById('`+part+`').matches('.is-held')`)
		if late := part == "r-rows" || part == "whatif-answer"; held != late {
			t.Errorf("%s is dimmed: %t", part, held)
		} else if !late && text == before[part] {
			t.Errorf("%s shows no preview: %.200s", part, text)
		}
	}
	mouse("mouseReleased", .8)
	b.wait(`document.querySelector('#r-extent').innerText.includes('All 569') && requests.open === 0 && !document.querySelector('.is-stale, .is-held')`)
	released := texts()
	b.do(chromedp.Reload())
	b.drawn()
	if d := cmp.Diff(texts(), released); d != "" {
		t.Errorf("the release shows something else than its address: %s", d)
	}
}

// TestWrongBoundariesSeen: why the boundaries of an address are not used is on the first screen. A slider that is
// dragged then shifts nothing, and with its release the message is gone.
func TestWrongBoundariesSeen(t *testing.T) {
	p, b := commonTab(t)
	at := "/stratify/" + p.sampleID("adni-like.csv") + "?x=roi_01&x=roi_02&outcome=group&positive=AD&negative=NC&pi=.8,.2"
	for width, height := range map[int]int64{1280: 900, 360: 800} {
		b.look(width, "light")
		b.do(chromedp.EmulateViewport(int64(width), height))
		b.open(at)
		b.drawn()
		const told = `[...document.querySelectorAll('main [role=alert]')].filter((e) => e.checkVisibility() && e.textContent.includes('Boundaries must rise'))`
		if where := eval[[]float64](b, told+`.map((e) => e.getBoundingClientRect().bottom)`); len(where) != 1 || where[0] > float64(height) {
			t.Errorf("%d px: the message ends at %v of %d px", width, where, height)
		}
		b.exec(shifts)
		b.countRequests()
		b.pull("pi2-range", 3, func(how string) {
			if how == "dragged" {
				for _, s := range eval[[]string](b, `window.shifted.splice(0)`) {
					t.Errorf("%d px, dragged: %s", width, s)
				}
			} else if n := eval[int](b, told+`.length`); n != 0 {
				t.Errorf("%d px: the message is still there after another boundary was chosen", width)
			}
		})
	}
	b.expectAll("422")

	// Each message stands in one place.
	b.open(at + "&folds=99&lambda=-1")
	for text, n := range eval[map[string]int](b, `Object.fromEntries([...document.querySelectorAll('main [role=alert]')].map((e, _, all) =>
		[e.textContent, all.filter((o) => o.textContent.includes(e.textContent.trim())).length]))`) {
		if n != 1 {
			t.Errorf("said %d times: %s", n, text)
		}
	}
	if n := eval[int](b, `document.querySelectorAll('main [role=alert]').length`); n < 2 {
		t.Errorf("%d messages about two fields and more", n)
	}
	b.expectAll("422")
}
