package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/store"
	"taper/internal/web/format"
)

// TestStratifyNoise injects label noise: the page gives the number of corrupted labels, and a saved run corrupts
// the same rows, is evaluated on clean ones and links back.
func TestStratifyNoise(t *testing.T) {
	s, id := sampleServer(t, "wdbc.csv") // 569 rows, 212 of them malignant
	at := "/stratify/" + id + "?l2=0.0156&seed=3"
	if text := plain(ask(s, "GET", at, "", browser).Body.String()); !strings.Contains(text, "Off: every row is trained with its recorded label.") {
		t.Error("noise is not off by default")
	}
	spoilt := map[string]map[int]bool{}
	for query, want := range ordered(map[string]string{
		"&noise=random":                  "57 of 569 training labels flipped; evaluated on the recorded labels.",
		"&noise=random&rate=0.25":        "142 of 569 training labels flipped; evaluated on the recorded labels.",
		"&noise=class&rate_positive=0.3": "training labels flipped; evaluated on the recorded labels.",
		"&noise=large-margin&rate=0.05":  "28 of 569 training labels flipped",
		"&noise=instance&rate=0.2":       "114 of 569 rows received the features of the other class for training; evaluated on the recorded rows.",
	}) {
		w := ask(s, "GET", at+query, "", browser)
		if text := plain(w.Body.String()); w.Code != 200 || !strings.Contains(text, want) || !strings.Contains(text, "Label noise was added: ") {
			t.Errorf("%s: %d without %q", query, w.Code, want)
		}
		run := savedFrom(t, s, id, "l2=0.0156&seed=3"+query)
		if back := s.stratifyOf(context.Background(), run); !strings.Contains(back, query) {
			t.Errorf("%s: the run leads back to %q", query, back)
		}
		if text := runText(t, s, run.ID); !strings.Contains(text, "Added label noise") || !strings.Contains(text, format.LabelNoise(run.Spec.Noise)) {
			t.Errorf("%s: the run does not name its noise", query)
		}
		spoilt[query] = flippedOf(t, s, run)
	}
	for row := range spoilt["&noise=random"] {
		if !spoilt["&noise=random&rate=0.25"][row] {
			t.Errorf("row %d is spoilt at 10 %% and not at 25 %%", row)
		}
	}
	if len(spoilt["&noise=random&rate=0.25"]) != 142 {
		t.Errorf("%d rows are spoilt in the run, want those of the page", len(spoilt["&noise=random&rate=0.25"]))
	}
}

// savedFrom saves a state of the page and waits for its run.
func savedFrom(t *testing.T, s *Server, id, query string) store.Run {
	t.Helper()
	w := ask(s, "POST", "/stratify/"+id+"/save", query, "Content-Type: application/x-www-form-urlencoded", browser)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%s: saved with %d %s", query, w.Code, w.Body)
	}
	return finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
}

// flippedOf are the corrupted rows of a run. Every row is evaluated once, with its class in the file.
func flippedOf(t *testing.T, s *Server, run store.Run) map[int]bool {
	t.Helper()
	r := run.Result
	if f := r.Flow; f.Scored != 569 || f.ScoredEvents != 212 || f.TrainedEvents != 212 {
		t.Errorf("%v: %d rows with %d events judge, want 569 with 212", run.Spec.Noise, f.Scored, f.ScoredEvents)
	}
	rows, err := s.db.RunRows(context.Background(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]bool{}
	for _, row := range rows {
		if row.Flipped {
			all[row.Row] = true
		}
	}
	if len(all) != r.Flow.Flipped || len(all) == 0 {
		t.Errorf("%v: %d rows are spoilt, the flow says %d", run.Spec.Noise, len(all), r.Flow.Flipped)
	}
	return all
}

// TestStratifyNoiseByHand injects label noise in Chromium by list and slider.
func TestStratifyNoiseByHand(t *testing.T) {
	p, b := ownTab(t)
	at := "/stratify/" + p.sampleID("wdbc.csv")
	b.open(at + "?l2=0.0156")
	b.drawn()
	choose := func(kind string) {
		b.do(chromedp.Focus("#noise"))
		b.exec(`(() => { const m = document.querySelector('#noise'); m.value = '` + kind + `'; m.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	}
	choose("random")
	b.wait(`location.search === '?l2=0.0156&noise=random' && document.querySelector('#r-noise').innerText.startsWith('57 of 569 training labels')`)
	b.steer("n-rate", kb.PageUp)
	b.wait(`location.search === '?l2=0.0156&noise=random&rate=0.2' && document.querySelector('#r-noise').innerText.startsWith('114 of 569 training labels')`)
	b.wait(`document.querySelector('#n-rate [data-note]').innerText === '20\u00a0%' && document.querySelector('#r-doubts').innerText.includes('114 of 569')`)
	if got := eval[string](b, `document.activeElement.id`); got != "n-rate-range" {
		t.Errorf("the focus went to %q", got)
	}
	choose("class")
	b.wait(`document.querySelector('#n-rate_positive-range') && document.querySelector('#n-rate_negative-range') && !document.querySelector('.is-stale')`)
	everyLook(b, "stratify-noise", at+"?l2=0.0156&noise=class&rate_positive=0.2&rate_negative=0.05")
	choose("none")
	b.wait(`location.search === '?l2=0.0156' && document.querySelector('#r-noise').innerText.startsWith('Off')`)
}
