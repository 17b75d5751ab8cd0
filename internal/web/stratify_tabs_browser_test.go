package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestStratifyTabs: one detail is open, the address stores which, arrow keys switch, and a drag keeps it.
func TestStratifyTabs(t *testing.T) {
	p, b := commonTab(t)
	id := p.sampleID("wdbc.csv")
	b.open("/stratify/" + id + "?l2=0.0156")
	b.drawn()
	open := func() string {
		return eval[string](b, `[...document.querySelectorAll('#details [role="tabpanel"]')].filter((p) => p.checkVisibility()).map((p) => p.id).join(' ')`)
	}
	if got := open(); got != "tab-penalty-panel" {
		t.Errorf("open at first: %s", got)
	}
	b.click(`#tab-coefficients`)
	if got := open(); got != "tab-coefficients-panel" || eval[string](b, `location.search`) != "?l2=0.0156&tab=coefficients" {
		t.Errorf("after a click: %s at %s", got, eval[string](b, `location.search`))
	}
	if got := b.text("#tab-coefficients-panel"); !strings.Contains(got, "per SD") {
		t.Errorf("the coefficients read %.200q", got)
	}
	b.steer("pi1", kb.ArrowLeft)
	b.wait(`location.search === '?pi=.24,.5,.75&l2=0.0156&tab=coefficients' && !document.querySelector('.is-stale')`)
	if got := open(); got != "tab-coefficients-panel" {
		t.Errorf("after a move: %s", got)
	}
	b.do(chromedp.Focus("#tab-coefficients"), chromedp.KeyEvent(kb.ArrowRight))
	b.wait(`document.activeElement.id === 'tab-flow' && location.search.endsWith('tab=flow')`)
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.wait(`document.activeElement.id === 'tab-penalty' && !location.search.includes('tab=')`)
	b.do(chromedp.KeyEvent(kb.End))
	b.wait(`document.activeElement.id === 'tab-flow' && location.search.endsWith('tab=flow')`)
	if got := eval[int](b, `document.querySelectorAll('#details [role="tab"][tabindex="0"]').length`); got != 1 {
		t.Errorf("Tab stops at %d tabs", got)
	}
	b.axe("tabs")
	other := newTab(t, p.base)
	other.open(eval[string](b, `location.pathname + location.search`))
	if got := other.text("#tab-flow-panel"); !strings.Contains(got, "Scored out of fold") {
		t.Errorf("the link opens %q", got)
	}
	if w := eval[string](b, `fetch(location.href).then((r) => r.text())`); !strings.Contains(w, `href="/stratify/`+id+`?pi=.24,.5,.75&amp;l2=0.0156&amp;tab=coefficients#details"`) {
		t.Error("without scripts no link leads to the coefficients")
	}
}

// TestRefitsAreSaid: a refit is announced to screen readers when it is finished, not at every move.
func TestRefitsAreSaid(t *testing.T) {
	p, b := commonTab(t)
	for path, form := range ordered(map[string]string{"/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156": "#strat", "/playground": "#play", "/": "form[data-explore]"}) {
		b.open(path)
		b.drawn()
		b.exec(`(() => {
			window.heard = [];
			new MutationObserver(() => heard.push(document.getElementById('said').textContent)).observe(document.getElementById('said'), {childList: true});
		})()`)
		id := eval[string](b, `[...document.querySelectorAll('`+form+` [data-slider] input[type=range]:not(:disabled)')][0].id`)
		b.sweep(form, id, 4)
		if got := eval[[]string](b, `heard`); len(got) > 0 {
			t.Errorf("%s: heard while it moves: %q", path, got)
		}
		b.exec(`document.getElementById('` + id + `').dispatchEvent(new Event('change', {bubbles: true}))`)
		b.wait(`heard.length > 0`)
		if got := eval[[]string](b, `heard`); len(got) != 1 || strings.TrimSpace(got[0]) != eval[string](b, `document.getElementById('result').textContent.trim().replace(/\s+/g, ' ')`) {
			t.Errorf("%s: heard %q, want what the page answers, once", path, got)
		}
	}
}

// TestMethodAxes: another method has another scale of scores, so the axes of the density change.
func TestMethodAxes(t *testing.T) {
	p, b := commonTab(t)
	b.open("/stratify/" + p.sampleID("wdbc.csv"))
	b.drawn()
	axes := `JSON.parse(document.getElementById('strat').dataset.keep).axes`
	before := eval[string](b, axes)
	b.exec(`(() => { const m = document.getElementById('method'); m.value = 'boost'; m.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	b.wait(`location.search === '?method=boost' && !document.querySelector('.is-stale') && ` + axes + ` !== ` + quote(before))
	fresh := newTab(t, p.base)
	fresh.open("/stratify/" + p.sampleID("wdbc.csv") + "?method=boost")
	fresh.drawn()
	if got, want := eval[string](b, axes), eval[string](fresh, axes); got != want {
		t.Errorf("the axes are %s, on a fresh page %s", got, want)
	}
}

// TestChangesBand: at rest the page shows how often bootstrap fits move the patients of a band; during a drag it
// shows the old numbers in grey.
func TestChangesBand(t *testing.T) {
	p, b := commonTab(t)
	id := p.sampleID("wdbc.csv")
	b.open("/stratify/" + id + "?l2=0.0156")
	b.wait(`/^\d/.test(document.getElementById('changes-all').textContent)`)
	if got := b.text("#changes-say"); !strings.Contains(got, "in more than 30\u00a0% of 50 bootstrap refits.") {
		t.Errorf("the page says %q", got)
	}
	for _, width := range []int{1280, 360} {
		b.look(width, "light")
		if grown := eval[int](b, `((e) => { const full = e.offsetHeight, all = [...e.childNodes]; e.replaceChildren(); const empty = e.offsetHeight; e.append(...all); return full - empty; })(document.getElementById('changes-say'))`); grown > 0 {
			t.Errorf("%d px: the count of patients moves the page by %d px when it arrives", width, grown)
		}
	}
	b.look(1280, "light")
	b.exec(`document.querySelector('#changes-say summary').click()`)
	if got := b.text("#changes-say table"); !strings.Contains(got, "% of the refits") {
		t.Errorf("it lists %q", got)
	}
	b.exec(`(() => { const r = document.getElementById('pi1-range'); r.value = 20; r.dispatchEvent(new Event('input', {bubbles: true})); })()`)
	b.wait(`document.querySelector('#changes-0.muted') && location.search.startsWith('?pi=.2,')`)
	b.exec(`document.getElementById('pi1-range').dispatchEvent(new Event('change', {bubbles: true}))`)
	b.wait(`!document.querySelector('#changes-0.muted') && /^\d/.test(document.getElementById('changes-0').textContent)`)
	for _, file := range []string{"rows.csv", "model.json"} {
		if got := eval[int](b, `fetch(document.querySelector('#r-files a[href*="/`+file+`"]').href).then((r) => r.status)`); got != 200 {
			t.Errorf("%s: %d", file, got)
		}
	}
	b.open("/stratify/" + id + "?method=boost")
	if eval[bool](b, `Boolean(document.querySelector('[data-later]'))`) {
		t.Error("a page of trees promises refits")
	}
	if got := b.text("#r-strata"); !strings.Contains(got, "Changes band") || !strings.Contains(got, "is not refitted before it is saved") {
		t.Errorf("a page of trees does not say why nothing is known of changed bands: %q", got)
	}
	b.open("/stratify/" + id + "?method=t-logistic&l2=0.0156")
	b.wait(`/^\d/.test(document.getElementById('changes-all').textContent)`)
}

// TestPartsChangeInPlace: a move changes the numbers of the elements on the page, and leaves what came after the answer
// before; a part in which somebody can have chosen something is replaced as a whole.
func TestPartsChangeInPlace(t *testing.T) {
	p, b := commonTab(t)
	b.look(1280, "light")
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "?l2=0.0156")
	b.wait(`/^\d/.test(document.getElementById('changes-0').textContent)`)
	const table = `document.querySelector('#r-strata table')`
	b.exec(table + `.met = true; document.getElementById('changes-0').met = true`)
	rows, changes := b.text("#r-strata tbody tr td"), b.text("#changes-0")
	b.exec(`document.querySelector('#r-strata .band-name').click()`)
	b.exec(`(() => { const r = document.getElementById('pi1-range'); r.value = 10; r.dispatchEvent(new Event('input', {bubbles: true})); })()`)
	b.wait(`location.search.startsWith('?pi=.1,')`)
	if !eval[bool](b, table+`.met && document.getElementById('changes-0').met`) {
		t.Error("a move replaced the table of the bands")
	}
	if now := b.text("#r-strata tbody tr td"); now == rows {
		t.Errorf("the first band still has %s rows", now)
	}
	if now := b.text("#changes-0"); now != changes {
		t.Errorf("the share of refits was %s and is %s", changes, now)
	}
	if got := eval[string](b, `document.querySelector('#r-strata .band-name').getAttribute('aria-pressed')`); got != "true" {
		t.Errorf("after a move the highlighted band is pressed: %s", got)
	}
	if !eval[bool](b, `document.querySelector('#r-strata tbody tr').matches('.is-lit')`) {
		t.Error("a move ends the highlight of a band")
	}
}
