package web

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/web/live"
)

// TestNomogramAddsUp: the sum of points is linear in the score of the model, for numbers, levels and missing
// values.
func TestNomogramAddsUp(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "logistic", .3, .6))
	m, err := s.db.RunModel(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := "/runs/" + r.ID + "/nomogram"
	if html := ask(s, http.MethodGet, at, "", browser).Body.String(); !strings.Contains(html, "points-mark") || !strings.Contains(html, " points: Band ") {
		t.Fatalf("the page has no points: %s", plain(html))
	}
	listed := regexp.MustCompile(`id="n\d+-points"`)
	if html := ask(s, http.MethodGet, at, "", browser).Body.String(); len(listed.FindAllString(html, -1)) != len(m.Columns) {
		t.Errorf("%d of %d columns list their points", len(listed.FindAllString(html, -1)), len(m.Columns))
	}
	answer := func(sent url.Values) (points, score float64) {
		t.Helper()
		w := ask(s, http.MethodPost, at, sent.Encode(), "Content-Type: application/x-www-form-urlencoded", "Accept: application/json")
		var a live.Answer
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		said := regexp.MustCompile(`([−\d]+) points:.*Score ([−\d.]+)`).FindStringSubmatch(plain(a.Parts["nomogram-answer"]))
		if said == nil {
			t.Fatalf("%s", a.Parts["nomogram-answer"])
		}
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		return number(said[1]), number(said[2])
	}
	var all [][2]float64
	note := func(sent url.Values) {
		p, f := answer(sent)
		all = append(all, [2]float64{p, f})
	}
	note(url.Values{})
	for i, c := range m.Columns {
		name := "v" + strconv.Itoa(i)
		if c.Kind == "number" {
			note(url.Values{name: {fmt.Sprint(c.Min)}})
			note(url.Values{name: {fmt.Sprint(c.Max)}})
		}
		for _, level := range c.Categories() {
			note(url.Values{name: {level}})
		}
		note(url.Values{name: {""}})
		w := ask(s, http.MethodPost, at, url.Values{name: {""}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
		if said := plain(w.Body.String()); c.Kind == "number" && !strings.Contains(said, " points, missing") {
			t.Errorf("the points of a missing %s are not listed", c.Name)
		}
	}
	least, most := all[0], all[0]
	for _, a := range all {
		if a[1] < least[1] {
			least = a
		}
		if a[1] > most[1] {
			most = a
		}
	}
	unit := (most[1] - least[1]) / (most[0] - least[0])
	if !(unit > 0) || most[0]-least[0] < 20 {
		t.Fatalf("from %v to %v", least, most)
	}
	for _, a := range all {
		if want := least[1] + unit*(a[0]-least[0]); math.Abs(a[1]-want) > 2*unit+.02 {
			t.Errorf("%g points are score %g, on the line it is %.3f", a[0], a[1], want)
		}
	}
}

// TestNomogramByKeyboard moves a value by keys: its mark and the prediction follow, and the address contains no
// value.
func TestNomogramByKeyboard(t *testing.T) {
	p, b := ownTab(t)
	id := overAPI(t, p.base, "POST", "/api/v1/runs", `{"dataset":"`+p.sampleID("wdbc.csv")+`","outcome":"diagnosis","positive":"malignant",
		"predictors":["mean_radius","mean_texture","mean_smoothness","mean_symmetry"],"boundaries":[0.25,0.5,0.75],
		"model":{"loss":"logistic","l2":0.01},"seed":7}`)["id"].(string)
	doneOverAPI(t, p.base, id)
	b.open("/runs/" + id + "/group")
	b.exec(`document.activeElement.blur()`)
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.wait(`location.pathname.endsWith('/nomogram')`)
	everyLook(b, "nomogram", "/runs/"+id+"/nomogram")
	b.hall()
	b.open("/runs/" + id + "/nomogram")
	b.fills("nomogram")
	before, chart := b.text("#nomogram-answer"), eval[string](b, `document.querySelector('#nomogram').innerHTML`)
	first := eval[string](b, `document.querySelector('.nm [data-slider]').id`)
	b.steer(first, kb.PageUp, kb.PageUp)
	b.wait(fmt.Sprintf(`document.querySelector('#nomogram-answer').innerText !== %q`, before))
	b.wait(`document.querySelector('#nomogram').innerHTML !== ` + quote(chart))
	if got := eval[string](b, `location.search`); got != "" {
		t.Errorf("the address says %q", got)
	}
	b.steer(first, kb.Escape)
	b.wait(`location.pathname.endsWith('/model')`)
}
