package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/app/datasets"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/page/playground"
)

// playAt is the live answer to a query.
func playAt(t *testing.T, s *Server, query string) (*playground.Answer, error) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return s.play.Live(t.Context(), q)
}

const formOfBrowser = "Content-Type: application/x-www-form-urlencoded"

// Saved models are runs on the same points with the same noise.
func TestPlaygroundSaves(t *testing.T) {
	s, _ := testServer(t, Config{})
	save := func(query, which string) []store.Run {
		t.Helper()
		w := ask(s, "POST", "/playground/save", strings.ReplaceAll(query, ";", "%3B")+"&which="+which, formOfBrowser, "Origin: http://127.0.0.1:8080")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		runs, _, err := s.db.Runs(t.Context(), store.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range runs {
			runs[i] = finished(t, s, r.ID)
		}
		return runs
	}
	const query = "data=gmm&n=200&noise=random&rate=0.2&seed=5&b.method=tempered"
	runs := save(query, "both")
	if len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	if r := runs[0]; r.Spec.Noise.Rate != .2 || r.Spec.Seed != 5 || r.Result.Flow.Flipped != 40 {
		t.Errorf("spec %+v", r.Spec)
	}
	shown, err := playAt(t, s, query)
	if err != nil {
		t.Fatal(err)
	}
	if n := sameFlips(t, s, runs[0], shown); n != 40 {
		t.Errorf("%d rows flipped", n)
	}
	for _, query := range []string{
		"data=own&pts=0,0,0;1,1,1;2,2,1;3,1,0;0,2,0;1,3,1;2,1,0;3,3,1;4,4,1;5,1,0;1,5,1;2,4,1;0,1,0;5,0,0;4,1,0", "data=moons&n=150&a.features=quadratic", "data=moons&n=150&a.features=rbf",
		"data=long-servedio-2d&n=200", "data=kimes-1.2&n=200&a.method=interval", "data=blobs&n=150&noise=random", "data=moons&n=120&a.kernel=rbf&a.method=hinge&a.gamma=1&noise=random",
	} {
		save(query, "a")
	}
	_, sets, err := s.db.Datasets(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := ask(s, "POST", "/playground/save", "data=blobs&noise=large-margin&which=both", formOfBrowser, "Origin: http://127.0.0.1:8080")
	if _, n, _ := s.db.Datasets(t.Context(), 1, 0); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "another kind") || n != sets {
		t.Errorf("noise that no run of several classes has: %d %s, %d datasets more", w.Code, w.Body, n-sets)
	}
	w = ask(s, "POST", "/playground/save", "data=moons&a.l2=no&which=a", formOfBrowser, "Origin: http://127.0.0.1:8080")
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "a.l2") {
		t.Errorf("a state with problems: %d %s", w.Code, w.Body)
	}
}

// A model that no run can have is refused before a dataset or the other model's run is made.
func TestPlaygroundSavesAllOrNothing(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, query := range []string{"data=own&pts=0,0,0;1,1,1;2,2,0;3,1,0;0,2,0;1,3,0;2,1,0;3,3,0;4,4,1", "data=own&test=0.5&pts=0,0,0;1,1,1;2,2,0;3,1,0;0,2,0;1,3,0;2,1,0;3,3,0&noise=random&rate=0.5"} {
		w := ask(s, "POST", "/playground/save", strings.ReplaceAll(query, ";", "%3B")+"&which=both&b.features=quadratic", formOfBrowser, "Origin: http://127.0.0.1:8080")
		_, sets, err := s.db.Datasets(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if runs, _, err := s.db.Runs(t.Context(), store.RunFilter{}); err != nil || w.Code != http.StatusUnprocessableEntity || sets != 0 || len(runs) != 0 {
			t.Errorf("%s: %d %s, %d datasets, %d runs: %v", query, w.Code, w.Body, sets, len(runs), err)
		}
	}
}

// sameFlips checks that a run flipped the same points as the playground, and returns their number.
func sameFlips(t *testing.T, s *Server, r store.Run, shown *playground.Answer) int {
	t.Helper()
	rows, err := s.db.RunRows(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	flipped := 0
	for _, row := range rows {
		if row.Flipped != shown.Points.Flipped[row.Row] {
			t.Fatalf("%s, row %d: flipped in the run %v, in the playground %v", r.Name, row.Row, row.Flipped, !row.Flipped)
		}
		if row.Flipped {
			flipped++
		}
	}
	return flipped
}

// Points from a dataset: two columns; all predictors with the others at their median; and a run of the state.
func TestPlaygroundDatasets(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	at := func(query string) *playground.Answer {
		t.Helper()
		a, err := playAt(t, s, "data=dataset:"+d.ID+query)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := a.Models.A, a.Models.B; x.Error+y.Error != "" || len(x.Surface.Levels) != 10000 || len(y.Surface.Levels) != 10000 {
			t.Errorf("%s: %s %s", query, x.Error, y.Error)
		}
		return a
	}
	table, err := s.datasets.Table(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	numeric := slices.DeleteFunc(datasets.Predictors(d, table), func(name string) bool { return table.Column(name).Num == nil })
	two := at("&noise=random")
	if len(numeric) < 2 || two.Axes.X.Name != numeric[0] || two.Axes.Y.Name != numeric[1] {
		t.Errorf("axes %s and %s of %v", two.Axes.X.Name, two.Axes.Y.Name, numeric)
	}
	if two.Axes.Note != "" || !strings.Contains(two.Sentence, "held-out clean points") {
		t.Errorf("%s %s", two.Axes.Note, two.Sentence)
	}
	if other := at("&noise=random&cx=" + numeric[1] + "&cy=" + numeric[0] + "&b.features=rbf"); other.Axes.X.Name != numeric[1] {
		t.Errorf("across stands %s", other.Axes.X.Name)
	}
	if all := at("&use=all&noise=symmetric&a.method=boost"); !strings.Contains(all.Axes.Note, "median") {
		t.Errorf("all columns: %q", all.Axes.Note)
	}
	for query, want := range map[string]string{"&cx=nonesuch": "numeric predictor", "&outcome=nonesuch": "outcome"} {
		if _, err := playAt(t, s, "data=dataset:"+d.ID+query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
	w := ask(s, "POST", "/playground/save", "data=dataset:"+d.ID+"&noise=random&which=b", formOfBrowser, "Origin: http://127.0.0.1:8080")
	r := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if r.Spec.Dataset != d.ID || len(r.Spec.Predictors) != 2 || r.Spec.Validation.Test != .3 {
		t.Errorf("spec %+v", r.Spec)
	}
}

// The page of a state has its status; an invalid state gives a message and shows the rest.
func TestPlaygroundPage(t *testing.T) {
	s, _ := testServer(t, Config{})
	for query, want := range map[string]struct {
		status int
		text   string
	}{"": {200, `id="play-data"`}, "?present=1": {200, "presents"}, "?rate=9": {422, "The rest is shown."}, "?data=own&pts=0,0,0": {422, "too few"}} {
		w := ask(s, "GET", "/playground"+query, "", browser)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d, %q is there: %v", query, w.Code, want.text, strings.Contains(w.Body.String(), want.text))
		}
	}
	if w := ask(s, "GET", "/playground/probe?x=0&y=0", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "score") {
		t.Errorf("probe: %d %s", w.Code, w.Body)
	}
}

// A file of three classes starts with suitable methods and no warning; an unsuitable method is reported once, with
// its control.
func TestPlaygroundOpensSeveralClasses(t *testing.T) {
	s, _ := testServer(t, Config{})
	var file strings.Builder
	file.WriteString("a,b,class\n")
	for i := range 150 {
		fmt.Fprintf(&file, "%d.%d,%d.%d,%s\n", i%3, i*7%10, 2*(i%3), i*3%10, []string{"setosa", "versicolor", "virginica"}[i%3])
	}
	d := bring(t, s, file.String())
	to := "/playground?outcome=class&data=dataset:" + d.ID
	w := ask(s, "GET", to, "", browser)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "stands in") {
		t.Errorf("three classes open with %d, a method stands in: %v", w.Code, strings.Contains(w.Body.String(), "stands in"))
	}
	w = ask(s, "GET", to+"&a.method=logistic", "", browser)
	if n := strings.Count(w.Body.String(), "Model A: Logistic"); w.Code != http.StatusUnprocessableEntity || n != 1 {
		t.Errorf("a method of two classes: %d, said %d times", w.Code, n)
	}
}

// The slider of a file ends at its number of rows, which is its value while all are used; the address then contains
// no number.
func TestPlaygroundCountsAFile(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, rows := range []int{90, 153, 506} {
		var file strings.Builder
		file.WriteString("a,b,sick\n")
		for i := range rows {
			fmt.Fprintf(&file, "%d.%d,%d.%d,%s\n", i%2+i%5, i*7%10, i%7, i*3%10, []string{"no", "yes"}[i%2])
		}
		d := bring(t, s, file.String())
		to := "outcome=sick&positive=yes&data=dataset:" + d.ID
		page := ask(s, "GET", "/playground?"+to, "", browser).Body.String()
		slider := regexp.MustCompile(`(?s)id="pg-n".*?</div>`).FindString(page)
		if want := fmt.Sprintf(`value="%d"`, rows); rows < 100 && slider != "" || rows >= 100 && !strings.Contains(slider, want) {
			t.Errorf("%d rows: the slider is %q", rows, slider)
		}
		if rows < 100 {
			continue
		}
		for n, keeps := range map[int]bool{rows: false, 100: true} {
			a, err := playAt(t, s, fmt.Sprintf("%s&n=%d", to, n))
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Points.X) != n || strings.Contains(a.URL, "&n=") != keeps {
				t.Errorf("%d of %d rows: %d points at %s", n, rows, len(a.Points.X), a.URL)
			}
		}
	}
}

// A saved run holds out the same points, flips the same labels to the same classes, and has the same number
// correct.
func TestPlaygroundSavesTheSplit(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, query := range []string{
		"data=gmm&n=300&noise=random&rate=0.2&seed=5&test=0.3&b.method=tempered", "data=moons&n=250&noise=large-margin&test=0.25&b.method=alpha", "data=moons&n=250&test=0.25&noise=random&b.features=quadratic&b.method=alpha",
		"data=blobs&n=300&noise=random&rate=0.3&test=0.4&b.method=al-zero-one", "data=ordinal-stripes&n=300&noise=symmetric&test=0.3&b.method=all-threshold", "data=kimes-1.2&n=300&noise=class&rate=0.2&rate0=0.1&test=0.3&b.method=interval",
	} {
		shown, err := playAt(t, s, query)
		if err != nil {
			t.Fatal(err)
		}
		w := ask(s, "POST", "/playground/save", query+"&which=b", formOfBrowser, "Origin: http://127.0.0.1:8080")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		r := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
		rows, err := s.db.RunRows(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if (row.Split == "test") != shown.Points.Test[row.Row] {
				t.Fatalf("%s: row %d is %s in the run, held out in the playground %v", query, row.Row, row.Split, shown.Points.Test[row.Row])
			}
		}
		if n := sameFlips(t, s, r, shown); n != r.Result.Flow.Flipped || n == 0 {
			t.Errorf("%s: %d points flipped, %d rows", query, n, r.Result.Flow.Flipped)
		}
		accuracy := r.Result.Metrics.Test.Accuracy
		if c := r.Result.Classes; c != nil {
			accuracy = c.Metrics.Test.Accuracy
		}
		if got, want := viz.Percent(*accuracy, 1), shown.Table.Rows[0][2]; got != want {
			t.Errorf("%s: the run gets %s %% right, the playground %s %%", query, got, want)
		}
	}
}
