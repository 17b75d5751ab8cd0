package web

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/internal/web/live"
)

// TestFlipsAreTwoRuns: the two tables equal those of two runs, one with the noise of the address, and nothing is
// saved.
func TestFlipsAreTwoRuns(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	spec := heartSpec(d, "Clean", "logistic", .3, .6)
	noisy := heartSpec(d, "Flipped", "logistic", .3, .6)
	noisy.Noise = runspec.Noise{Kind: "random", Rate: .2}
	clean, flipped := trained(t, s, spec), trained(t, s, noisy)
	_, before, err := s.db.Runs(t.Context(), store.RunFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	html := ask(s, http.MethodGet, "/stratify/"+d.ID+"/flips?method=logistic&pi=.3,.6&l2=0.01&folds=3&noise=random&rate=.2", "", browser).Body.String()
	tables := strings.Split(html, "<tbody>")
	if len(tables) != 3 {
		t.Fatalf("%d tables: %s", len(tables)-1, plain(html))
	}
	for i, r := range []*engine.Result{clean.Result, flipped.Result} {
		rows := strings.Split(tables[i+1], "<tr")
		for j, b := range r.Strata {
			if got := plain("<tr" + rows[j+1]); !strings.Contains(got, " "+phrase.Int(b.N)+" "+phrase.Int(b.Events)+" ") {
				t.Errorf("table %d, band %d: %q has not %d rows and %d events", i, j, got, b.N, b.Events)
			}
		}
	}
	if want := fmt.Sprintf("With %d of %d training labels flipped", flipped.Result.Flow.Flipped, flipped.Result.Flow.Trained); !strings.Contains(plain(html), want) {
		t.Errorf("the page does not say %q", want)
	}
	for query, want := range map[string]string{
		"&l2=0.01":           "by a model that was not trained on it. λ was set on this page.",
		"":                   "by a model that was not trained on it. λ was chosen on these same folds",
		"&l2=0.01&present=1": "Out of fold: every row was scored by a model that was not trained on it. Nothing is saved.",
	} {
		html := ask(s, http.MethodGet, "/stratify/"+d.ID+"/flips?method=logistic&rate=.2"+query, "", browser).Body.String()
		if !strings.Contains(plain(html), want) {
			t.Errorf("%q: the page does not say %q: %s", query, want, plain(html))
		}
	}
	if _, after, err := s.db.Runs(t.Context(), store.RunFilter{Limit: 100}); err != nil || after != before {
		t.Errorf("%d runs, %d before (%v)", after, before, err)
	}
	for query, want := range map[string]int{"?task=multiclass": http.StatusConflict, "?rate=.2&noise=none": http.StatusOK,
		"?pi=2": http.StatusUnprocessableEntity, "?was=own&template=quartiles&wasmode=interval": http.StatusSeeOther} {
		if w := ask(s, http.MethodGet, "/stratify/"+d.ID+"/flips"+query, "", browser); w.Code != want {
			t.Errorf("%s: %d, want %d", query, w.Code, want)
		}
	}
}

// TestFlipsKeepTheirControls: the first move of a slider does not replace the controls, so that the next key still
// reaches them; another kind of noise does.
func TestFlipsKeepTheirControls(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	at := "/stratify/" + d.ID + "/flips"
	_, after, found := strings.Cut(ask(s, http.MethodGet, at, "", browser).Body.String(), `data-stamps="`)
	raw, _, _ := strings.Cut(after, `"`)
	var shown map[string]string
	if err := json.Unmarshal([]byte(html.UnescapeString(raw)), &shown); err != nil || !found {
		t.Fatalf("stamps %q: %v", raw, err)
	}
	var had []string
	for id, stamp := range shown {
		had = append(had, id+":"+stamp)
	}
	for query, replaced := range map[string]bool{"noise=random&rate=.2": false, "noise=instance&rate=.2": true} {
		var got live.Answer
		w := ask(s, http.MethodGet, at+"/live?"+query+"&had="+url.QueryEscape(strings.Join(had, ",")), "")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if _, sent := got.Parts["flip-noise"]; sent != replaced || got.Parts["flip-1"] == "" {
			t.Errorf("%s: controls sent: %t; parts %v", query, sent, slices.Sorted(maps.Keys(got.Parts)))
		}
	}
}

// TestFlipsOnAPhone: the columns of both tables fit a small screen, so that no verdict is cut.
func TestFlipsOnAPhone(t *testing.T) {
	p, b := ownTab(t)
	b.look(360, "light")
	b.open("/stratify/" + p.sampleID("heart-clinic.csv") + "/flips?outcome=disease&positive=yes")
	b.wait(`document.querySelectorAll('.pair tbody').length === 2`)
	wide := eval[int](b, `Math.max(...[...document.querySelectorAll('.pair .scroll')].map(
		(e) => e.scrollWidth - e.clientWidth))`)
	if wide > 0 {
		t.Errorf("a table is %d px wider than its place", wide)
	}
}

// TestFlipsByKeyboard comes from /stratify and flips more labels by keys: one table stays, the other changes, and
// so does the address.
func TestFlipsByKeyboard(t *testing.T) {
	p, b := commonTab(t)
	id := p.sampleID("wdbc.csv")
	b.open("/stratify/" + id + "?method=logistic&l2=0.01")
	b.click(`[formaction$="/flips"]`)
	b.wait(`location.pathname.endsWith('/flips') && document.querySelectorAll('.pair tbody').length === 2`)
	b.axe("flips")
	clean, flipped := b.text("#flip-0 tbody"), b.text("#flip-1 tbody")
	for _, rate := range []string{"0.2", "0.3"} { // on a busy machine a move may lead to a page that shows progress
		b.steer("n-rate", kb.PageUp)
		b.wait(fmt.Sprintf(`location.search.includes('rate=%s') && document.querySelectorAll('.pair tbody').length === 2 &&
			!document.querySelector('.is-stale')`, rate))
	}
	if got := b.text("#flip-0 tbody"); got != clean {
		t.Errorf("without noise the table went from %q to %q", clean, got)
	}
	after := b.text("#flip-1 tbody")
	if after == flipped {
		t.Errorf("three times as many flips leave the table at %q", after)
	}
	said := b.text("#result")
	here := eval[string](b, `location.pathname + location.search`)
	b.exec(`((s) => { s.focus(); s.value = 'class'; s.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('#noise'))`)
	b.wait(`document.querySelector('[name^="rate_positive"]') && !document.querySelector('.is-stale')`)
	if at := eval[string](b, `document.activeElement.id`); at != "noise" {
		t.Errorf("another kind of noise moves the focus to %q", at)
	}
	b.open(here)
	b.open(eval[string](b, `location.pathname + location.search`))
	if b.text("#flip-1 tbody") != after || b.text("#result") != said {
		t.Error("the address shows something else than the page did")
	}
	everyLook(b, "flips", "/stratify/"+id+"/flips?method=logistic&l2=0.01")
}

// TestFlipDraws: another draw flips other labels in the same folds, and the page sums up twenty draws as twenty runs
// would.
func TestFlipDraws(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	spec := heartSpec(d, "Clean", "logistic", .3, .6)
	clean := trained(t, s, spec)
	band := map[int]int{}
	rows := func(r store.Run) []engine.RowScore {
		all, err := s.db.RunRows(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, r := range rows(clean) {
		band[r.Row] = r.Stratum
	}
	var low, high int
	var fold [2][]string
	for draw := range 20 {
		noisy := spec
		noisy.Noise = runspec.Noise{Kind: "random", Rate: .2, Draw: draw}
		run := trained(t, s, noisy)
		moved := 0
		for _, r := range rows(run) {
			if band[r.Row] != r.Stratum {
				moved++
			}
			if draw < 2 {
				fold[draw] = append(fold[draw], r.Split)
			}
		}
		if draw == 0 {
			low, high = moved, moved
		}
		low, high = min(low, moved), max(high, moved)
	}
	if low == high || !slices.Equal(fold[0], fold[1]) {
		t.Errorf("%d to %d patients change band in 20 draws; same folds: %v", low, high, slices.Equal(fold[0], fold[1]))
	}
	w := ask(s, http.MethodGet, "/stratify/"+d.ID+"/flips/draws?method=logistic&pi=.3,.6&l2=0.01&folds=3&noise=random&rate=.2", "", script)
	var a live.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body.String())
	}
	said := plain(a.Parts["flip-draws"])
	if want := fmt.Sprintf("In draws 0 to 19 of the same rate, %d\u00a0–\u2060\u00a0%d of ", low, high); !strings.HasPrefix(said, want) {
		t.Errorf("%q does not start with %q", said, want)
	}
	w = ask(s, http.MethodGet, "/stratify/"+d.ID+"/flips?noise=random&draw=1000", "", browser)
	if w.Code != http.StatusUnprocessableEntity {
		t.Errorf("draw 1000: %d", w.Code)
	}
}
