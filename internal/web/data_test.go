package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"taper/internal/app/datasets"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// send posts a file with fields as a multipart form.
func send(t *testing.T, s http.Handler, path, file, content, accept string, fields ...string) *httptest.ResponseRecorder {
	t.Helper()
	body, kind := fileForm(t, file, content, fields...)
	return ask(s, "POST", path, body, "Content-Type: "+kind, accept)
}

// fileForm is a multipart form with a file, and its content type.
func fileForm(t *testing.T, file, content string, fields ...string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename=%q`, file))
	part, err := w.CreatePart(h)
	if err != nil {
		t.Fatal(err)
	}
	part.Write([]byte(content))
	w.Close()
	return b.String(), w.FormDataContentType()
}

// post sends an ordinary form.
func post(s http.Handler, path, accept string, fields ...string) *httptest.ResponseRecorder {
	form := url.Values{}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		form.Add(name, value)
	}
	return ask(s, "POST", path, form.Encode(), "Content-Type: application/x-www-form-urlencoded", accept)
}

const script = "Accept: application/json"

// bring uploads a file by the form and returns its dataset.
func bring(t *testing.T, s *Server, content string) store.Dataset {
	t.Helper()
	w := send(t, s, "/data", "study.csv", content, browser)
	id, ok := strings.CutPrefix(w.Header().Get("Location"), "/data/")
	if w.Code != http.StatusSeeOther || !ok {
		t.Fatalf("upload: %d to %q: %s", w.Code, w.Header().Get("Location"), plain(w.Body.String()))
	}
	return dataset(t, s, id)
}

// bringAnswered is bring, and takes the first choice of the questions for outcome and event.
func bringAnswered(t *testing.T, s *Server, content string) store.Dataset {
	t.Helper()
	d := bring(t, s, content)
	for _, code := range []string{"which-outcome", "which-event"} {
		for _, w := range d.Warnings {
			if w.Code != code || len(w.Choices) == 0 {
				continue
			}
			if got := post(s, "/data/"+d.ID, script, "warning="+w.Key(), "choice="+w.Choices[0].Label); got.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", code, got.Code, got.Body)
			}
		}
		d = dataset(t, s, d.ID)
	}
	return d
}

func dataset(t *testing.T, s *Server, id string) store.Dataset {
	t.Helper()
	d, err := s.db.Dataset(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// plain is the text of a page.
func plain(html string) string {
	text := tags.ReplaceAllString(html, " ")
	for code, c := range map[string]string{"&#39;": "'", "&#34;": `"`, "&lt;": "<", "&gt;": ">", "&amp;": "&"} {
		text = strings.ReplaceAll(text, code, c)
	}
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// trialCSV is a clean file of n rows with 40 % events.
func trialCSV(n int) string {
	var b strings.Builder
	b.WriteString("age,sex,marker,disease\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,%.2f,%s\n", 30+i*7%50, []string{"m", "f"}[i%2], float64(i*37%101)/10, []string{"no", "yes", "no", "yes", "no"}[i%5])
	}
	return b.String()
}

func TestUploadPage(t *testing.T) {
	s, _ := testServer(t, Config{})
	for _, test := range []struct {
		name, content, state string // state "" = refused
		status               int
		says                 string
	}{
		{"clean", trialCSV(60), store.Raw, 303, "60 rows and 4 columns were read."},
		{"semicolons", strings.ReplaceAll(trialCSV(60), ",", ";"), store.Raw, 303, "60 rows and 4 columns were read."},
		{"ragged", trialCSV(60) + "1,2\n", store.Draft, 303, "Row 61 has 2 cells, expected 4."},
		{"stray quote", trialCSV(60) + "1,m\"x\"y,3,no\n\"1\"2,m,3,no\n", store.Draft, 303, "stray quote"},
		{"binary", trialCSV(60) + "1,m\x00,3,no\n", store.Draft, 303, "Row 61 holds binary data: save the table as CSV UTF-8."},
		{"header only", "a,b,c\n", store.Draft, 303, "No data rows below the header: add rows, or name another line as the header."},
		{"empty", "", "", 422, "The file is empty."},
		{"web page", "<!doctype html><html><body>Sign in</body></html>", "", 422, "This is a web page, perhaps a login page, not a table."},
		{"workbook", "PK\x03\x04 not really", "", 422, "Excel workbook that cannot be opened"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := send(t, s, "/data", "study.csv", test.content, browser)
			if w.Code != test.status {
				t.Fatalf("%d: %s", w.Code, plain(w.Body.String()))
			}
			page := w.Body.String()
			if test.state != "" {
				id := strings.TrimPrefix(w.Header().Get("Location"), "/data/")
				if d := dataset(t, s, id); d.State != test.state {
					t.Errorf("state %s, want %s", d.State, test.state)
				}
				page = ask(s, "GET", "/data/"+id, "", browser).Body.String()
			} else if !strings.Contains(page, "Nothing was stored") || !strings.Contains(page, "data-dropzone") {
				t.Error("the form for another try is missing")
			}
			if text := plain(page); !strings.Contains(text, test.says) {
				t.Errorf("the page does not say %q: %s", test.says, text)
			}
		})
	}
	w := send(t, s, "/data", "study.csv", trialCSV(60), script)
	var answer struct{ URL string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 201 || !strings.HasPrefix(answer.URL, "/data/d") {
		t.Errorf("a script gets %d %s", w.Code, w.Body)
	}
	if w := send(t, s, "/data", "study.csv", "", script); w.Code != 422 || !strings.Contains(w.Body.String(), "The file is empty.") {
		t.Errorf("a script that sends nothing gets %d %s", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/data", "x", browser); w.Code != 422 || !strings.Contains(w.Body.String(), "data-dropzone") {
		t.Errorf("a form of another kind: %d", w.Code)
	}
}

func TestUploadLimits(t *testing.T) {
	s, _ := testServer(t, Config{})
	s.cfg.Limits = table.Limits{Bytes: 2000, Rows: 100, Columns: 10}
	s.datasets = datasets.New(s.db, s.cfg.Limits, cost.Memory{}, s.now)
	for name, test := range map[string]struct{ content, says string }{
		"bytes":   {trialCSV(500), "is larger than"},
		"rows":    {"a\n" + strings.Repeat("1\n", 101), "the limit is 100"},
		"columns": {strings.Repeat("a,", 10) + "b\n" + strings.Repeat("1,", 10) + "2\n", "more than 10 columns"},
	} {
		w := send(t, s, "/data", "big.csv", test.content, browser)
		if text := plain(w.Body.String()); w.Code != 413 || !strings.Contains(text, test.says) {
			t.Errorf("%s: %d %s", name, w.Code, text)
		}
	}
	if text := plain(ask(s, "GET", "/data", "", browser).Body.String()); !strings.Contains(text, "100 rows and 10 columns") {
		t.Errorf("the limits are not printed: %s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(s.db.Dir(), "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPasteAndGenerate(t *testing.T) {
	s, _ := testServer(t, Config{})
	w := post(s, "/data/paste", browser, "text=a\tb\ty\n1\t2\tno\n3\t4\tyes\n5\t6\tno")
	d := dataset(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/data/"))
	if d.Rows != 3 || d.Dialect.Delimiter != "\t" || d.Choice.Outcome != "" {
		t.Errorf("pasted: %d rows, delimiter %q, outcome %q", d.Rows, d.Dialect.Delimiter, d.Choice.Outcome)
	}
	w = post(s, "/data/generate", browser, "generator=gmm", "rows=1,200", "seed=3")
	g := dataset(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/data/"))
	if g.Rows != 1200 || !g.Simulated || g.Choice.Outcome != "y" || g.Choice.Positive.String() != "1" {
		t.Errorf("generated: %d rows, %+v", g.Rows, g.Choice)
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"paste nothing": post(s, "/data/paste", browser, "text="),
		"no field":      post(s, "/data/paste", browser, "x=1"),
		"unknown":       post(s, "/data/generate", browser, "generator=nope", "rows=10", "seed=1"),
		"rows":          post(s, "/data/generate", browser, "generator=gmm", "rows=many", "seed=1"),
		"seed":          post(s, "/data/generate", browser, "generator=gmm", "rows=10", "seed=-1"),
		"sample":        post(s, "/data/sample", browser, "file=../secret"),
	} {
		if w.Code != 422 {
			t.Errorf("%s: %d, want 422", name, w.Code)
		}
	}
}

// TestSameFile: a second upload of a file gets a name of its own, and its page links to the first dataset as long
// as that has its upload.
func TestSameFile(t *testing.T) {
	s, _ := testServer(t, Config{})
	content := "age,group,y\n31,a,no\n52,b,yes\n47,a,no\n60,b,yes\n38,b,no\n55,a,yes\n"
	first := bringAnswered(t, s, content)
	other := bring(t, s, strings.Replace(content, "31", "32", 1))
	again := bring(t, s, content)
	if first.Name != "study.csv" || other.Name != "study.csv #2" || again.Name != "study.csv #3" {
		t.Errorf("%q, %q, %q", first.Name, other.Name, again.Name)
	}
	page := func(d store.Dataset) string { return ask(s, "GET", "/data/"+d.ID, "", browser).Body.String() }
	if html := page(again); !strings.Contains(plain(html), "The same file is already here as ‘study.csv’.") ||
		!strings.Contains(html, `href="/data/`+first.ID+`"`) || !strings.Contains(html, `href="/data/`+again.ID+`/delete"`) {
		t.Error(plain(html))
	}
	if strings.Contains(page(other), "same-file") {
		t.Error("another file is taken for the same")
	}
	if w := post(s, "/data/"+first.ID+"/delete", browser); w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, w.Body)
	}
	if strings.Contains(page(again), "same-file") {
		t.Error("the page names a deleted dataset")
	}
}

// TestDatasetForms sends each form of the page, which must be there, and checks its effect.
func TestDatasetForms(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bringAnswered(t, s, trialCSV(60))
	path := "/data/" + d.ID
	spec := func(d store.Dataset, name string) table.ColumnSpec {
		for _, c := range d.Options.Columns {
			if c.Name == name {
				return c
			}
		}
		return table.ColumnSpec{}
	}
	role := func(d store.Dataset, name string) table.Role {
		for _, p := range d.Profiles {
			if p.Name == name {
				return p.Role
			}
		}
		return ""
	}
	for _, step := range []struct {
		form []string
		ok   func(store.Dataset) bool
	}{
		{[]string{"name=Second visit"}, func(d store.Dataset) bool { return d.Name == "Second visit" }},
		{[]string{"role:age=exclude"}, func(d store.Dataset) bool {
			return role(d, "age") == table.Exclude && role(d, "marker") == table.Predictor
		}},
		{[]string{"role:age=predictor"}, func(d store.Dataset) bool { return role(d, "age") == table.Predictor }},
		{[]string{"type:age=category"}, func(d store.Dataset) bool {
			return d.Profiles[0].Type == table.Category && spec(d, "age").Role == table.Predictor
		}},
		{[]string{"type:age="}, func(d store.Dataset) bool { return d.Profiles[0].Type == table.Integer }},
		{[]string{"positive=no"}, func(d store.Dataset) bool {
			return d.Choice.Positive.String() == "no" && d.Choice.Negative.String() == "yes"
		}},
		{[]string{"outcome=sex"}, func(d store.Dataset) bool {
			return d.Choice.Outcome == "sex" && d.Choice.Positive.String() == "" && role(d, "disease") == table.Predictor
		}},
		{[]string{"role:disease=outcome"}, func(d store.Dataset) bool { return d.Choice.Outcome == "disease" && role(d, "sex") == table.Predictor }},
		{[]string{"role:sex=group"}, func(d store.Dataset) bool { return d.Choice.Group == "sex" && role(d, "sex") == table.Group }},
		{[]string{"role:marker=weights"}, func(d store.Dataset) bool { return d.Choice.Weights == "marker" && d.Choice.Group == "sex" }},
		{[]string{"role:marker=predictor", "role:sex=predictor"}, func(d store.Dataset) bool { return d.Choice.Weights == "" && d.Choice.Group == "" }},
		{[]string{"codes-column=age", "codes=31, 38"}, func(d store.Dataset) bool { return d.Profiles[0].Missing > 0 && len(spec(d, "age").MissingCodes) == 2 }},
		{[]string{"codes-column=age", "codes="}, func(d store.Dataset) bool { return d.Profiles[0].Missing == 0 }},
		{[]string{"missing=empty, m"}, func(d store.Dataset) bool {
			return slices.Equal(d.Dialect.Missing, []string{"", "m"}) && d.Profiles[1].Missing == 30
		}},
		{[]string{"missing="}, func(d store.Dataset) bool { return d.Options.Dialect.Missing == nil && d.Profiles[1].Missing == 0 }},
		{[]string{"header_row=0"}, func(d store.Dataset) bool { return d.Rows == 61 && d.Profiles[0].Name == "c1" }},
		{[]string{"header_row="}, func(d store.Dataset) bool { return d.Rows == 60 && d.Choice.Outcome == "" }},
		{[]string{"warning=which-outcome:", "choice=disease"}, func(d store.Dataset) bool {
			return d.Choice.Outcome == "disease" && d.Choice.Positive.String() == "yes"
		}},
		{[]string{"delimiter=|"}, func(d store.Dataset) bool { return len(d.Profiles) == 1 }},
		{[]string{"delimiter="}, func(d store.Dataset) bool { return len(d.Profiles) == 4 && d.State == store.Raw }},
	} {
		page := ask(s, "GET", path, "", browser).Body.String()
		for _, field := range step.form {
			if name, _, _ := strings.Cut(field, "="); !strings.Contains(page, `name="`+name+`"`) {
				t.Errorf("the page has no field %s", name)
			}
		}
		w := post(s, path, browser, step.form...)
		if d = dataset(t, s, d.ID); w.Code != 303 || !step.ok(d) {
			t.Errorf("%v: %d, %+v, %+v: %s", step.form, w.Code, d.Choice, d.Options, plain(w.Body.String()))
		}
	}
	for _, form := range [][]string{{"name= "}, {"header_row=x"}, {"header_row=9999"}, {"delimiter=xx"}, {"positive=perhaps"}, {"outcome=nothing"}, {"warning=leak:age", "choice=Leave it out"}} {
		before := dataset(t, s, d.ID)
		w := post(s, path, browser, form...)
		if text := plain(w.Body.String()); w.Code < 400 || w.Code >= 500 || !strings.Contains(text, "Nothing was changed.") {
			t.Errorf("%v: %d %s", form, w.Code, text)
		}
		if after := dataset(t, s, d.ID); !reflect.DeepEqual(before, after) {
			t.Errorf("%v changed something", form)
		}
	}
}

// TestLevels sets the uses of the levels of an outcome with four groups.
func TestLevels(t *testing.T) {
	s, _ := testServer(t, Config{})
	var b strings.Builder
	b.WriteString("x,group\n")
	for i := range 80 {
		fmt.Fprintf(&b, "%d,%s\n", i*13%41, []string{"A", "B", "C", "D"}[i%4])
	}
	d := bring(t, s, b.String())
	path := "/data/" + d.ID
	post(s, path, script, "outcome=group")
	if text := plain(ask(s, "GET", path, "", browser).Body.String()); !strings.Contains(text, "Which value is the event?") {
		t.Errorf("nothing asks for the event: %s", text)
	}
	if w := post(s, path, browser, "confirm=1"); w.Code < 400 {
		t.Errorf("confirmed without an event: %d", w.Code)
	}
	for _, step := range []struct{ form, event, other, score string }{
		{"level:B=other", "", "B", ""},
		{"level:A=event", "A", "B", ""},
		{"level:C=score", "A", "B", "C"},
		{"level:D=score", "A", "B", "C,D"},
		{"level:D=event", "A or D", "B", "C"}, // several levels form the event
		{"level:A=other", "D", "A or B", "C"},
		{"level:B=event", "B or D", "A", "C"},
		{"level:D=other", "B", "A or D", "C"},
		{"level:A=out", "B", "D", "C"},
	} {
		w := post(s, path, script, step.form)
		d = dataset(t, s, d.ID)
		if got := strings.Join(d.Choice.ScoreOnly, ","); w.Code != 200 || d.Choice.Positive.String() != step.event || d.Choice.Negative.String() != step.other || got != step.score {
			t.Errorf("%s: %d, %+v: %s", step.form, w.Code, d.Choice, w.Body)
		}
	}
	if w := post(s, path, script, "level:B=out"); w.Code != 422 {
		t.Errorf("an outcome without an event: %d", w.Code)
	}
	if text := plain(ask(s, "GET", path, "", browser).Body.String()); !strings.Contains(text, "20 of 40 rows, 50.0\u00a0%") || !strings.Contains(text, "20 rows scored, 20 rows left out") {
		t.Errorf("rows are not accounted for: %s", text)
	}
}

// TestAnswers takes the first choice of every question of the dirty file, then undoes each answer.
func TestAnswers(t *testing.T) {
	s, _ := testServer(t, Config{})
	raw, err := os.ReadFile("../../testdata/csv/heart-clinic-dirty.csv")
	if err != nil {
		t.Fatal(err)
	}
	d := bring(t, s, string(raw))
	asked := func() (ws []table.Warning) {
		for _, w := range dataset(t, s, d.ID).Warnings {
			if w.Level == "ask" {
				ws = append(ws, w)
			}
		}
		return ws
	}
	first := asked()
	if len(first) < 6 {
		t.Fatalf("%d questions", len(first))
	}
	for range 20 {
		open := asked()
		if len(open) == 0 {
			break
		}
		w := post(s, "/data/"+d.ID, script, "warning="+open[0].Key(), "choice="+open[0].Choices[0].Label)
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", open[0].Message, w.Code, w.Body)
		}
		if slices.ContainsFunc(asked(), func(q table.Warning) bool { return q.Key() == open[0].Key() }) {
			t.Fatalf("%s asks again", open[0].Message)
		}
	}
	if left := asked(); len(left) > 0 {
		t.Fatalf("still open: %v", left)
	}
	page := ask(s, "GET", "/data/"+d.ID, "", browser).Body.String()
	for _, back := range []string{"reset:troponin=non_numeric", "reset:smoker=join_levels"} {
		name, value, _ := strings.Cut(back, "=")
		if !strings.Contains(page, fmt.Sprintf(`name=%q value=%q`, name, value)) {
			t.Errorf("%s is not offered", back)
		}
		if w := post(s, "/data/"+d.ID, script, back); w.Code != 200 {
			t.Errorf("%s: %d %s", back, w.Code, w.Body)
		}
	}
	if again := asked(); len(again) != 2 {
		t.Errorf("after taking two answers back %d are asked: %v", len(again), again)
	}
	for _, key := range dataset(t, s, d.ID).Options.Settled {
		if w := post(s, "/data/"+d.ID, script, "reopen="+key); w.Code != 200 {
			t.Errorf("reopen %s: %d", key, w.Code)
		}
	}
	if d := dataset(t, s, d.ID); len(d.Options.Settled) != 0 {
		t.Errorf("still settled: %v", d.Options.Settled)
	}
}

// TestKeep answers questions by keeping things as they are.
func TestKeep(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, strings.Replace(trialCSV(60), "\n30,", "\n-9,", 1))
	key := "missing-code:age"
	if w := post(s, "/data/"+d.ID, script, "warning="+key, "choice=Keep the number"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if d = dataset(t, s, d.ID); !slices.Contains(d.Options.Settled, key) || d.Profiles[0].Missing != 0 {
		t.Errorf("settled %v, %d missing", d.Options.Settled, d.Profiles[0].Missing)
	}
	post(s, "/data/"+d.ID, script, "reopen="+key)
	if d = dataset(t, s, d.ID); len(d.Options.Settled) != 0 || !slices.ContainsFunc(d.Warnings, func(w table.Warning) bool { return w.Key() == key && w.Level == "ask" }) {
		t.Errorf("not asked again: %v", d.Warnings)
	}
}
