package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// litJS lists the highlighted bands, and whether the density marks an area.
const litJS = `[...['#r-strata tbody tr', '#r-icons figure'].map((s) => [...document.querySelectorAll(s)].findIndex((e) => e.classList.contains('is-lit'))),
	Boolean(document.querySelector('#density .band-lit')?.checkVisibility()) ? 1 : 0].join()`

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
