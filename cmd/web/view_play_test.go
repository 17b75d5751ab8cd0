package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var playData = regexp.MustCompile(`(?s)<script id="play-data" type="application/json">(.*?)</script>`)

// TestPlayFirstHTML: without a script the page holds the sentence, the table,
// the drawings, and what the browser is to paint.
func TestPlayFirstHTML(t *testing.T) {
	s, _ := testServer(t, config{})
	w := ask(s, "GET", "/playground", "", browser)
	page := w.Body.String()
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	a := playAt(t, s.play, "")
	for _, want := range []string{
		a.Table.Rows[0][1], a.Table.Rows[0][2], // the clean accuracies
		`class="iso"`, `class="pg-ring"`, `data-bin="19"`, `<option value="tempered"`, `name="a.l2"`, `Same points`, `href="/playground?present=1"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{" style=", "<style", "onclick=", "NaN", "+Inf"} {
		if strings.Contains(page, never) {
			t.Errorf("the page holds %q", never)
		}
	}
	m := playData.FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no data to paint")
	}
	var data playAnswer
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Models.A.Surface.Levels) != 10000 || len(data.Points.X) != 300 || len(data.Models.B.Histogram.Bin) != 300 {
		t.Errorf("the data hold %d levels, %d points, %d bins", len(data.Models.A.Surface.Levels), len(data.Points.X), len(data.Models.B.Histogram.Bin))
	}
}

// TestPlayParts: a question that names what the page has is answered by what
// differs.
func TestPlayParts(t *testing.T) {
	s, _ := testServer(t, config{})
	live := func(query string) playAnswer {
		t.Helper()
		w := ask(s, "GET", "/playground/live?parts=1&"+query, "")
		var a playAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatalf("%v in %.200s", err, w.Body)
		}
		return a
	}
	first := live("")
	var had []string
	for id, mark := range first.Stamps {
		had = append(had, id+":"+mark)
	}
	known := "had=" + strings.Join(had, ",") + "&have=" + first.Hash + "&form=" + strings.ReplaceAll(first.Form, " ", "+")
	again := live(known)
	delete(again.Parts, "pg-table") // tells the time
	if len(again.Parts) != 0 || !again.Models.A.Surface.Same || again.Points != nil {
		t.Errorf("the same state sends %d parts, raster %v, points %v", len(again.Parts), !again.Models.A.Surface.Same, again.Points != nil)
	}
	moved := live(known + "&b.alpha=5")
	if moved.Parts["pg-b-surface-over"] == "" || moved.Parts["pg-a-surface-over"] != "" || moved.Parts["pg-b-par"] != "" {
		t.Error("a moved slider of B sends pictures of A, its own controls, or no picture of B")
	}
	other := live(known + "&b.method=logistic")
	if other.Parts["pg-b-par"] == "" || other.Parts["pg-a-par"] != "" || other.Parts["pg-side"] != "" {
		t.Error("another method of B brings other controls than those of B")
	}
}

// TestPlaySlidersMatch: every slider that words are sent for is on the page.
func TestPlaySlidersMatch(t *testing.T) {
	s, _ := testServer(t, config{})
	for _, h := range playMethods() {
		query := "?data=" + playPointsFor(h) + "&noise=class&rate=.1&b.method=" + h.ID
		if playPointsFor(h) != "gmm" {
			query = strings.Replace(query, "noise=class&", "", 1)
		}
		page := ask(s, "GET", "/playground"+query, "", browser).Body.String()
		w := ask(s, "GET", "/playground/live"+query+"&parts=1", "")
		var a playAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if len(a.Sliders) < 4 {
			t.Errorf("%s: words for %d sliders", h.ID, len(a.Sliders))
		}
		for id := range a.Sliders {
			if !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s: no slider %s on the page", h.ID, id)
			}
		}
	}
}
