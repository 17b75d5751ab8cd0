package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestCompareLook opens comparisons of similar and different runs in every look.
func TestCompareLook(t *testing.T) {
	inBrowser(t)
	s, r := flippedRuns(t)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	everyLook(b, "compare", "/compare?ids="+idsOf(r...))
	everyLook(b, "compare-refused", "/compare?ids="+r[0].ID)
	b.expectAll("422")
	for _, width := range []int{600, 800, 1000, 1150} {
		b.look(width, "light")
		b.open("/compare?ids=" + idsOf(r...) + "&all=1")
		b.fits("compare")
	}
}

// TestCompareByHand selects three runs in the list, compares them, shows everything, changes the baseline and goes
// back to the selection; all but the first checkbox by keyboard.
func TestCompareByHand(t *testing.T) {
	b, _, r := runsTab(t)
	b.open("/runs")
	b.click("#" + r[0].ID + " input")
	b.wait(`location.search === '?ids=` + r[0].ID + `' && document.querySelector('[data-compare]').disabled`)
	for _, run := range r[1:] {
		b.do(chromedp.Focus("#"+run.ID+" input"), chromedp.KeyEvent(" "))
	}
	b.wait(`document.querySelector('[data-compare]').textContent.includes('Compare 3') && !document.querySelector('[data-compare]').disabled`)
	b.shot("compare-choice-1280-light")
	b.look(1280, "light")
	b.do(chromedp.Focus("[data-compare]"), chromedp.KeyEvent(kb.Enter))
	b.wait(`location.pathname === '/compare' && document.querySelector('.tbl-compare')`)
	ids := strings.TrimPrefix(eval[string](b, "location.search"), "?ids=")
	if len(strings.Split(ids, ",")) != 3 {
		t.Fatalf("the address names %s", ids)
	}
	few := eval[int](b, `document.querySelectorAll('.tbl-compare tbody tr').length`)
	b.do(chromedp.Focus(".seg-links a:last-child"), chromedp.KeyEvent(kb.Enter))
	b.wait(`location.search.endsWith('&all=1') && document.querySelector('.seg-links a:last-child[aria-current]')`)
	if all := eval[int](b, `document.querySelectorAll('.tbl-compare tbody tr').length`); all <= few {
		t.Errorf("everything holds %d rows, differences only %d", all, few)
	}
	b.drawn()
	b.shot("compare-unlike-1280-light")
	b.look(360, "dark")
	b.fits("unlike")
	b.axe("unlike")
	b.shot("compare-unlike-360-dark")
	b.look(1280, "light")
	b.do(chromedp.Focus("#base"), chromedp.KeyEvent(kb.ArrowDown))
	b.wait(`location.search.includes('base=') && document.querySelector('#base').selectedIndex === 1`)
	if got := eval[string](b, `document.querySelector('.tbl-compare thead th:nth-child(2)').innerText`); !strings.Contains(got, "baseline") {
		t.Errorf("the first run is headed %q", got)
	}
	if got := eval[string](b, "location.search"); !strings.Contains(got, "all=1") || !strings.Contains(got, "ids=") {
		t.Errorf("the new baseline forgets the rest of the state: %s", got)
	}
	b.click(`.crumb a`)
	b.wait(`location.pathname === '/runs' && document.querySelectorAll('.runs input[name="id"]:checked').length === 3`)
}

// TestCompareAcrossPages selects a run on each of two pages of the list, then too many, and clears the selection.
func TestCompareAcrossPages(t *testing.T) {
	b, _, r := runsTab(t)
	b.open("/runs?limit=2")
	b.click("#" + r[1].ID + " input")
	b.wait(`location.search === '?ids=` + r[1].ID + `&limit=2'`)
	b.click(`.pager a.btn`)
	b.wait(`document.querySelector('[data-compare-say]')?.textContent.startsWith('1 more not on this page')`)
	b.click("#" + r[0].ID + " input")
	b.wait(`document.querySelector('[data-compare]').textContent.includes('Compare 2')`)
	if got := b.text("#pick .btn-bad"); got != "Delete 1" {
		t.Errorf("the other button says %q: it acts on what is seen", got)
	}
	b.click("[data-compare]")
	b.wait(`location.search === '?ids=` + r[1].ID + `,` + r[0].ID + `'`)
	b.do(chromedp.NavigateBack())
	b.wait(`location.pathname === '/runs' && document.querySelector('[data-compare]')?.textContent.includes('Compare 2')`)
	b.wait(`document.querySelector('#pick [type="reset"]').checkVisibility()`)
	b.exec(`document.querySelector('#pick [type="reset"]').click()`) // the driver finds no nodes in a page from the back/forward cache
	b.wait(`!location.search.includes('ids=') && !document.querySelector('#pick').checkVisibility()`)
}
