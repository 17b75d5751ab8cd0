package web

import (
	"bytes"
	"context"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/page/report"
)

// TestCard: the card shows what the report prints, with the same masks, also as PNG.
func TestCard(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "logistic", .1, .3, .6, .9))
	at := "/report/" + r.ID + "/card"
	w := ask(s, http.MethodGet, at+".svg", "", browser)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Fatalf("%d %s", w.Code, w.Header())
	}
	masked, shown := w.Body.String(), ask(s, http.MethodGet, at+".svg?counts=shown", "", browser).Body.String()
	var rows []mask.Split
	for _, b := range r.Result.Strata {
		rows = append(rows, mask.Split{N: b.N, Events: b.Events})
		if !strings.Contains(shown, ">"+phrase.Int(b.N)+" rows<") {
			t.Errorf("with small counts it does not say %d rows", b.N)
		}
	}
	for _, b := range r.Result.Strata {
		low, high := stat.Wilson(b.Events, b.N)
		if text := strings.ReplaceAll(viz.Range(viz.Percent(low, 1), viz.Percent(high, 1)), phrase.Joiner, ""); !strings.Contains(shown, " % ("+text+")<") {
			t.Errorf("the interval of %d of %d is missing", b.Events, b.N)
		}
	}
	if !strings.Contains(masked, "risk of disease = yes") {
		t.Error("the card does not name the event")
	}
	print := mask.Hide(rows)
	if !print.Hidden() {
		t.Fatal("nothing is masked in this test")
	}
	for j, b := range print.Rows {
		if !strings.Contains(masked, ">"+strings.ReplaceAll(b.N.CountText(), phrase.Joiner, "")+" rows<") {
			t.Errorf("band %d is not printed with %s rows", j, b.N.CountText())
		}
	}
	d, err := s.reported(context.Background(), r, "", "", report.MaskSmall)
	if err != nil {
		t.Fatal(err)
	}
	c := report.Card(d, r.Result.Boundaries)
	if len(c.Sentences) == 0 || len(c.Bands) != 5 || c.SVG() != masked {
		t.Errorf("the card of the masked document is another: %+v", c)
	}
	if !strings.Contains(c.Head, "the range of possible rates, not a CI") || strings.Contains(shown, "framed") {
		t.Errorf("masked it says %q; shown it has the frame too, or not: %v", c.Head, strings.Contains(shown, "framed"))
	}
	for j, b := range c.Bands {
		if row := print.Rows[j]; b.Low != nil && b.Masked == row.Events.Shown() {
			t.Errorf("band %d with %s events is drawn as a masked one: %v", j, row.Events.CountText(), b.Masked)
		}
		if low, high, ok := print.Rows[j].Rates(); ok && b.Low != nil && !print.Rows[j].Events.Shown() && (*b.Low != low || *b.High != high) {
			t.Errorf("band %d is drawn from %g to %g, print says %g to %g", j, *b.Low, *b.High, low, high)
		}
	}
	w = ask(s, http.MethodGet, at+".png", "", browser)
	if _, err := png.Decode(bytes.NewReader(w.Body.Bytes())); err != nil || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%d %s %v", w.Code, w.Header(), err)
	}
	if w := ask(s, http.MethodGet, at+".png?counts=all", "", browser); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("counts=all: %d", w.Code)
	}
}
