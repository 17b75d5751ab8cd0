package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/testdata"
)

// TestVerifyLook opens the pages about verification, worker machines and help in every look.
func TestVerifyLook(t *testing.T) {
	_, b := commonTab(t)
	everyLook(b, "verify", "/verify")
	everyLook(b, "machines", "/machines")
	everyLook(b, "help", "/help")
}

// TestVerifyInBrowser: the page of a verification shows its progress, cancels it, and shows the result when it ends.
func TestVerifyInBrowser(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.app.Computations.Patience = 0
	run := trained(t, s, heartSpec(heart(t, s), "", "interval", .2, .6))
	file, data := bundled(t, s, run.ID, ""), testdata.Read("heart-clinic.csv")
	release := make(chan struct{})
	if err := s.app.Jobs.StartIn(app.VerifyLane, "another", 0, func(ctx context.Context, _ func(job.Progress)) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}, func(error) {}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	_, first := sent(s, "/verify", file, data)
	_, second := sent(s, "/verify", file, data)
	for width, scheme := range map[int]string{1280: "light", 360: "dark"} { // not drawn: the page waits
		where := fmt.Sprintf("verifying-%d-%s", width, scheme)
		b.look(width, scheme)
		b.open(string(second))
		b.wait(`document.querySelector('[data-progress] progress')`)
		b.fits(where)
		b.axe(where)
		b.shot(where)
	}
	b.open(string(first))
	b.click(`form[action$="/cancel"] button`)
	b.wait(`document.querySelector('#found-h') && document.body.innerText.includes('Cancelled.')`)
	b.open(string(second))
	b.exec(`window.before = true`)
	close(release)
	b.wait(`!window.before && document.body.innerText.includes('Reproduced to the bit')`)
	everyLook(b, "verified", string(second))
}

// TestSideBySide: parts side by side on the pages of a run are aligned at the top, and no cell is empty.
func TestSideBySide(t *testing.T) {
	b, _, r := runsTab(t)
	b.look(1280, "light")
	for _, at := range []string{"", "/performance", "/model"} {
		b.open("/runs/" + r[0].ID + at)
		b.drawn()
		for _, bad := range eval[[]string](b, `[...document.querySelectorAll('.pair')].flatMap((pair) => {
			const cells = [...pair.children].filter((e) => e.checkVisibility());
			const wide = cells.at(-1)?.getBoundingClientRect().width > 0.9 * pair.getBoundingClientRect().width;
			const heads = cells.slice(0, 2).map((e) => e.querySelector('h2')?.getBoundingClientRect().top);
			return [...cells.length % 2 && !wide ? ['an empty cell beside ' + cells.at(-1).innerText.slice(0, 40)] : [],
				...heads.every((h) => h) && Math.abs(heads[0] - heads[1]) > 1 ? ['heads at ' + heads] : []];
		})`) {
			t.Errorf("/runs/ID%s: %s", at, bad)
		}
	}
	b.open("/audit/" + r[0].ID)
	if tops := eval[[]float64](b, `[...document.querySelectorAll('#try :is(select, input.field)')].map((e) => e.getBoundingClientRect().top)`); len(tops) != 3 || tops[0] != tops[1] || tops[1] != tops[2] {
		t.Errorf("the fields of the trial begin at %v", tops)
	}
}

// TestStrataAtEveryWidth: no cell of the strata is wider than its column, so that no number is on another.
func TestStrataAtEveryWidth(t *testing.T) {
	p, b := commonTab(t)
	path := "/stratify/" + p.sampleID("adni-like.csv")
	for _, width := range []int{360, 800, 842, 1000, 1146, 1201, 1278} {
		b.look(width, "light")
		b.open(path)
		b.wait(`document.querySelector('#r-strata tbody')`)
		for _, cell := range eval[[]string](b, `[...document.querySelectorAll('#r-strata :is(th, td)')].filter((e) =>
			e.scrollWidth > e.clientWidth).map((e) => e.innerText)`) {
			t.Errorf("%d px: %q is wider than its column", width, cell)
		}
	}
}

// TestLongNameFits: the name of a file that has no space doesn't widen the page of a phone.
func TestLongNameFits(t *testing.T) {
	p, b := ownTab(t)
	id := p.upload(strings.Repeat("Discharges_of_cardiology_", 4)+"final.csv", []byte("a,b\n1,2\n3,4\n5,6\n"))
	b.look(360, "light")
	for _, path := range []string{"/data/" + id, "/stratify/" + id} {
		b.open(path)
		b.fits(path)
	}
}

// TestTickFollows: the tick at the value of a slider is bold, on the first page and after a move.
func TestTickFollows(t *testing.T) {
	_, b := commonTab(t)
	b.open("/playground")
	bold := func() string {
		return eval[string](b, `[...document.querySelectorAll('#pg-rate .slider-ticks .on')].map((e) => e.textContent).join(' ')`)
	}
	for _, move := range []struct{ to, want string }{{"20", "20"}, {"35", ""}, {"50", "50"}} {
		b.exec(`((r) => { r.value = '` + move.to + `'; r.dispatchEvent(new Event('input', {bubbles: true})); })(document.getElementById('pg-rate-range'))`)
		if got := bold(); got != move.want {
			t.Errorf("at %s the tick %q is bold", move.to, got)
		}
	}
	b.open("/playground?rate=0.5")
	if got := bold(); got != "50" {
		t.Errorf("a page opened at 50 has the tick %q bold", got)
	}
}

// TestHeadsFit: no head of a column on stratify has a word, or a name with no-break spaces, that is wider than its
// column and breaks inside; and no interval of a difference reaches into the next column, whatever the width.
func TestHeadsFit(t *testing.T) {
	p, b := commonTab(t)
	for _, width := range []int{1280, 1000, 800, 360} {
		b.look(width, "light")
		b.open("/stratify/" + p.sampleID("adni-like.csv") + "?x=roi_01&x=roi_02&outcome=group&positive=AD&negative=NC")
		b.drawn()
		for _, wide := range eval[[]string](b, `[...document.querySelectorAll('#r-beside td')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)`) {
			t.Errorf("%d px: wider than its column: %q", width, wide)
		}
		if width == 1000 || width == 800 {
			continue // limits of a band have two lines there
		}
		heads := eval[[][]string](b, `[...document.querySelectorAll('#r-strata thead th, #r-beside thead th')].filter((h) => h.checkVisibility()).map((h) => {
			const texts = document.createTreeWalker(h, NodeFilter.SHOW_TEXT), broken = [];
			for (let text = texts.nextNode(); text; text = texts.nextNode()) {
				for (const word of text.data.matchAll(/[^ \t\n]+/g)) {
					const range = document.createRange();
					range.setStart(text, word.index);
					range.setEnd(text, word.index + word[0].length);
					if (new Set([...range.getClientRects()].map((r) => r.top)).size > 1) broken.push(word[0]);
				}
			}
			return broken;
		})`)
		if len(heads) < 8 {
			t.Errorf("%d px: %d heads", width, len(heads))
		}
		for _, words := range heads {
			for _, word := range words {
				t.Errorf("%d px: %q is broken", width, word)
			}
		}
	}
}

// TestTermsWhole: however narrow a heading, a head of a column or the name of a run is, "t-logistic", "α-loss" and a
// parameter with its value stay on one line, with the hyphen and the spaces that a reader who searches for them types.
func TestTermsWhole(t *testing.T) {
	b, s, r := runsTab(t)
	d, err := s.db.Dataset(t.Context(), r[0].Dataset)
	if err != nil {
		t.Fatal(err)
	}
	spec := heartSpec(d, "", "tempered", .25, .5, .75)
	spec.Model = fit.Spec{Kind: "linear", Loss: "tempered", Params: map[string]any{"t1": .6, "t2": 1.6}, L2: fit.L2{Value: .01}}
	id := trained(t, s, spec).ID
	b.look(360, "light")
	for path, want := range map[string]string{
		"/runs/" + id + "/performance": "AUC\u00a0↑", "/runs": "t₁ = 0.6", "/runs/" + id: "t₁ = 0.6", "/compare?ids=" + r[0].ID + "," + id: "t₁ = 0.6",
		"/?family=t-logistic": "t-logistic", "/?family=alpha": "α-loss", "/help/t-logistic": "t-logistic",
		"/help/alpha": "α-loss", "/studies/preset/ding-table4": "t-logistic",
	} {
		b.open(path)
		b.drawn()
		found := eval[[][]string](b, `[...document.querySelectorAll('h1, h2:not(.vh), h3, .runs th a, .tbl-compare thead a, thead th')].flatMap((h) => {
			h.style.width = '1px';
			const texts = document.createTreeWalker(h, NodeFilter.SHOW_TEXT), out = [];
			for (let text = texts.nextNode(); text; text = texts.nextNode()) {
				for (const term of text.data.matchAll(/t-logistic|α-loss|[a-zα][₀-₉]? = [\d.]+|AUC\s↑/g)) {
					const range = document.createRange();
					range.setStart(text, term.index);
					range.setEnd(text, term.index + term[0].length);
					out.push([h.innerText, term[0], String(range.getClientRects().length)]);
				}
			}
			return out;
		})`)
		if !slices.ContainsFunc(found, func(f []string) bool { return f[1] == want && f[2] == "1" }) {
			t.Errorf("%s: no heading with %q: %q", path, want, found)
		}
		for _, f := range found {
			if f[2] > "1" { // what is hidden has no line
				t.Errorf("%s: %q takes %s lines in %q", path, f[1], f[2], f[0])
			}
		}
	}
}
