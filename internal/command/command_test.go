package command_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"taper/internal/command"
	"taper/internal/engine/portable"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	written "taper/internal/parquet"
	"taper/internal/web"
)

// program is an opened data folder with a fixed clock.
func program(t *testing.T) *web.Local {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	p, err := web.Open(t.Context(), web.Config{Data: filepath.Join(t.TempDir(), "data"), Limits: table.DefaultLimits,
		Version: "test"}, io.Discard, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// console is a session with recorded output.
func console(p http.RoundTripper, json bool) (s *command.Session, out, said *bytes.Buffer) {
	out, said = &bytes.Buffer{}, &bytes.Buffer{}
	return command.New(p, command.Console{In: strings.NewReader(""), Out: out, Err: said, JSON: json}), out, said
}

func asked(t *testing.T, p http.RoundTripper, method, path, kind string, body []byte) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	w, err := p.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil || w.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %v %s", method, path, w.Status, err, text)
	}
	return text
}

// TestDoorsAgree trains by command and, in another folder, by the API: result, model, report
// and scores have the same bytes, for every kind of run.
func TestDoorsAgree(t *testing.T) {
	died := command.Data{File: visits(t), Outcome: "died", Event: []string{"yes"}}
	for _, test := range []struct {
		name, spec string
		from       command.Data
	}{
		{"interval", `{"task":"interval","boundaries":[0.2,0.6]}`, died},
		{"alpha", `{"task":"binary","model":{"loss":"alpha","params":{"alpha":4},"l2":0.01}}`, died},
		{"trees", `{"task":"binary","model":{"kind":"boost","loss":"alpha","rounds":8}}`, died},
		{"kernel", `{"task":"binary","model":{"kind":"kernel","loss":"logistic","l2":0.01,"kernel":{"name":"rbf","gamma":0.1}}}`,
			died},
		{"given probability", `{"task":"binary","model":{"kind":"given","columns":["risk"]},"predictors":["age","pressure"]}`, died},
		{"given score", `{"task":"interval","boundaries":[0.2,0.6],"model":{"kind":"given","columns":["told"],"scale":"score"},` +
			`"predictors":["age","pressure"]}`, died},
		{"formula", `{"task":"interval","boundaries":[0.3],"model":{"kind":"given","formula":"(age − 50)/10 + 0.02*pressure"},` +
			`"predictors":["age","pressure"]}`, died},
		{"spline", `{"task":"interval","boundaries":[0.2,0.6],"model":{"loss":"logistic","l2":0.01},"splines":{"age":4}}`, died},
		{"t-logistic", `{"task":"binary","model":{"loss":"t-logistic","params":{"t":1.4},"l2":0.01}}`, died},
		{"given model.json", `{"task":"interval","boundaries":[0.2,0.6],"model":{"kind":"given","file":MODEL},` +
			`"predictors":["age","pressure"]}`, died},
		{"given classes", `{"task":"multiclass","model":{"kind":"given","columns":["w1","w2","w3"]},` +
			`"predictors":["age","pressure"]}`, command.Data{File: shares(t, died.File), Outcome: "ward"}},
		{"class probabilities", `{"task":"multiclass","model":{"loss":"softmax","l2":0.01}}`,
			command.Data{File: died.File, Outcome: "ward"}},
		{"classes", `{"task":"multiclass","model":{"loss":"al-zero-one","l2":0.01}}`,
			command.Data{File: died.File, Outcome: "ward"}},
		{"ordered", `{"task":"ordinal","model":{"loss":"all-threshold","l2":0.01}}`,
			command.Data{File: died.File, Outcome: "ward"}},
		{"abstain", `{"task":"abstain","model":{"loss":"al-abstain","l2":0.01}}`,
			command.Data{File: died.File, Outcome: "ward"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := program(t), program(t)
			var spec map[string]any
			if before, after, ok := strings.Cut(test.spec, "MODEL"); ok {
				test.spec = before + modelFile(t, died) + after
			}
			if err := json.Unmarshal([]byte(test.spec), &spec); err != nil {
				t.Fatal(err)
			}
			spec["validation"], spec["seed"] = map[string]any{"kind": "cv", "folds": 3}, 5

			s, out, _ := console(ours, true)
			from := test.from
			report := filepath.Join(t.TempDir(), "report.html")
			if err := s.Fit(t.Context(), command.Fit{Data: from, Spec: spec, Report: report}); err != nil {
				t.Fatal(err)
			}
			var run struct{ ID string }
			if err := json.Unmarshal(out.Bytes(), &run); err != nil {
				t.Fatal(err)
			}

			var d, r struct{ ID, Status string }
			other, otherOut, _ := console(theirs, true)
			if err := other.Import(t.Context(), from); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(otherOut.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			spec["dataset"], spec["outcome"] = d.ID, from.Outcome
			if from.Event != nil {
				spec["positive"] = from.Event
			}
			body, _ := json.Marshal(spec)
			if err := json.Unmarshal(asked(t, theirs, "POST", "/api/v1/runs", "application/json", body), &r); err != nil {
				t.Fatal(err)
			}
			asked(t, theirs, "GET", "/api/v1/runs/"+r.ID+"/events", "", nil) // until the run ends

			path := "/api/v1/runs/" + r.ID
			same(t, "result", out.Bytes(), asked(t, theirs, "GET", path, "", nil))
			printed, err := os.ReadFile(report)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "report of the API", printed, asked(t, theirs, "GET", path+"/report?download=1", "", nil))
			same(t, "report of the page", printed, asked(t, theirs, "GET", "/report/"+r.ID+"?download=1", "", nil))

			s, out, _ = console(ours, false)
			if strings.Contains(test.spec, `"given"`) { // a given model cannot be exported
				err := s.Score(t.Context(), run.ID, from.File, "")
				taken(t, ours, run.ID)
				if err == nil || !strings.Contains(err.Error(), "There is no model to apply to new rows") {
					t.Errorf("scores by a model that is not known: %v", err)
				}
				return
			}
			if err := s.Score(t.Context(), run.ID, from.File, ""); err != nil {
				t.Fatal(err)
			}
			sent, err := os.ReadFile(from.File)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "scores", out.Bytes(), asked(t, theirs, "POST", path+"/predict", "text/csv", sent))
			kind, form := asForm(t, sent)
			same(t, "scores of the page", out.Bytes(), asked(t, theirs, "POST", "/runs/"+r.ID+"/score", kind, form))
			taken(t, ours, run.ID)
		})
	}
}

// modelFile is the model.json of a run on the data of another program.
func modelFile(t *testing.T, from command.Data) string {
	t.Helper()
	p := program(t)
	s, out, _ := console(p, true)
	if err := s.Fit(t.Context(), command.Fit{Data: from, Spec: map[string]any{"task": "binary", "predictors": []string{"age",
		"pressure"}, "model": map[string]any{"loss": "logistic", "l2": .01}}}); err != nil {
		t.Fatal(err)
	}
	var run struct{ ID string }
	if err := json.Unmarshal(out.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	return string(asked(t, p, "GET", "/api/v1/runs/"+run.ID+"/model.json", "", nil))
}

// asForm is a file as a form of a page sends it.
func asForm(t *testing.T, file []byte) (kind string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", "visits.csv")
	if err == nil {
		_, err = part.Write(file)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// shares is a file of visits with the probabilities of the three wards for each patient.
func shares(t *testing.T, visits string) string {
	t.Helper()
	text, err := os.ReadFile(visits)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		p := []string{"0.6,0.3,0.1", "0.2,0.5,0.3", "0.1,0.25,0.65"}[i*i%3]
		if i == 0 {
			p = "w1,w2,w3"
		}
		b.WriteString(line + "," + p + "\n")
	}
	name := filepath.Join(t.TempDir(), "shares.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// taken exports a model by command, API and page: they give the same bytes, or the same error.
func taken(t *testing.T, p *web.Local, run string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "taken")
	s, _, _ := console(p, false)
	type export struct {
		path    string
		pages   bool // also offered on a page
		command func() error
	}
	all := []export{
		{"/calculator.html", true, func() error { return s.Calculator(t.Context(), run, to) }},
		{"/bundle.zip", true, func() error { return s.Bundle(t.Context(), run, to, false) }},
		{"/bundle.zip?data=1", true, func() error { return s.Bundle(t.Context(), run, to, true) }},
	}
	for _, language := range portable.Languages {
		all = append(all, export{"/code/" + language, false, func() error { return s.Code(t.Context(), run, language, to) }})
	}
	for _, test := range all {
		doors := []string{"/api/v1/runs/" + run + test.path}
		if test.pages {
			doors = append(doors, "/runs/"+run+test.path)
		}
		failed := test.command()
		for _, door := range doors {
			r, err := http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1"+door, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := p.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := io.ReadAll(w.Body)
			w.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := usererr.As(failed); failed != nil {
				if !ok || w.StatusCode != http.StatusConflict || !strings.Contains(string(theirs), e.Detail) {
					t.Errorf("%s: the command says %v, the other door %d %.300s", door, failed, w.StatusCode, theirs)
				}
				continue
			}
			written, err := os.ReadFile(to)
			if err != nil || w.StatusCode != http.StatusOK || !bytes.Equal(written, theirs) {
				t.Errorf("%s: %d, %d bytes, and %d by the command, %v", door, w.StatusCode, len(theirs), len(written), err)
			}
		}
		if failed != nil {
			continue
		}
		if strings.HasSuffix(test.path, "?data=1") {
			console, out, _ := console(p, true)
			err := console.Verify(t.Context(), to, "")
			var v struct{ Verdict string }
			if json.Unmarshal(out.Bytes(), &v); err != nil || v.Verdict != "same-bits" {
				t.Errorf("verify: %v %s", err, out)
			}
		} else if strings.HasSuffix(test.path, "/bundle.zip") {
			console, _, _ := console(p, true)
			if err := console.Verify(t.Context(), to, ""); err == nil ||
				!strings.Contains(err.Error(), "taper verify -data FILE "+to) {
				t.Errorf("verify without the file: %v", err)
			}
		}
	}
}

// ids and durations differ between folders and runs.
var ids = regexp.MustCompile(`\b[rde][0-9a-z]{18}\b|"(seconds|elapsed_s)":[0-9.e-]+|[0-9.]+(e[−-]?[0-9]+|[ \x{a0}\x{202f}]?×[ \x{a0}\x{202f}]?10[⁻⁰¹²³⁴-⁹]+)?[ \x{a0}\x{202f}](ms|s|min)\b`)

func same(t *testing.T, what string, a, b []byte) {
	t.Helper()
	x, y := ids.ReplaceAll(bytes.TrimSpace(a), nil), ids.ReplaceAll(bytes.TrimSpace(b), nil)
	if bytes.Equal(x, y) && len(x) > 100 {
		return
	}
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	t.Errorf("%s: differs at byte %d of %d and %d:\n%.200s\n%.200s", what, i, len(x), len(y), x[max(0, i-60):], y[max(0, i-60):])
}

// visits is a file of 240 patients. That the column told leaks the outcome is detected only
// when the outcome is known.
func visits(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("patient_id,age,pressure,told,ward,risk,died\n")
	for i := range 240 {
		age, pressure := 30+i*7%50, 90+i*31%70
		died, told := "no", i%10
		if age+pressure/2+i*13%40 > 130 {
			died, told = "yes", 90+i%10
		}
		risk := float64(age+pressure/3-40) / 70
		fmt.Fprintf(&b, "P%03d,%d,%d,%d,%d,%.2f,%s\n", i*5/6, age, pressure, told, 1+(age+pressure)%150/50,
			min(max(risk, 0), 1), died)
	}
	name := filepath.Join(t.TempDir(), "visits.csv")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func lists(t *testing.T, p http.RoundTripper) (n int) {
	t.Helper()
	var l struct{ Total int }
	if err := json.Unmarshal(asked(t, p, "GET", "/api/v1/datasets", "", nil), &l); err != nil {
		t.Fatal(err)
	}
	return l.Total
}

// TestTablesExplained: a table of bands says what its verdicts mean, and a comparison prints each difference with
// its interval beside the verdict.
func TestTablesExplained(t *testing.T) {
	s, out, _ := console(program(t), false)
	file := command.Data{File: visits(t), Outcome: "died", Event: []string{"yes"}}
	var ids []string
	for _, model := range []string{"logistic", "interval"} {
		out.Reset()
		spec := map[string]any{"task": "interval", "boundaries": []float64{.3}, "seed": 5,
			"model": map[string]any{"kind": "linear", "loss": model, "l2": .01}, "predictors": []string{"age", "pressure"}}
		if err := s.Fit(t.Context(), command.Fit{Data: file, Spec: spec}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), stat.BandVerdicts) {
			t.Errorf("no word of what a verdict means:\n%s", out)
		}
		id, _, _ := strings.Cut(out.String(), ":")
		ids = append(ids, id)
	}
	out.Reset()
	if err := s.Compare(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	difference := regexp.MustCompile(`(?m)^` + ids[1] +
		`\s+AUC\s+[+−]?0\.\d+\s+−?0\.\d+ to −?0\.\d+\s+(better|worse|no significant)`)
	if !difference.MatchString(out.String()) || !strings.Contains(out.String(), "run − baseline ("+ids[0]+")") {
		t.Errorf("no difference in AUC with its interval:\n%s", out)
	}
	// Of several classes, on other data: nothing can be subtracted.
	out.Reset()
	spec := map[string]any{"task": "multiclass", "model": map[string]any{"loss": "al-zero-one", "l2": .01}, "seed": 5}
	if err := s.Fit(t.Context(), command.Fit{Data: command.Data{File: "../../testdata/csv/iris.csv", Outcome: "species"},
		Spec: spec}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "w is the cost of one unit of error") ||
		!regexp.MustCompile(`(?m)^Accuracy\s+\d+\.\d\p{Z}%$`).MatchString(text) {
		t.Errorf("no word of w, or a share without its unit:\n%s", text)
	}
	classes, _, _ := strings.Cut(out.String(), ":")
	out.Reset()
	if err := s.Compare(t.Context(), []string{ids[0], classes}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "No statistic can be subtracted from the baseline’s ("+ids[0]+"):\n"+
		"- Other data than the baseline’s: ") || strings.Contains(text, "Verdict") {
		t.Errorf("a table without rows, or no reason:\n%s", text)
	}
}

// TestOneClassAtTheTerminal: of a file of one class a model that may abstain is given no measure, and the reason is said.
func TestOneClassAtTheTerminal(t *testing.T) {
	p := program(t)
	s, out, _ := console(p, false)
	spec := map[string]any{"task": "abstain", "model": map[string]any{"loss": "al-abstain", "l2": .01}, "seed": 5}
	if err := s.Fit(t.Context(), command.Fit{Data: command.Data{File: "../../testdata/csv/iris.csv", Outcome: "species"},
		Spec: spec}); err != nil {
		t.Fatal(err)
	}
	run, _, _ := strings.Cut(out.String(), ":")
	out.Reset()
	text := "sepal_length,sepal_width,petal_length,petal_width,species\n"
	for i := range 40 {
		text += fmt.Sprintf("6.%d3,2.9,%.2f,%.2f,virginica\n", i%10, 4.4+float64(i)*.04, 1.41+float64(i)*.02)
	}
	file := filepath.Join(t.TempDir(), "one.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(t.Context(), command.Validation{Run: run, File: file}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "on 40 of 40 rows") || !strings.Contains(got, "- Only ‘virginica’ is present") ||
		regexp.MustCompile(`(?i)accuracy|recall|abstention (rate|loss)|macro|kappa|log loss`).MatchString(got) {
		t.Errorf("measures on rows of one class, or no reason:\n%s", got)
	}
	err := s.Validate(t.Context(), command.Validation{Run: run, File: file, Report: filepath.Join(t.TempDir(), "one.html")})
	if err == nil || !strings.Contains(err.Error(), "has no report: Only ‘virginica’ is present") {
		t.Errorf("a report of it: %v", err)
	}
}

// TestOpenQuestions: outcome and event are asked for, never guessed; the question names its
// flag; a refused file is removed from the folder.
func TestOpenQuestions(t *testing.T) {
	p := program(t)
	s, _, _ := console(p, false)
	name, three := visits(t), filepath.Join(t.TempDir(), "three.csv")
	if err := os.WriteFile(three, []byte("status,age\n"+strings.Repeat("alive,40\ndead,60\ntransplant,50\n", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data command.Data
		want string
	}{
		{command.Data{File: three, Outcome: "status", Event: []string{"dead"}},
			"non-event? Name it with -other LEVEL, one of ‘alive’, ‘transplant’; with several such flags, all of them."},
		{command.Data{File: name}, "-outcome COLUMN"},
		{command.Data{File: name, Outcome: "died"}, "-event LEVEL, one of ‘no’, ‘yes’."},
	} {
		var open *command.OpenQuestion
		err := s.Fit(t.Context(), command.Fit{Data: test.data, Spec: map[string]any{"task": "interval"}})
		if !errors.As(err, &open) || !strings.Contains(open.Sentence, test.want) {
			t.Errorf("%+v: %v", test.data, err)
		}
	}
	err := s.Fit(t.Context(), command.Fit{Data: command.Data{File: name, Outcome: "dead", Event: []string{"yes"}}})
	if e, ok := usererr.As(err); !ok || !strings.Contains(e.Detail, "‘dead’") {
		t.Errorf("an outcome that is no column: %v", err)
	}
	if n := lists(t, p); n != 0 {
		t.Errorf("%d datasets stayed", n)
	}
}

// TestSettings writes the questions about a file to a settings file, answers them there, and
// imports the file without a question.
func TestSettings(t *testing.T) {
	p := program(t)
	s, _, _ := console(p, false)
	from := command.Data{File: visits(t), Outcome: "died", Event: []string{"yes"}}
	to := filepath.Join(t.TempDir(), "settings.json")
	if err := s.Ask(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if n := lists(t, p); n != 0 {
		t.Errorf("asking left %d datasets behind", n)
	}
	var set command.Settings
	text, err := os.ReadFile(to)
	if err == nil {
		err = json.Unmarshal(text, &set)
	}
	if err != nil || len(set.Questions) < 2 || *set.Outcome != "died" {
		t.Fatalf("%v: %s", err, text)
	}
	for i, q := range set.Questions {
		set.Questions[i].Answer = q.Choices[0]
	}
	text, _ = json.Marshal(set)
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
	json1, out, said := console(p, true)
	if err := json1.Import(t.Context(), command.Data{File: from.File, Settings: to}); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Outcome  string
		Warnings []table.Warning
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Outcome != "died" || said.Len() > 0 ||
		slices.ContainsFunc(d.Warnings, func(w table.Warning) bool { return w.Level == "ask" && !w.Settled }) {
		t.Errorf("outcome %q, questions left: %+v %s", d.Outcome, d.Warnings, said)
	}

	set.Questions[0].Answer = "perhaps"
	text, _ = json.Marshal(set)
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
	err = s.Import(t.Context(), command.Data{File: from.File, Settings: to})
	if e, ok := usererr.As(err); !ok || !strings.Contains(e.Detail, "must be one of ‘") || lists(t, p) != 1 {
		t.Errorf("an answer that there is not: %v, %d datasets", err, lists(t, p))
	}
}

// TestAskedAtTheTerminal: a person answers by number, an invalid answer is asked again, Enter
// leaves a question open.
func TestAskedAtTheTerminal(t *testing.T) {
	p := program(t)
	out := &bytes.Buffer{}
	s := command.New(p, command.Console{In: strings.NewReader("9\n1\n\n"), Out: out, Err: out, Asks: true})
	if err := s.Ask(t.Context(), command.Data{File: visits(t), Outcome: "died", Event: []string{"yes"}}, "-"); err != nil {
		t.Fatal(err)
	}
	var set command.Settings
	text := out.String()
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{\n"):]), &set); err != nil {
		t.Fatal(err, text)
	}
	if q := set.Questions; q[0].Answer != q[0].Choices[0] || q[1].Answer != "" {
		t.Errorf("%+v", set.Questions)
	}
}

// TestEventOfAnAnswer: an answer raises the next question, which is asked too; the file can be read by a person; an
// -event can belong to an outcome that the settings answer; an event beyond doubt is written, and said.
func TestEventOfAnAnswer(t *testing.T) {
	p := program(t)
	out := &bytes.Buffer{}
	text := "age,marker,sex,disease\n"
	for i := range 120 {
		text += fmt.Sprintf("%d,%s,%s,%s\n", 30+i%41, []string{"<0.5", "1.5", "0.9", "2.25"}[i%4], []string{"f", "m"}[i%2],
			[]string{"no", "yes"}[i/3%2])
	}
	file := filepath.Join(t.TempDir(), "clinic.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "settings.json")
	s := command.New(p, command.Console{In: strings.NewReader("2\n1\n1\n1\n"), Out: out, Err: out, Asks: true})
	if err := s.Ask(t.Context(), command.Data{File: file}, to); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(to)
	if err != nil || !strings.Contains(string(written), `"which-event:sex"`) || !strings.Contains(string(written), "for <0.5") {
		t.Fatalf("%v %s\n%s", err, written, out)
	}
	quiet, _, said := console(p, false)
	spec := map[string]any{"task": "interval", "validation": map[string]any{"kind": "cv", "folds": 3}}
	if err := quiet.Fit(t.Context(), command.Fit{Data: command.Data{File: file, Settings: to}, Spec: spec}); err != nil {
		t.Errorf("with the answers: %v %s", err, said)
	}
	outcomeOnly := `{"questions": [{"key": "which-outcome:", "message": "", "choices": [], "answer": "sex"}]}`
	if err := os.WriteFile(to, []byte(outcomeOnly), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := quiet.Fit(t.Context(), command.Fit{Data: command.Data{File: file, Settings: to, Event: []string{"m"}},
		Spec: spec}); err != nil {
		t.Errorf("with an answered outcome and -event: %v", err)
	}
	if err := quiet.Ask(t.Context(), command.Data{File: file, Outcome: "disease"}, to); err != nil {
		t.Fatal(err)
	}
	written, err = os.ReadFile(to)
	if err != nil || !strings.Contains(string(written), `"positive": "yes"`) || !strings.Contains(said.String(), "disease = yes") {
		t.Errorf("%v %s\n%s", err, written, said)
	}
}

// TestStopped: a stopped command leaves no unfinished run.
func TestStopped(t *testing.T) {
	p := program(t)
	s, _, _ := console(p, false)
	ctx, stop := context.WithCancel(t.Context())
	from := command.Data{File: visits(t), Outcome: "died", Event: []string{"yes"}}
	ended := make(chan error, 1)
	go func() {
		ended <- s.Fit(ctx, command.Fit{Data: from, Spec: map[string]any{"task": "binary",
			"model":      map[string]any{"kind": "boost", "loss": "alpha", "rounds": 1000, "depth": 3},
			"validation": map[string]any{"kind": "cv", "folds": 10, "repeats": 10}}})
	}()
	for {
		var l struct{ Total int }
		if json.Unmarshal(asked(t, p, "GET", "/api/v1/runs", "", nil), &l); l.Total > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestParquet: a Parquet file gives the result and the scores of the same table as CSV, the scores are the same values
// as Parquet, and the server refuses it.
func TestParquet(t *testing.T) {
	type row struct {
		Age      *float64 `parquet:"age,optional"`
		Pressure int32    `parquet:"pressure"`
		Sex      string   `parquet:"sex,dict"`
		Died     string   `parquet:"died"`
	}
	var rows []row
	text := bytes.NewBufferString("age,pressure,sex,died\n")
	for i := range 120 {
		age := 40 + float64(i%37)/4
		r := row{&age, int32(100 + i*7%60), []string{"f", "m"}[i%2], []string{"no", "yes"}[(i*i/7+i/60)%2]}
		written := fmt.Sprint(age)
		if i%11 == 0 {
			r.Age, written = nil, ""
		}
		rows = append(rows, r)
		fmt.Fprintf(text, "%s,%d,%s,%s\n", written, r.Pressure, r.Sex, r.Died)
	}
	folder := t.TempDir()
	files := []string{filepath.Join(folder, "visits.csv"), filepath.Join(folder, "visits.parquet")}
	if err := os.WriteFile(files[0], text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteFile(files[1], rows, parquet.Compression(&parquet.Snappy)); err != nil {
		t.Fatal(err)
	}
	var results, scores [2][]byte
	for i, file := range files {
		s, out, said := console(program(t), true)
		err := s.Fit(t.Context(), command.Fit{Data: command.Data{File: file, Name: "visits", Outcome: "died", Event: []string{"yes"}},
			Spec: map[string]any{"task": "interval", "boundaries": []float64{.3, .6}, "seed": 5,
				"validation": map[string]any{"kind": "cv", "folds": 3}}})
		if err != nil {
			t.Fatalf("%v %s", err, said)
		}
		results[i] = bytes.Clone(out.Bytes())
		out.Reset()
		var run struct{ ID string }
		if err := json.Unmarshal(results[i], &run); err != nil {
			t.Fatal(err)
		}
		if err := s.Score(t.Context(), run.ID, file, ""); err != nil {
			t.Fatal(err)
		}
		scores[i] = bytes.Clone(out.Bytes())
		scored := filepath.Join(folder, "scored.Parquet")
		if err := s.Score(t.Context(), run.ID, file, scored); err != nil {
			t.Fatal(err)
		}
		sameValues(t, scored, scores[i])
	}
	same(t, "result", results[0], results[1])
	same(t, "scores", scores[0], scores[1])

	binary, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	form := bytes.NewBufferString("")
	w := multipart.NewWriter(form)
	part, _ := w.CreateFormFile("file", "visits.parquet")
	part.Write(binary)
	w.Close()
	r, _ := http.NewRequest("POST", "http://127.0.0.1/api/v1/datasets", form)
	r.Header.Set("Content-Type", w.FormDataContentType())
	answer, err := program(t).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if said, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(string(said), "taper import FILE") {
		t.Errorf("%d %s", answer.StatusCode, said)
	}
}

// TestScoreParquetWithoutHeader: the scores of a file without a header have names in Parquet.
func TestScoreParquetWithoutHeader(t *testing.T) {
	text, err := os.ReadFile(visits(t))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "\n")
	folder := t.TempDir()
	file, scored := filepath.Join(folder, "bare.csv"), filepath.Join(folder, "scored.parquet")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	s, out, said := console(program(t), true)
	if err := s.Fit(t.Context(), command.Fit{Data: command.Data{File: file, Outcome: "c7", Event: []string{"yes"}},
		Spec: map[string]any{"predictors": []string{"c2", "c3"}, "model": map[string]any{"loss": "logistic"},
			"validation": map[string]any{"kind": "none"}}}); err != nil {
		t.Fatalf("%v %s", err, said)
	}
	var run struct{ ID string }
	if err := json.Unmarshal(out.Bytes(), &run); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := errors.Join(s.Score(t.Context(), run.ID, file, ""), s.Score(t.Context(), run.ID, file, scored)); err != nil {
		t.Fatal(err)
	}
	const header = "c1,c2,c3,c4,c5,c6,c7,score,probability,stratum,band,warning\n"
	if strings.HasPrefix(out.String(), "c1") {
		t.Errorf("the CSV of a file without a header has one")
	}
	sameValues(t, scored, append([]byte(header), out.Bytes()...))
	binary, err := os.ReadFile(scored)
	if err != nil {
		t.Fatal(err)
	}
	back, err := written.CSV(t.Context(), bytes.NewReader(binary), int64(len(binary)), table.DefaultLimits)
	if err != nil || !strings.HasPrefix(string(back), header) {
		t.Errorf("%.80q %v", back, err)
	}
}

// sameValues compares a Parquet file with the CSV of the same table.
func sameValues(t *testing.T, name string, text []byte) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	back, err := written.CSV(t.Context(), file, info.Size(), table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(bytes.NewReader(back)).ReadAll()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d rows, want %d: %v", len(got), len(want), err)
	}
	for i, row := range want {
		for j, cell := range row {
			a, err := strconv.ParseFloat(cell, 64)
			b, err2 := strconv.ParseFloat(got[i][j], 64)
			if cell != got[i][j] && (err != nil || err2 != nil || a != b) {
				t.Errorf("row %d, column %s: %q, want %q", i, want[0][j], got[i][j], cell)
			}
		}
	}
}

// TestImportShowsProgress: a terminal shows how far a file is read, and nothing of it when it is read.
func TestImportShowsProgress(t *testing.T) {
	var said bytes.Buffer
	s := command.New(program(t), command.Console{In: strings.NewReader(""), Out: io.Discard, Err: &said, Progress: true})
	if err := s.Import(t.Context(), command.Data{File: visits(t)}); err != nil {
		t.Fatal(err)
	}
	if got := said.String(); !strings.Contains(got, "\r\x1b[K  0 %  Reading the rows") ||
		!strings.Contains(got, "100 %  Checking the columns\r\x1b[K") {
		t.Errorf("%q", got)
	}
}
