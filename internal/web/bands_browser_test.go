package web

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// litJS lists the highlighted bands, and whether the density marks an area.
const litJS = `[...['#r-strata tbody tr', '#r-icons figure'].map((s) => [...document.querySelectorAll(s)].findIndex((e) => e.classList.contains('is-lit'))),
	Boolean(document.querySelector('#density .band-lit')?.checkVisibility()) ? 1 : 0].join()`

// TestBandsOfARun: each page of a run highlights the band under the pointer in whatever it shows of bands, and the
// band that is kept on one page is kept on the next.
func TestBandsOfARun(t *testing.T) {
	p, b := commonTab(t)
	id := bandsRun(t, p, "wdbc.csv", "interval")
	turn := func(selector, path string) { // to another page of the run
		t.Helper()
		b.click(selector)
		b.wait(fmt.Sprintf(`location.pathname + location.search === %q`, "/runs/"+id+path))
		b.drawn()
	}
	over := func(selector string) {
		t.Helper()
		at := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center', behavior: 'instant'});
			const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2), chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	}
	// lit has the bands of what is highlighted, by the attribute that names them.
	const lit = `[...new Set([...document.querySelectorAll('tr.is-lit > [data-band], .is-lit[data-band], .is-lit[data-band-column]')]
		.map((e) => e.dataset.band ?? e.dataset.bandColumn))].join()`
	b.open("/runs/" + id + "/performance")
	b.exec(`document.querySelector('#density').scrollIntoView({block: 'center', behavior: 'instant'})`)
	b.wait(`document.querySelector('#density')?.dataset.drawn !== undefined`)
	over(`#r-beside [data-band-column="4"]`)
	b.wait(lit + ` === '4'`)
	if n := eval[int](b, `document.querySelectorAll('#r-beside [data-band-column="4"].is-lit').length`); n < 4 {
		t.Errorf("%d cells of the column are highlighted", n)
	}
	b.wait(`Boolean(document.querySelector('#density .band-lit')?.checkVisibility())`)
	over(`tbody th[data-band="2"]`)
	b.wait(lit + ` === '2'`)
	b.click(`tbody th[data-band="2"] .band-name`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
	b.exec(`document.activeElement.blur()`)
	b.wait(`location.hash === '#band=2'`)
	b.wait(lit + ` === '2'`)
	b.axe("a band kept on Performance")

	turn(`nav.tabs a[href*="/model"]`, "/model")
	b.wait(`document.querySelector('#pca [data-series]:nth-child(2)').matches('.is-lit')`)
	over(`#pca [data-series]:nth-child(4)`)
	b.wait(`document.querySelector('#pca [data-series]:nth-child(4)').matches('.is-lit')`)

	turn(`nav.tabs a[href*="/patients"]`, "/patients")
	b.wait(lit + ` === '2'`)
	turn(`[data-bands] a[data-band="3"]`, "/patients?band=2")
	b.wait(`document.querySelectorAll('#r-rows td.is-lit').length > 0 && ` + lit + ` === '3'`)

	turn(`nav.tabs a[href="/runs/`+id+`#band=3"]`, "")
	b.wait(litJS + ` === '2,2,1'`)
	b.click(`#r-strata th[data-band="3"] .band-name`)
	b.wait(`location.hash === ''`)
}

// TestBandOfMovedBoundary keeps a band and moves its boundary: its area in the density moves too.
func TestBandOfMovedBoundary(t *testing.T) {
	p, b := commonTab(t)
	b.do(chromedp.EmulateViewport(1280, 3000)) // the density is drawn only on the screen
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.drawn()
	b.click(`#r-strata th[data-band="2"] .band-name`)
	const area = `(({left, width}) => left + ' ' + width)(document.querySelector('#density .band-lit').style)`
	before := eval[string](b, area)
	after := eval[string](b, `new Promise((done) => { // as a drag does
		const range = document.getElementById('pi1-range');
		document.getElementById('strat').addEventListener('taper:answer', () => done(`+area+`), {once: true});
		range.stepUp();
		range.dispatchEvent(new Event('input', {bubbles: true}));
	})`)
	if after == before {
		t.Errorf("the area is still at %s", after)
	}
}

// TestBandsOfPatients: a scored file, the prediction for one patient, the nomogram and the report of an external
// validation highlight the band under the pointer wherever they show it.
func TestBandsOfPatients(t *testing.T) {
	b, s, r := runsTab(t)
	over := func(selector string) {
		t.Helper()
		at := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center', behavior: 'instant'});
			const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2), chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	}
	file := filepath.Join(t.TempDir(), "ward.csv")
	if err := os.WriteFile(file, []byte(newPatients(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("/runs/" + r[0].ID + "/patients")
	b.do(chromedp.SetUploadFiles(`#score input[type="file"]`, []string{file}))
	b.wait(`document.querySelectorAll('.scored-bands .band-name').length === 4`)
	over(`.scored-bands th[data-band="2"]`)
	b.wait(`document.querySelector('[data-bands] a[data-band="2"]').matches('.is-lit')`)
	b.wait(`[...document.querySelectorAll('#score-answer .tbl-grid td[data-band]')].every((c) => c.matches('.is-lit') === (c.dataset.band === '2'))`)
	b.click(`.scored-bands th[data-band="2"] .band-name`)
	b.wait(`location.hash === '#band=2'`)

	b.do(chromedp.SetValue(`[name="x:age"]`, "71,5"))
	b.click(`#patient .btn-1`)
	b.wait(`document.querySelector('#patient-answer .result[data-band="2"]').matches('.is-lit')`)
	over(`#patient-answer rect[data-band="4"]`)
	b.wait(`document.querySelector('#patient-answer rect[data-band="4"]').matches('.is-lit') && !document.querySelector('#patient-answer .result').matches('.is-lit')`)
	b.wait(`document.querySelector('[data-bands] a[data-band="4"]').matches('.is-lit')`)

	b.open("/runs/" + r[0].ID + "/model")
	b.exec(`document.querySelector('#pca').scrollIntoView({block: 'center', behavior: 'instant'})`)
	b.wait(`document.querySelector('#pca')?.dataset.drawn !== undefined`)
	over(`.fig-fit-wide rect[data-band="1"]`)
	b.wait(`document.querySelector('#pca [data-series]').matches('.is-lit')`)
	b.open("/runs/" + r[0].ID + "/nomogram")
	band := eval[string](b, `document.querySelector('#nomogram-answer .result').dataset.band`)
	over(`.fig-fit-wide rect[data-band="` + band + `"]`)
	b.wait(`document.querySelector('#nomogram-answer .result').matches('.is-lit')`)

	develop, others := halves()
	half := trained(t, s, heartSpec(bring(t, s, develop), "Half", "interval", .25, .5, .75)).ID
	for _, path := range []string{"/report/" + r[0].ID, "/evaluations/" + judgedBy(t, s, half, "other.csv", others)} {
		b.open(path)
		outline := `getComputedStyle(document.querySelector('.icons figure[data-band="2"]')).outlineStyle`
		if got := eval[string](b, outline); got != "none" {
			t.Errorf("%s: the hundred people have an outline before: %s", path, got)
		}
		over(`.rep-strata th[data-band="2"]`)
		b.wait(outline + ` === 'solid'`)
	}
}

// TestDecisionCurveHover: the decision curve of a run fills its cell and tells its values under the pointer.
func TestDecisionCurveHover(t *testing.T) {
	p, b := commonTab(t)
	b.open("/runs/" + bandsRun(t, p, "wdbc.csv", "logistic") + "/performance")
	b.exec(`document.querySelector('#decision').scrollIntoView({block: 'center', behavior: 'instant'})`)
	b.wait(`document.querySelector('#decision')?.dataset.drawn !== undefined`)
	at := eval[[]float64](b, `(() => { const r = document.querySelector('#decision [data-plot]').getBoundingClientRect();
		return [r.x + 0.4 * r.width, r.y + 0.5 * r.height, r.width / document.querySelector('#fig-decision').clientWidth]; })()`)
	if at[2] < .95 {
		t.Errorf("the curve takes %.2f of its cell", at[2])
	}
	ink := `[...document.querySelectorAll('#decision canvas')].map((c) => c.toDataURL()).join()`
	before := eval[string](b, ink)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	b.wait(ink + fmt.Sprintf(` !== %q`, before))
}

// TestBandsLinked: hovering over a band highlights it in all places. So does activating its name by keyboard, which
// keeps it highlighted while the page changes and announces it.
func TestBandsLinked(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?method=logistic&l2=0.01")
	b.drawn()
	point := func(selector string) {
		t.Helper()
		at := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center', behavior: 'instant'});
			const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	}
	point("#r-strata tbody tr:nth-child(3) td")
	b.wait(litJS + ` === '2,2,1'`)
	first := eval[float64](b, `document.querySelector('#density .band-lit').getBoundingClientRect().left`)
	point("#r-icons figure:nth-child(4)")
	b.wait(litJS + ` === '3,3,1'`)
	if last := eval[float64](b, `document.querySelector('#density .band-lit').getBoundingClientRect().left`); last <= first {
		t.Errorf("the fourth band begins at %g, the third at %g", last, first)
	}
	point("#density [data-plot]")
	b.wait(`document.querySelectorAll('#r-strata tbody tr.is-lit').length === 1`)
	at := eval[int](b, `[...document.querySelectorAll('#r-strata tbody tr')].findIndex((e) => e.classList.contains('is-lit'))`)
	b.wait(fmt.Sprintf(litJS+` === '%d,%d,1'`, at, at))
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2), chromedp.Focus("#r-strata tbody tr:nth-child(2) .band-name"))
	b.wait(litJS + ` === '1,1,1'`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelector('main > .vh[role="status"]')?.textContent.includes('is highlighted:')`)
	if got := eval[string](b, `document.querySelector('#r-strata tbody tr:nth-child(2) .band-name').getAttribute('aria-pressed')`); got != "true" {
		t.Errorf("its name is pressed: %s", got)
	}
	b.axe("a band lit")
	b.steer("pi1", kb.ArrowLeft)
	b.wait(`location.search.includes('pi=.24')`)
	b.wait(litJS + ` === '1,1,1' && document.querySelector('#r-strata tbody tr:nth-child(2) .band-name')?.getAttribute('aria-pressed') === 'true'`)
	b.click("#r-strata tbody tr:nth-child(2) .band-name")
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
	b.exec(`document.activeElement.blur()`)
	b.wait(litJS + ` === '-1,-1,0'`)
}

// TestPointsOfABand: a band that no series draws lights none and fades none, and a point lights its own band, also
// while the points of another one are hidden.
func TestPointsOfABand(t *testing.T) {
	p, b := commonTab(t)
	page := "/stratify/" + p.sampleID("wdbc.csv") + "?method=logistic&l2=0.01"
	const picture = `document.querySelector('#pca canvas.drawing').toDataURL()`
	open := func(path string) string {
		b.open(path)
		b.exec(`document.querySelector('#pca').scrollIntoView({block: 'center', behavior: 'instant'})`)
		b.wait(`document.querySelector('#pca')?.dataset.drawn !== undefined`)
		b.await(twoFrames)
		return eval[string](b, picture)
	}
	plain := open(page)
	b.open("/help")
	if open(page+"#band=9") != plain {
		t.Error("the points fade for a band that is not there")
	}
	b.open("/help")
	if open(page+"#band=2") == plain {
		t.Error("a band that is kept lights none of its points")
	}
	b.open("/help")
	open(page)
	b.click(`#pca [data-series]`)
	b.await(twoFrames)
	at := eval[[]float64](b, `(() => {
		const o = JSON.parse(document.getElementById('pca-option').textContent), r = document.querySelector('#pca [data-plot]').getBoundingClientRect();
		const [x, y] = o.series.at(-1).data.reduce((best, p) => (p[0] > best[0] ? p : best)), g = o.grid, [a, c] = [o.xAxis[0], o.yAxis[0]];
		return [r.x + g.left + (x - a.min) / (a.max - a.min) * (r.width - g.left - g.right), r.bottom - g.bottom - (y - c.min) / (c.max - c.min) * (r.height - g.top - g.bottom)];
	})()`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]-3, at[1]))
	b.wait(`document.querySelector('#pca div.drawing:not([hidden])')`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
	b.wait(`document.querySelector('#r-strata tbody tr.is-lit')`)
	if row := eval[int](b, `[...document.querySelectorAll('#r-strata tbody tr')].findIndex((e) => e.classList.contains('is-lit'))`); row != 3 {
		t.Errorf("a point of the fourth band lights row %d", row+1)
	}
}
