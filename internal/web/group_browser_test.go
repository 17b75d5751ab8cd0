package web

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/web/page/group"
)

// bandsRun is a finished run in quartiles of a sample.
func bandsRun(t *testing.T, p *program, file, loss string) string {
	t.Helper()
	id := overAPI(t, p.base, "POST", "/api/v1/runs", `{"dataset":"`+p.sampleID(file)+`","outcome":"diagnosis","positive":"malignant",
		"boundaries":[0.25,0.5,0.75],"model":{"loss":"`+loss+`","l2":0.01},"seed":7,"name":"Quartiles"}`)["id"].(string)
	doneOverAPI(t, p.base, id)
	return id
}

// hall is the screen of a lecture hall.
func (b *tab) hall() {
	b.Helper()
	b.look(1920, "light")
	b.do(chromedp.EmulateViewport(1920, 1080))
}

// fills fails the test if a page does not fill the screen exactly, or has text that is too small for the last row:
// under 1/54 of the height.
func (b *tab) fills(where string) {
	b.Helper()
	b.wait(`document.fonts.status === 'loaded'`)
	b.drawn()
	b.fits(where)
	if tall := eval[int](b, `document.documentElement.scrollHeight - innerHeight`); tall > 0 {
		b.Errorf("%s is %d px higher than the screen", where, tall)
	}
	small := eval[[]string](b, `[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('.vh') &&
		[...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) &&
		parseFloat(getComputedStyle(e).fontSize) * (e.getCTM ? (e.getScreenCTM()?.a ?? 1) : 1) < 20)
		.map((e) => getComputedStyle(e).fontSize + ' ' + e.outerHTML.slice(0, 100))`)
	for _, s := range small {
		b.Errorf("%s: small text %s", where, s)
	}
}

// TestGroupOnALaptop: on a screen of other proportions the arrays grow, and no wide gap stays empty.
func TestGroupOnALaptop(t *testing.T) {
	p, b := commonTab(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.open("/runs/" + bandsRun(t, p, "wdbc.csv", "logistic") + "/group")
	b.drawn()
	gap := eval[float64](b, `(() => { const all = [...document.querySelector('.gp').children].map((e) => e.getBoundingClientRect()).filter((r) => r.height);
		return Math.max(...all.slice(1).map((r, i) => r.top - all[i].bottom)); })()`)
	if gap > 100 {
		t.Errorf("%.0f px stay empty", gap)
	}
	if tall := eval[int](b, `document.documentElement.scrollHeight - innerHeight`); tall > 0 {
		t.Errorf("the page is %d px higher than the screen", tall)
	}
}

// TestGroupStandsStill: nothing shifts while a boundary is moved, though marks and notes come and go.
func TestGroupStandsStill(t *testing.T) {
	p, b := commonTab(t)
	id := bandsRun(t, p, "wdbc.csv", "logistic")
	for _, path := range []string{"/runs/" + id + "/group", "/runs/" + id + "/group?counts=shown"} {
		b.hall()
		b.open(path)
		b.drawn()
		b.await(twoFrames)
		b.exec(shifts)
		b.sweep(".gp-sliders", "pi1-range", 4)
		for _, s := range eval[[]string](b, `window.shifted.splice(0)`) {
			t.Errorf("%s: %s", path, s)
		}
	}
}

// TestBandsKeepTheirHeight: on a phone, where bands lie above other parts, a band keeps its height while a boundary
// is dragged, even if no row is left in it or its counts take a second line.
func TestBandsKeepTheirHeight(t *testing.T) {
	p, b := commonTab(t)
	id := bandsRun(t, p, "wdbc.csv", "logistic")
	b.look(360, "light")
	for path, part := range map[string]string{"/runs/" + id + "/group": ".gp-rows",
		"/stratify/" + p.sampleID("wdbc.csv"): "#r-strata tbody tr"} {
		b.open(path)
		b.drawn()
		var seen []float64
		for _, at := range []string{"10", "25", "40", "49"} {
			b.exec(`{ const r = document.getElementById('pi1-range'); r.value = ` + at + `; r.dispatchEvent(new Event('input', {bubbles: true})); }`)
			b.drawn()
			b.await(twoFrames)
			seen = append(seen, eval[[]float64](b, `[...document.querySelectorAll('`+part+`')].map((e) => Math.round(e.getBoundingClientRect().height))`)...)
		}
		slices.Sort(seen)
		if len(seen) == 0 || seen[0] < seen[len(seen)-1]-1 {
			t.Errorf("%s: %s are %v px high", path, part, slices.Compact(seen))
		}
	}
}

// TestGroupByKeyboard moves people between bands by keys only: each band stays a hundred people, those who changed
// band are as many as the server computes, and Escape goes from the slider back to the run.
func TestGroupByKeyboard(t *testing.T) {
	p, b := ownTab(t)
	id := bandsRun(t, p, "wdbc.csv", "logistic")
	b.open("/runs/" + id)
	b.click(`a[href="/runs/` + id + `/group"]`)
	b.wait(`document.querySelectorAll('#group-bands section').length === 4`)
	b.axe("group")
	before := b.text("#group-say")
	b.steer("pi1", kb.PageDown, kb.ArrowLeft, kb.ArrowLeft)
	b.wait(`location.search === '?pi=.13,.5,.75'`)
	b.steer("pi3", kb.PageDown, kb.PageDown)
	b.wait(`location.search === '?pi=.13,.5,.55'`)
	b.wait(`!document.querySelector('.is-stale')`)
	if got := b.text("#group-say"); got == before || !strings.Contains(got, "of 100 people change band") {
		t.Errorf("the sentence is %q", got)
	}
	people := eval[[]int](b, `[...document.querySelectorAll('#group-bands .people')].map((s) =>
		[...s.querySelectorAll('path:not(.people-came)')].map((x) => (x.getAttribute('d').match(/M/g) ?? []).length).reduce((a, b) => a + b, 0))`)
	for j, n := range people {
		if n != 100 {
			t.Errorf("band %d is drawn with %d people", j, n)
		}
	}
	said, _ := strconv.Atoi(regexp.MustCompile(`^\d+`).FindString(b.text("#group-say")))
	ringed := eval[int](b, `(document.querySelector('#group-crowd .people-came').getAttribute('d').match(/M/g) ?? []).length`)
	if ringed != said || said == 0 {
		t.Errorf("%d of the hundred have a ring, the page says %d", ringed, said)
	}
	res, err := http.Get(p.base + "/runs/" + id + "/group?pi=.13,.5,.55")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	html, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(html), b.text("#group-say")) {
		t.Error("the address says something else than the page after the keys")
	}
	b.exec(`document.querySelector('#pi1-range').focus()`)
	b.steer("pi1", kb.Escape)
	b.wait(`location.pathname === '/runs/` + id + `'`)
}

// TestGroupLooks opens the page in every look, and on a lecture-hall screen without a scroll bar.
func TestGroupLooks(t *testing.T) {
	p, b := ownTab(t)
	id := bandsRun(t, p, "wdbc.csv", "logistic")
	everyLook(b, "group", "/runs/"+id+"/group?pi=.13,.5,.75")
	b.hall()
	b.open("/runs/" + id + "/group?pi=.13,.5,.75")
	b.fills("group")
}

// TestGroupOfIntervals fits the interval model again for another boundary, and shows the reclassification.
func TestGroupOfIntervals(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	at := group.Address(r)
	for _, c := range []struct{ query, want string }{
		{"", "Number with"},
		{"?pi=.1,.6", "of 100 people change band at these boundaries."},
		{"?pi=.1,.6&counts=shown", "Mask counts of 1 to 9"},
	} {
		if w := ask(s, http.MethodGet, at+c.query, "", browser); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d without %q", c.query, w.Code, c.want)
		}
	}
	if w := ask(s, http.MethodGet, at+"?pi=.6", "", browser); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("one boundary of two: %d", w.Code)
	}
	q := url.Values{"pi.pct": {"30", "55"}}
	if w := ask(s, http.MethodGet, at+"?"+q.Encode(), "", browser); w.Code != http.StatusSeeOther || w.Header().Get("Location") != at+"?pi=.3&pi=.55" && w.Header().Get("Location") != at+"?pi=0.3&pi=0.55" {
		t.Errorf("a form without scripts: %d %s", w.Code, w.Header().Get("Location"))
	}
}
