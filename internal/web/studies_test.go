package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/store"
	"taper/internal/web/page/studyform"
	"taper/internal/web/page/studyreport"
)

// TestStudyPages: every page of every preset works, names the figure it reproduces, and has the chart option, the
// table, the protocol and the call.
func TestStudyPages(t *testing.T) {
	s, _ := testServer(t, Config{})
	list := ask(s, "GET", "/studies", "", browser)
	if list.Code != 200 {
		t.Fatalf("/studies: %d", list.Code)
	}
	for _, p := range paper.Presets {
		if !strings.Contains(list.Body.String(), `href="/studies/preset/`+p.ID+`"`) {
			t.Errorf("/studies does not lead to %s", p.ID)
		}
		w := ask(s, "GET", "/studies/preset/"+p.ID, "", browser)
		body := w.Body.String()
		if w.Code != 200 || !strings.Contains(body, `&#34;preset&#34;: &#34;`+p.ID+`&#34;`) || !strings.Contains(body, p.Figure) || strings.Contains(body, "\ufffd") {
			t.Errorf("%s: %d, %.300s", p.ID, w.Code, body)
		}
		if r, ok := stored.Get(p.ID); ok {
			if p.Drawing.Kind != study.DrawTable && !strings.Contains(body, `id="study-0-option"`) {
				t.Errorf("%s draws nothing", p.ID)
			}
			if !strings.Contains(body, "Taper "+r.Version+", "+studyreport.DayWords(r.Date)) || len(p.References) > 0 && !strings.Contains(body, "Reference numbers") {
				t.Errorf("%s: not labelled, or without its references", p.ID)
			}
		}
		if form := ask(s, "GET", "/studies/new?preset="+p.ID, "", browser); form.Code != 200 || !strings.Contains(form.Body.String(), `value="full"`) {
			t.Errorf("form of %s: %d", p.ID, form.Code)
		}
		for _, m := range p.Drawing.Metrics {
			if w := ask(s, "GET", "/studies/preset/"+p.ID+"?metric="+m.ID+"&page=2&setting=0", "", browser); w.Code != 200 {
				t.Errorf("%s by %s: %d", p.ID, m.ID, w.Code)
			}
		}
	}
	for path, want := range map[string]int{"/studies/preset/none": 404, "/studies/s0": 404, "/studies/new?preset=none": 404, "/studies/new?grid=sypherd-fig3": 404,
		"/studies/preset/sypherd-fig5?metric=none": 422, "/studies/preset/sypherd-fig5?page=x": 422, "/studies/preset/sypherd-fig5?page=9999": 200, "/studies/preset/none/cells.csv": 404,
		"/robustness?rate=0.123": 422, "/robustness?rate=NaN": 422, "/robustness?scene=5": 422, "/robustness?model=40": 422, "/robustness?study=s0": 404} {
		if w := ask(s, "GET", path, "", browser); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

// TestStudySets: the page of a preset also shows its results on datasets that are not part of the program, in the
// table, its summary rows, the verdicts and the files, and names their source. A user's study has only its own
// cells.
func TestStudySets(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, p := range paper.Presets {
		shipped, _ := studyreport.ShippedOf(p)
		if len(shipped.Sets) == 0 {
			continue
		}
		path := "/studies/preset/" + p.ID
		body := tags.ReplaceAllString(ask(s, "GET", path, "", browser).Body.String(), " ")
		body = strings.Join(strings.Fields(html.UnescapeString(body)), " ")
		lines := strings.Count(ask(s, "GET", path+"/cells.csv", "").Body.String(), "\n")
		cells, references := len(shipped.Cells), len(p.References)
		for _, r := range shipped.Sets {
			set, _ := p.SetByResult(r.ID)
			cells += len(r.Cells)
			references += len(set.References)
			for _, want := range []string{fmt.Sprintf(" %s %s ", set.Name, phrase.Int(set.Rows)), set.Package, r.Cells[0].Data, set.Why} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: no %q", r.ID, want)
				}
			}
		}
		if lines != cells+1 {
			t.Errorf("%s: %d lines for %d cells", p.ID, lines, cells)
		}
		if !strings.Contains(body, "make paper-data") || !strings.Contains(body, p.Data.Absent) {
			t.Errorf("%s: nothing of the data", p.ID)
		}
		if !p.Drawing.Totals {
			continue
		}
		verdicts := strings.Count(body, " Fathony et al. 2018, Table ")
		if verdicts != references || !strings.Contains(body, "as in "+p.Data.Figure) {
			t.Errorf("%s: %d verdicts for %d references, or nothing of the paper’s table", p.ID, verdicts, references)
		}
		var first []study.Cell
		for _, c := range shipped.AllCells() {
			if c.Metric == p.Drawing.Metrics[0].ID {
				first = append(first, c)
			}
		}
		for _, total := range study.Totals(first, p.Drawing.Metrics[0].Higher) {
			row := fmt.Sprintf(" %s %s %d %.3f %d ", total.Group, total.Model, total.Sets, total.Mean, total.Best)
			if !strings.Contains(body, row) {
				t.Errorf("%s: no summary row %q", p.ID, row)
			}
		}
	}
	cells, err := json.Marshal(mustShipped(t, "fathony-table2"))
	var back studyreport.Shipped
	if err != nil || json.Unmarshal(cells, &back) != nil || len(back.Sets) == 0 || len(back.Sets[0].SHA256) != 64 {
		t.Errorf("the JSON has no sets: %v", err)
	}
	own, err := studyreport.New("/studies/x", back.Spec, back.Cells, studyreport.State{Page: 1, Setting: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range own.Body() {
		if section.ID == "data" {
			t.Error("a study of iris lists other sets")
		}
	}
}

func mustShipped(t *testing.T, id string) studyreport.Shipped {
	t.Helper()
	p, _ := paper.Presets.ByID(id)
	r, ok := studyreport.ShippedOf(p)
	if !ok {
		t.Fatalf("nothing of %s ships", id)
	}
	return r
}

// TestStoredFiles: a stored result is available as CSV with every replicate and as JSON that parses.
func TestStoredFiles(t *testing.T) {
	s, _ := testServer(t, Config{})
	r, _ := stored.Get("sypherd-fig4")
	values := 0
	for _, c := range r.Cells {
		values += len(c.Values)
	}
	rows := strings.Count(ask(s, "GET", "/studies/preset/sypherd-fig4/cells.csv?of=replicates", "").Body.String(), "\n")
	cells := strings.Count(ask(s, "GET", "/studies/preset/sypherd-fig4/cells.csv", "").Body.String(), "\n")
	if rows != values+1 || cells != len(r.Cells)+1 || values < 100 {
		t.Errorf("%d lines of replicates and %d of cells for %d values in %d cells", rows, cells, values, len(r.Cells))
	}
	var back stored.Result
	if err := json.Unmarshal(ask(s, "GET", "/studies/preset/sypherd-fig4/result.json", "").Body.Bytes(), &back); err != nil || !cmp.Equal(back, r) {
		t.Errorf("the JSON does not read back: %v", err)
	}
}

// encoded posts a form.
func encoded(s *Server, path string, pairs ...string) (code int, location, body string) {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	w := ask(s, "POST", path, v.Encode(), "Content-Type: application/x-www-form-urlencoded", browser)
	return w.Code, w.Header().Get("Location"), w.Body.String()
}

// TestStudyForm starts a grid and a preset from forms; errors are returned with the input.
func TestStudyForm(t *testing.T) {
	s, _ := testServer(t, Config{})
	code, to, body := encoded(s, "/studies", "data", "g:gmm", "rows", "200", "model", studyform.Roster[0], "more", "linear alpha alpha=3 l2=0.01", "noise", "class", "rates", "0 12,5; 25", "replicates", "3", "test", "30", "metric", "auc", "seed", "5", "name", "mine")
	if code != 303 || !strings.HasPrefix(to, "/studies/s") {
		t.Fatalf("%d %s %s", code, to, body)
	}
	v := studyAt(t, s, strings.TrimPrefix(to, "/studies/"), done)
	if len(v.Cells) != 6 || v.Cells[0].N != 3 || v.Spec.Noise.Rates[1] != 0.125 || v.Spec.Noise.Negative[2] != 0 || v.Spec.Test != 0.3 || v.Name != "mine" {
		t.Errorf("%+v", v)
	}
	page := ask(s, "GET", to, "", browser).Body.String()
	for _, want := range []string{"Paired differences", `id="study-0-option"`, "α-loss, α = 3", "/robustness?study=", "cells.csv?of=replicates"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if again := ask(s, "GET", "/studies/new?study="+v.ID, "", browser).Body.String(); !strings.Contains(again, "linear alpha alpha=3 l2=0.01") || !strings.Contains(again, `value="12.5"`) && !strings.Contains(again, "0 12.5 25") {
		t.Errorf("the form of a study is not filled in")
	}
	if code, to, _ := encoded(s, "/studies", "preset", "sypherd-fig3", "size", "smoke", "seed", "2"); code != 303 {
		t.Errorf("preset: %d %s", code, to)
	}
	for _, wrong := range [][]string{
		{"data", "g:gmm", "rates", "0"}, {"data", "g:none", "model", studyform.Roster[0]}, {"data", "g:gmm", "model", "linear nothing"}, {"data", "g:gmm", "model", studyform.Roster[0], "rates", "140"},
		{"data", "g:gmm", "model", studyform.Roster[0], "replicates", "0x1"}, {"data", "d:none", "model", studyform.Roster[0]}, {"preset", "sypherd-fig3", "size", "huge"}, {"preset", "none"},
	} {
		code, _, body := encoded(s, "/studies", wrong...)
		if code != 422 || !strings.Contains(body, "The study was not started.") {
			t.Errorf("%v: %d %.200s", wrong, code, body)
		}
	}
}

// TestRobustnessRun recomputes the page from its form: the summary, the histogram and the scenes come from the
// study.
func TestRobustnessRun(t *testing.T) {
	s, _ := testServer(t, Config{})
	code, to, body := encoded(s, "/robustness", "data", "g:long-servedio", "rows", "400", "model", studyform.Roster[0], "model", "linear t-logistic t=1.9 l2=0.5", "noise", "symmetric", "rates", "0 10", "replicates", "2", "seed", "3")
	if code != 303 || !strings.HasPrefix(to, "/robustness?study=") {
		t.Fatalf("%d %s %s", code, to, body)
	}
	id := strings.TrimPrefix(to, "/robustness?study=")
	v := studyAt(t, s, id, done)
	want := studyreport.Robustness(v.Spec, v.Cells, 0.1)
	st, err := s.db.Study(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	label := "400 rows, 2 replicates, seed 3. Taper " + st.Version + ", " + st.Finished.UTC().Format("2 January 2006") + "."
	page := ask(s, "GET", to, "", browser).Body.String()
	for _, part := range []string{want[0], "Computed here", label, "Weight ξ", "puller, flipped", "/studies/" + id} {
		if part == "" || !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for scene := 1; scene <= 4; scene++ {
		w := ask(s, "GET", fmt.Sprintf("%s&present=1&scene=%d", to, scene), "", browser)
		if w.Code != 200 || strings.Contains(w.Body.String(), `id="rb-form"`) || !strings.Contains(w.Body.String(), fmt.Sprintf("%d of 4", scene)) {
			t.Errorf("scene %d: %d", scene, w.Code)
		}
	}
	if code, _, _ := encoded(s, "/robustness", "data", "g:moons", "model", studyform.Roster[0], "rates", "10"); code != 422 {
		t.Errorf("one rate: %d", code)
	}
}

// large is a finished study with a given number of cells.
func large(t testing.TB, s *Server, rates, replicates int) store.Study {
	t.Helper()
	spec := study.Spec{Seed: 1, Replicates: replicates, Dataset: study.Source{Generator: "gmm"}, Metric: "accuracy"}
	for range rates {
		spec.Noise.Rates = append(spec.Noise.Rates, float64(len(spec.Noise.Rates))/1000)
	}
	spec = spec.WithDefaults()
	st := store.Study{ID: "sLARGE", Name: "large", Spec: spec, Units: rates, Version: s.cfg.Version}
	if err := s.db.CreateStudy(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	var p study.Plan
	values := study.Values{}
	for r := range replicates {
		u := study.Unit{ID: fmt.Sprint(r), Replicate: r}
		v := []float64{}
		for k := range 200 {
			for m := range rates {
				u.Keys = append(u.Keys, study.Key{Data: "gmm", Model: fmt.Sprintf("model %d", k), Noise: float64(m) / 1000, Metric: "accuracy"})
				v = append(v, float64((7*r+3*m+k)%1000)/1000)
			}
		}
		p.Units = append(p.Units, u)
		values[u.ID] = v
	}
	for _, step := range []func() error{
		func() error { return s.db.SetStudy(t.Context(), st.ID, store.Running, "") },
		func() error { return s.db.FinishStudy(t.Context(), st.ID, study.Summarise(p, values)) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// TestLargeStudy opens a study of 10,000 stored cells with 20 replicates.
func TestLargeStudy(t *testing.T) {
	s, _ := testServer(t, Config{})
	st := large(t, s, 50, 20)
	if w := ask(s, "GET", "/studies/"+st.ID, "", browser); w.Code != 200 || !bytes.Contains(w.Body.Bytes(), []byte("of 10\u202f000")) {
		t.Errorf("%d", w.Code)
	}
}

// BenchmarkLargeStudy opens it repeatedly: at most 300 ms.
func BenchmarkLargeStudy(b *testing.B) {
	s, _ := testServer(b, Config{})
	st := large(b, s, 50, 20)
	for b.Loop() {
		ask(s, "GET", "/studies/"+st.ID, "", browser)
	}
}

// TestStudiesFilter: the list contains what its address selects, grouped, with one line per figure.
func TestStudiesFilter(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, c := range []struct {
		name, query string
		rows        int
		has, hasNot []string
	}{
		{"all", "", 26, []string{"fig4", "fig17", "kimes-fig8a", "amid-fig2"}, nil},
		{"a paper", "?paper=kimes", 3, []string{"kimes-fig6a"}, []string{"amid-", "sypherd-"}},
		{"replicated", "?verdict=replicated", 11, []string{"sypherd-fig17", "kimes-fig7"},
			[]string{"ding-fig3", "sypherd-fig5", "kimes-fig6", "amid-fig2"}},
		{"differs", "?verdict=differs", 10, []string{"ding-fig3", "sypherd-fig5", "kimes-fig6", "amid-sweeps"},
			[]string{"sypherd-fig17", "amid-table2", "fathony-table5"}},
		{"both", "?paper=fathony&verdict=no-number", 2, []string{"fathony-table5", "fathony-thresholds"}, []string{"fathony-table4"}},
		{"none", "?paper=kimes&verdict=replicated&offset=6", 1, []string{"kimes-fig7", `href="/studies?offset=6"`}, nil},
	} {
		w := ask(s, "GET", "/studies"+c.query, "", browser)
		_, table, _ := strings.Cut(w.Body.String(), `aria-label="Figures and tables of the papers"`)
		if rows := strings.Count(table, `<th scope="row">`); w.Code != 200 || rows != c.rows {
			t.Errorf("%s: %d, %d rows, want %d", c.name, w.Code, rows, c.rows)
		}
		for _, part := range c.has {
			if !strings.Contains(table, part) {
				t.Errorf("%s: no %s", c.name, part)
			}
		}
		for _, part := range c.hasNot {
			if strings.Contains(table, "/"+part) {
				t.Errorf("%s: %s is there", c.name, part)
			}
		}
	}
	for _, query := range []string{"?paper=none", "?verdict=none", "?offset=-1"} {
		if w := ask(s, "GET", "/studies"+query, "", browser); w.Code != 422 {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
}

// TestStudiesOwn: the list pauses running studies, resumes paused ones, and asks before it deletes.
func TestStudiesOwn(t *testing.T) {
	s, _ := testServer(t, Config{})
	spec := study.Spec{Seed: 1, Replicates: 2, Dataset: study.Source{Generator: "gmm"}, Metric: "accuracy"}.WithDefaults()
	for status, control := range map[string]string{store.Queued: "pause", store.Paused: "resume", store.Failed: "resume"} {
		st := store.Study{ID: "s" + status, Name: "mine, " + status, Spec: spec, Units: 4, Version: s.cfg.Version}
		if err := s.db.CreateStudy(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		if status != store.Queued {
			if err := s.db.SetStudy(t.Context(), st.ID, status, ""); err != nil {
				t.Fatal(err)
			}
		}
		body := ask(s, "GET", "/studies?paper=kimes", "", browser).Body.String()
		for _, want := range []string{`action="/studies/` + st.ID + "/" + control + `"`, `href="/studies/` + st.ID + `/delete"`, "0 of 4"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s", status, want)
			}
		}
	}
}

// TestStudyPicture: the picture of a preset is cacheable without limit under the address in the list, and not under
// another.
func TestStudyPicture(t *testing.T) {
	s, _ := testServer(t, Config{})
	list := ask(s, "GET", "/studies", "", browser).Body.String()
	_, rest, found := strings.Cut(list, `<img src="/studies/preset/sypherd-fig5/picture.svg?v=`)
	hash, _, _ := strings.Cut(rest, `"`)
	if !found || len(hash) != 12 {
		t.Fatalf("no picture: %.80q", rest)
	}
	for query, want := range map[string]string{"?v=" + hash: "public, max-age=31536000, immutable", "?v=0": "no-store", "": "no-store"} {
		w := ask(s, "GET", "/studies/preset/sypherd-fig5/picture.svg"+query, "")
		if w.Code != 200 || w.Header().Get("Cache-Control") != want || w.Header().Get("Content-Type") != "image/svg+xml" ||
			!strings.HasPrefix(w.Body.String(), "<svg ") {
			t.Errorf("%q: %d, %v, %.60s", query, w.Code, w.Header(), w.Body.String())
		}
	}
	if w := ask(s, "GET", "/studies/preset/none/picture.svg", ""); w.Code != 404 {
		t.Errorf("of no preset: %d", w.Code)
	}
	if n := strings.Count(list, "<img "); n != 26 || strings.Count(list, `loading="lazy"`) != n {
		t.Errorf("%d pictures", n)
	}
}

// TestNotReplicated: the view contains every published number from which ours differ, with both numbers and the
// reason, and every claim with our result and its interval.
func TestNotReplicated(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := ask(s, "GET", "/studies/not-replicated", "", browser)
	body := strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(w.Body.String(), " "))), " ")
	numbers, claims := 0, 0
	for _, p := range paper.Presets {
		shipped, _ := studyreport.ShippedOf(p)
		cells := shipped.AllCells()
		for _, v := range p.Verdicts(cells) {
			if v.Holds {
				continue
			}
			if numbers++; v.Differs == "" || !strings.Contains(body, phrase.UpperFirst(v.Differs)[:30]) {
				t.Errorf("%s: no reason for %s: %s", p.ID, v.Name(), v.Differs)
			}
		}
		for _, n := range p.Notes {
			if n.Claim == "" {
				continue
			}
			claims++
			got := n.Finding(cells)
			if got == "" || n.Text == "" || !strings.Contains(got, "95\u00a0% CI") && !slices.Contains([]string{"amid-sweeps", "sypherd-fig3"}, p.ID) {
				t.Errorf("%s: we get %q", p.ID, got)
			}
			for _, part := range []string{n.Claim, got, n.Text} {
				if !strings.Contains(body, strings.Join(strings.Fields(part), " ")) {
					t.Errorf("%s: the view lacks %q", p.ID, part)
				}
			}
			if !strings.Contains(w.Body.String(), `id="`+p.ID+`"`) {
				t.Errorf("no address leads to %s", p.ID)
			}
		}
	}
	if numbers != 5 || claims != 7 || !strings.HasPrefix(body[strings.Index(body, "Seven claims"):], "Seven claims of the papers did not hold") {
		t.Errorf("%d numbers and %d claims: %.300s", numbers, claims, body)
	}
}

// BenchmarkStudies requests the list, compressed.
func BenchmarkStudies(b *testing.B) {
	s, _ := testServer(b, Config{})
	for b.Loop() {
		ask(s, "GET", "/studies", "", browser, "Accept-Encoding: gzip")
	}
}

// ownCode matches our internal codes of papers, sections and errata, which readers do not know.
var ownCode = regexp.MustCompile(`reference-numbers|errata\.md|clinical\.md|\b[Pp]aper 00\d|\b00[0-4](-\d+|,? (§|Table|Figure|Theorem|equation))`)

// TestStudiesNameNoCodes: pages of studies cite papers by author and year, and use no home-made words.
func TestStudiesNameNoCodes(t *testing.T) {
	s, _ := testServer(t, Config{})
	paths := []string{"/studies", "/studies/not-replicated", "/studies/new", "/robustness"}
	for scene := 1; scene <= 4; scene++ {
		paths = append(paths, fmt.Sprintf("/robustness?present=1&scene=%d", scene))
	}
	for _, p := range paper.Presets {
		paths = append(paths, "/studies/preset/"+p.ID, "/studies/new?preset="+p.ID)
	}
	banned := regexp.MustCompile(`\b(judges?d?|spoil[ts]?|spoils|told apart|gives? up|given up|one a line|redone|border)\b`)
	for _, path := range paths {
		text := html.UnescapeString(tags.ReplaceAllString(ask(s, "GET", path, "", browser).Body.String(), " "))
		if found := ownCode.FindString(text); found != "" {
			t.Errorf("%s says %q", path, found)
		}
		if found := banned.FindString(text); found != "" {
			i := strings.Index(text, found)
			t.Errorf("%s says %q: %q", path, found, text[max(0, i-80):min(len(text), i+80)])
		}
	}
}
