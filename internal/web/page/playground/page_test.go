package playground

import (
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/viz"
	"taper/web/templates"
)

var pageData = regexp.MustCompile(`(?s)<script id="play-data" type="application/json">(.*?)</script>`)

// TestFirstHTML: without JavaScript the page has the summary, the table and the drawings, and the data that the
// script paints.
func TestFirstHTML(t *testing.T) {
	p := New(Config{})
	page, a := pageAt(t, p, ""), at(t, p, "")
	for _, want := range []string{
		a.Table.Rows[0][1], a.Table.Rows[0][2], // accuracies on clean points
		`class="iso"`, `class="pg-ring"`, `data-bin="19"`, `<option value="tempered"`, `name="l2"`, `Same points`, `href="/playground?present=1"`,
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
	m := pageData.FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no data to paint")
	}
	var data Answer
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Models.A.Surface.Levels) != 10000 || len(data.Points.X) != 300 || len(data.Models.B.Histogram.Bin) != 300 {
		t.Errorf("the data hold %d levels, %d points, %d bins", len(data.Models.A.Surface.Levels), len(data.Points.X), len(data.Models.B.Histogram.Bin))
	}
}

// TestKnownPointsAreJittered: an answer without the points, which the page has, still says that they are jittered; else
// the line would go and the page move.
func TestKnownPointsAreJittered(t *testing.T) {
	p := New(Config{})
	first := liveAt(t, p, "parts=1&data=long-servedio-2d")
	again := liveAt(t, p, "parts=1&data=long-servedio-2d&have="+first.Hash)
	if again.Points != nil || !strings.Contains(again.Parts["pg-key"], "Coincident points are jittered.") {
		t.Errorf("points %v, key %q", again.Points != nil, again.Parts["pg-key"])
	}
}

// TestParts: a request that lists the parts the page has is answered with the parts that differ.
func TestParts(t *testing.T) {
	p := New(Config{})
	live := func(query string) *Answer { return liveAt(t, p, "parts=1&"+query) }
	first := live("")
	var had []string
	for id, mark := range first.Stamps {
		had = append(had, id+":"+mark)
	}
	known := "had=" + strings.Join(had, ",") + "&have=" + first.Hash + "&form=" + strings.ReplaceAll(first.Keep["form"], " ", "+")
	again := live(known)
	delete(again.Parts, "pg-table") // contains times
	if len(again.Parts) != 0 || !again.Models.A.Surface.Same || again.Points != nil {
		t.Errorf("the same state sends %v, raster %v, points %v", slices.Collect(maps.Keys(again.Parts)), !again.Models.A.Surface.Same, again.Points != nil)
	}
	moved := live(known + "&b.alpha=5")
	if moved.Parts["pg-b-surface-over"] == "" || moved.Parts["pg-a-surface-over"] != "" || moved.Parts["pg-b-par"] != "" {
		t.Error("a moved slider of B sends pictures of A, its own controls, or no picture of B")
	}
	if noise := known + "&rate=.1"; live(noise + "&held=").Parts["pg-points"] != "" || live(noise).Parts["pg-points"] == "" {
		t.Error("the list of points comes while a slider is dragged, or not when it is released")
	}
	const onScreen = "&rate=.1&held=&drag=result,pg-a-surface-over"
	if drag := live(known + onScreen); drag.Parts["pg-a-surface-over"] == "" || drag.Parts["result"] == "" || len(drag.Parts) != 2 {
		t.Errorf("a drag that sees a surface and the sentence gets %v", slices.Collect(maps.Keys(drag.Parts)))
	}
	if end := live(known + "&rate=.1"); end.Parts["pg-a-lossbox"] == "" || end.Parts["pg-b-weightbox"] == "" {
		t.Errorf("the release after it gets %v", slices.Collect(maps.Keys(end.Parts)))
	}
	var stamps map[string]string
	text := regexp.MustCompile(`data-stamps="([^"]*)"`).FindStringSubmatch(pageAt(t, p, ""))
	if err := json.Unmarshal([]byte(html.UnescapeString(text[1])), &stamps); err != nil {
		t.Fatal(err)
	}
	if len(stamps) < 15 {
		t.Errorf("the page has %d stamps", len(stamps))
	}
	for id, stamp := range stamps {
		if id != "pg-table" && first.Stamps[id] != stamp { // the table contains times
			t.Errorf("the page has the part %s with stamp %q, an answer %q", id, stamp, first.Stamps[id])
		}
	}
	other := live(known + "&b.method=tempered")
	if other.Parts["pg-b-par"] == "" || other.Parts["pg-a-par"] != "" || other.Parts["pg-side"] != "" || other.Parts["pg-shared"] != "" {
		t.Error("another method of B brings other controls than those of B")
	}
}

// TestNamedColumnsAreTheSameControls: a form names columns that an address may leave out. If this counted as other
// controls, they would be sent again and replace the slider being dragged.
func TestNamedColumnsAreTheSameControls(t *testing.T) {
	p := New(Config{})
	const data = "data=long-servedio&parts=1&form="
	first := liveAt(t, p, data)
	known := data + strings.ReplaceAll(first.Keep["form"], " ", "+")
	if named := liveAt(t, p, known+"&cx=x1&cy=x2&rate=0"); named.Parts["pg-side"] != "" {
		t.Error("the columns by their names bring the controls again")
	}
	if other := liveAt(t, p, known+"&cx=x3"); other.Parts["pg-side"] == "" {
		t.Error("another column does not bring the controls that show it")
	}
}

// TestSlidersMatch: every slider for which texts are sent is on the page.
func TestSlidersMatch(t *testing.T) {
	p := New(Config{})
	for _, m := range methods {
		query := "noise=class&rate=.1&data=gmm&b.method=" + m.ID
		if m.Group == groupOrdered {
			query = "rate=.1&data=ordinal-stripes&b.method=" + m.ID
		}
		page, a := pageAt(t, p, query), liveAt(t, p, "parts=1&"+query)
		if len(a.Sliders) < 4 {
			t.Errorf("%s: words for %d sliders", m.ID, len(a.Sliders))
		}
		for id := range a.Sliders {
			if !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("%s: no slider %s on the page", m.ID, id)
			}
		}
	}
}

// TestSaveNote: what a run has in common with the page depends on the test points and on the noise.
func TestSaveNote(t *testing.T) {
	p := New(Config{})
	for query, want := range map[string]string{
		"test=.3&noise=random": "hold out the same points", "noise=random": "this page uses new points", "data=own": "true labels of the training points",
		"test=.3&b.features=quadratic": "other labels are flipped", "data=blobs&noise=small-margin": "choose another kind",
	} {
		if got := liveAt(t, p, "parts=1&"+query).Parts["pg-save-note"]; !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", query, got, want)
		}
	}
}

// pageAt is the HTML of the page of a query.
func pageAt(t *testing.T, p *Playground, text string) string {
	t.Helper()
	q, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Page(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	frame := templates.Page{Title: "Playground", Result: v.Sentence, Actions: templates.PlayActions(v.View)}
	if err := templates.PlayPage(frame, v.View).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// liveAt is the live answer to a query.
func liveAt(t *testing.T, p *Playground, text string) *Answer {
	t.Helper()
	q, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Live(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestChoosesThePlane: for points of many columns the page offers the columns of the axes, and a column requested
// twice is used once.
func TestChoosesThePlane(t *testing.T) {
	p := New(Config{})
	page := pageAt(t, p, "data=long-servedio&n=100&cx=x3&cy=x3")
	for _, want := range []string{`<option value="x3" selected`, `<option value="x2" selected`, `id="pg-cx"`, `id="pg-cy"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if page := pageAt(t, p, "data=gmm&n=100"); strings.Contains(page, `id="pg-cx"`) {
		t.Error("two columns leave nothing to choose")
	}
}

// TestCosts: costs are entered as rows; the default is squared distances.
func TestCosts(t *testing.T) {
	p := New(Config{})
	const query = "data=blobs&n=120&b.method=al-cost"
	if page := pageAt(t, p, query); !strings.Contains(page, `name="b.matrix"`) || !strings.Contains(page, `placeholder="0,1,4/1,0,1/4,1,0"`) {
		t.Error("the page offers no costs, or others than the default")
	}
	plain, dear, own := at(t, p, query), at(t, p, query+"&b.matrix=0,1,1/9,0,1/9,1,0"), at(t, p, query+"&b.matrix=0,1,4/1,0,1/4,1,0")
	if string(plain.Models.B.Surface.Levels) == string(dear.Models.B.Surface.Levels) || string(plain.Models.B.Surface.Levels) != string(own.Models.B.Surface.Levels) {
		t.Error("costs do not move the regions, or the default's do")
	}
	c, sum := dear.Models.B.verdict.Classes, 0.0
	for y, costs := range [][]float64{{0, 9, 9}, {1, 0, 1}, {1, 1, 0}} { // cost of each answer
		for answer, n := range c.Confusion[y] {
			sum += costs[answer] * float64(n) / float64(c.N)
		}
	}
	for _, r := range dear.Table.Rows {
		if r[0] == "Cost per point, by the costs of B" && r[2] == viz.Number(sum, 3) && r[1] != viz.None {
			return
		}
	}
	t.Errorf("no row says that B costs %.3f: %v", sum, dear.Table.Rows)
}

// TestParametersPlaced: the page places the parameters of a model by classes. A set of links takes two of three
// columns; two parameters have two columns.
func TestParametersPlaced(t *testing.T) {
	for query, want := range map[string][2]int{"b.method=alpha": {0, 0}, "b.method=tempered": {0, 0}, "b.method=interval": {1, 3}} {
		html := liveAt(t, New(Config{}), "parts=1&"+query).Parts["pg-b-par"]
		if wide, three := strings.Count(html, "par-wide"), strings.Count(html, "par-3"); wide != want[0] || three < want[1] ||
			(want[1] == 0) != (three == 0) {
			t.Errorf("%s: %d wide parts and %d of three columns", query, wide, three)
		}
	}
}
