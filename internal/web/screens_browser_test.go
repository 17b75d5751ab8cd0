package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/engine/fit"
	"taper/internal/testtime"
)

// TestFirstScreens: each page has the answer to its question on its first screen, wide and narrow.
func TestFirstScreens(t *testing.T) {
	b, s, r := runsTab(t)
	develop, others := halves()
	half := trained(t, s, heartSpec(bring(t, s, develop), "Half", "interval", .25, .5, .75)).ID
	risk := r[0].ID
	open := bring(t, s, "age,died\n"+strings.Repeat("40,yes\n50,no\n61,yes\n35,no\n", 40))
	asked := "/stratify/" + r[0].Dataset + "?outcome=disease&positive=yes"
	for path, answer := range map[string]string{
		"/data/" + open.ID: "#ds-notes .btn", "/runs": ".result", "/runs/" + risk: ".result", "/runs/" + risk + "/performance": ".result",
		"/runs/" + risk + "/model": ".result", "/runs/" + risk + "/nomogram": ".result", asked: ".result",
		strings.Replace(asked, "?", "/flips?", 1): ".result", "/compare?ids=" + risk + "," + r[1].ID: ".result",
		"/report/" + risk: ".verdict > :first-child", "/audit/" + risk: ".result",
		"/evaluations/" + judgedBy(t, s, half, "other.csv", others): ".verdict > :first-child",
	} {
		for _, width := range []int{1280, 360} {
			b.look(width, "light")
			if width == 360 {
				b.do(chromedp.EmulateViewport(360, 800))
			}
			b.open(path)
			b.drawn()
			if below := eval[float64](b, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().bottom - innerHeight`, answer)); below > 0 {
				t.Errorf("%s at %d px: the answer ends %.0f px below the screen", path, width, below)
			}
		}
	}
}

// TestDefaultNamesOnOneLine: in the list of runs a name that nobody changed stands on one line.
func TestDefaultNamesOnOneLine(t *testing.T) {
	b, s, r := runsTab(t)
	d, err := s.db.Dataset(t.Context(), r[0].Dataset)
	if err != nil {
		t.Fatal(err)
	}
	long := heartSpec(d, "", "tempered", .25, .5, .75)
	long.Model = fit.Spec{Kind: "linear", Loss: "tempered", Params: map[string]any{"t1": .6, "t2": 1.6}, L2: fit.L2{Value: .01}}
	id := trained(t, s, long).ID
	b.open("/runs")
	if n := eval[int](b, `document.querySelector('#`+id+` th a').getClientRects().length`); n != 1 {
		t.Errorf("%q takes %d lines", b.text("#"+id+" th a"), n)
	}
}

// TestMissingCodesWhole: the field for codes shows all of them, and Enter sends a change.
func TestMissingCodesWhole(t *testing.T) {
	_, b := ownTab(t)
	b.open("/data")
	b.pick("../../testdata/csv/wdbc.csv")
	page := eval[string](b, `location.pathname`)
	for _, width := range []int{1280, 1000, 360} {
		b.look(width, "light")
		b.open(page)
		if cut := eval[[]int](b, `((f) => [f.scrollWidth - f.clientWidth, f.scrollHeight - f.clientHeight])(document.querySelector('#d-missing'))`); cut[0] > 0 || cut[1] > 0 {
			t.Errorf("at %d px %v px of the codes are cut", width, cut)
		}
	}
	b.do(chromedp.SetValue("#d-missing", "empty, 12.34"), chromedp.Focus("#d-missing"), chromedp.KeyEvent(kb.Enter))
	testtime.Until(t, "the codes to be stored", func() bool {
		return eval[bool](b, `fetch('/api/v1/datasets/' + location.pathname.split('/')[2]).then((r) => r.text()).then((t) => t.includes('12.34'))`)
	})
	b.open(page)
	if got := eval[string](b, `document.querySelector('#d-missing').value`); got != "empty, 12.34" {
		t.Errorf("the codes are %q", got)
	}
}

// TestTablesOnAPhone: on a small screen no table is wider than its place, whose edge would hide columns. Cells do not
// overlap either.
func TestTablesOnAPhone(t *testing.T) {
	b, s, r := runsTab(t)
	d, err := s.db.Dataset(t.Context(), r[0].Dataset)
	if err != nil {
		t.Fatal(err)
	}
	tempered := heartSpec(d, "", "tempered", .25, .5, .75) // several initialisations, and two odds ratios per term
	tempered.Model = fit.Spec{Kind: "linear", Loss: "tempered", Params: map[string]any{"t1": .6, "t2": 1.6}, L2: fit.L2{Value: .01}}
	robust := trained(t, s, tempered).ID
	b.look(360, "light")
	var ids []string
	for _, run := range r {
		ids = append(ids, run.ID)
	}
	for _, path := range []string{
		"/stratify/" + r[0].Dataset + "?outcome=disease&positive=yes", "/runs/" + r[0].ID + "/performance",
		"/runs/" + r[0].ID + "/model", "/runs/" + r[1].ID + "/model", "/runs/" + robust + "/model",
		"/compare?ids=" + r[0].ID + "," + robust, "/report/" + r[0].ID, "/compare?ids=" + strings.Join(ids, ","), "/", "/?family=interval", "/?family=adversarial",
		"/?family=alpha&view=landscape", "/?family=alpha&view=slope",
		"/studies/preset/ding-fig5", "/studies/preset/kimes-fig6", "/studies/preset/fathony-table6", "/robustness",
	} {
		b.open(path)
		b.drawn()
		wide := eval[[]string](b, `[...document.querySelectorAll('.scroll, #r-beside :is(td, th), .stacks tbody :is(td, th)')]
			.filter((e) => !e.closest('.multiples') && e.scrollWidth > e.clientWidth + 1).map((e) => e.tagName + ' ' + e.textContent.trim().slice(0, 40))`)
		if len(wide) > 0 {
			t.Errorf("%s: wider than its place: %q", path, wide)
		}
	}
}

// TestFlipsPresented: flips fill the screen of a lecture hall, stay so while labels are flipped, arrow keys step
// the share, and Escape ends it.
func TestFlipsPresented(t *testing.T) {
	p, b := commonTab(t)
	state := "?method=logistic&l2=0.01"
	b.open("/stratify/" + p.sampleID("wdbc.csv") + "/flips" + state)
	b.click(`.head .acts a[href*="present=1"]`)
	b.wait(`document.body.matches('.in-scene') && document.querySelectorAll('.pair tbody').length === 2`)
	shown := eval[string](b, `location.pathname + location.search`)
	everyLook(b, "flips-presented", shown)
	b.hall()
	b.open(shown)
	b.fills("flips")
	before := b.text("#result")
	b.steer("n-rate", kb.PageUp)
	b.wait(fmt.Sprintf(`document.querySelector('#result').innerText !== %s`, quote(before)))
	b.wait(`/rate=0?.2&/.test(location.search) && location.search.includes('present=1')`)
	b.exec(`document.activeElement.blur()`) // without the focus, too, arrow keys step the share of flipped labels
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
	b.wait(`document.querySelector('#n-rate-range').value === '21' && /rate=0?.21&/.test(location.search)`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`!document.body.matches('.in-scene') && /rate=0?.21$/.test(location.search)`)
}
