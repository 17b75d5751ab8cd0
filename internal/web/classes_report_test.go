package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
)

// evilName is the name of a column and part of the name of a class.
const evilName = `<img src=x onerror=alert(1)>`

// stagesCSV has three classes of 60, 50 and 40 rows that two numbers separate, and a class of six rows.
func stagesCSV() string {
	var b strings.Builder
	b.WriteString("id,size," + evilName + ",side,stage\n")
	for i := range 156 {
		k := 0
		switch {
		case i >= 150:
			k = 3
		case i >= 110:
			k = 2
		case i >= 60:
			k = 1
		}
		size := fmt.Sprintf("%.1f", float64(3*k)+float64(i*7%40)/10)
		if i%50 == 3 {
			size = "n.k."
		}
		fmt.Fprintf(&b, "P%03d,%s,%.2f,%s,%s\n", i, size, float64(k)+float64(i*37%101)/60, []string{"left", "right"}[i%2], []string{"low", "mid", "high", "top " + evilName}[k])
	}
	return b.String()
}

// numberedSections finds the titles of a report with their numbers; sections of the first page have none.
var numberedSections = regexp.MustCompile(`<h2>(?:<span>([^<]*)</span>)? ?([^<]*)</h2>`)

// sectionsOf splits a report into the texts of its sections.
func sectionsOf(t *testing.T, html string) (titles []string, words map[string]string) {
	t.Helper()
	words = map[string]string{}
	at := numberedSections.FindAllStringSubmatchIndex(html, -1)
	numbers, appendices := 0, 0
	for i, m := range at {
		end := len(html)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		title := html[m[4]:m[5]]
		if m[2] >= 0 {
			n := html[m[2]:m[3]]
			if letter, lettered := strings.CutPrefix(n, "Appendix "); lettered {
				if letter != doc.Letter(appendices) {
					t.Errorf("appendix %s is %s", title, n)
				}
				appendices++
			} else if numbers++; n != strconv.Itoa(numbers) || appendices > 0 {
				t.Errorf("section %s is number %s", title, n)
			}
		}
		titles, words[title] = append(titles, title), strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(html[m[1]:end]))
	}
	return titles, words
}

// TestClassReports makes the report of every multiclass task: it has all sections, names are escaped, and nothing
// reveals the class of six rows or, from the total, the 40 rows of the class masked with it.
func TestClassReports(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := bring(t, s, stagesCSV())
	levels := []string{"low", "mid", "high", "top " + evilName}
	want := slices.DeleteFunc(slices.Clone(reportSections), func(title string) bool { return title == "Strata in detail" })
	want[1] = "Answers"
	for task, says := range map[string]map[string]string{
		"multiclass": {"Data": "unordered classes", "Performance": "AUC against the others", "Classification": "The cost matrix takes their place", "TRIPOD+AI": "Answers are weighed by what they cost. 14"},
		"ordinal":    {"Data": "ordered classes: low, mid, high", "Performance": "AUC against the others", "Classification": "kappa and macro F1 are masked", "TRIPOD+AI": "accuracy, precision and recall"},
		"abstain":    {"Data": "classes or no answer", "Performance": "AUC against the others", "Classification": "No answer 0.", "TRIPOD+AI": "A class, or abstention"},
	} {
		for _, v := range []runspec.Validation{{Kind: "cv", Folds: 3}, {Kind: "split", Test: .3}} {
			spec := runspec.Spec{Dataset: d.ID, Outcome: "stage", Task: task, Levels: levels, Predictors: []string{"size", evilName, "side"}, Seed: 5, Validation: v,
				Model: fit.Spec{Kind: "linear", L2: fit.L2{Value: .01}}}
			run := trained(t, s, spec)
			html := ask(s, "GET", "/report/"+run.ID, "", browser).Body.String()
			if strings.Contains(html, "<img") || !strings.Contains(html, "&lt;img") {
				t.Errorf("%s: a name is markup, or not there", task)
			}
			titles, words := sectionsOf(t, html)
			if !slices.Equal(titles, want) {
				t.Fatalf("%s: sections %q", task, titles)
			}
			for title, text := range map[string]string{"Data": "Left out: id (identifier)", "Model": "model.json", "Robustness": "Softmax regression", "Label audit": "No reviewed labels were used",
				"Subgroups": "binary runs only", "Limits": "Fewer than 10 rows of class", "TRIPOD+AI": "Author to complete", "Verdict": "Softmax regression: "} {
				if !strings.Contains(words[title], text) {
					t.Errorf("%s, %s: %s lacks %q: %s", task, v.Kind, title, text, words[title])
				}
			}
			for title, text := range says {
				if !strings.Contains(words[title], text) {
					t.Errorf("%s, %s: %s lacks %q: %s", task, v.Kind, title, text, words[title])
				}
			}
			hidden := map[string]*regexp.Regexp{"cv": regexp.MustCompile(`\b(6|40)\b( \(| n|$| low| top)|n = (6|40)\b|\b(high|top <[^>]*>) (6|40)\b`), "split": regexp.MustCompile(`Table 1|\btop <[^>]*> [1-9]\b [^–]`)}[v.Kind]
			if leak := hidden.FindString(words["Data"]); leak != "" || !strings.Contains(words["Data"], "are masked") {
				t.Errorf("%s, %s: the data tell %q: %s", task, v.Kind, leak, words["Data"])
			}
			if v.Kind == "cv" && !strings.Contains(words["Data"], "Table 1") {
				t.Errorf("%s: no Table 1", task)
			}
			if !strings.Contains(words["Robustness"], "would disclose masked counts") || strings.Contains(words["Robustness"], "No predictors") {
				t.Errorf("%s: the shares of the classes stand beside the model: %s", task, words["Robustness"])
			}
			var again runspec.Spec
			if _, call, _ := strings.Cut(words["Reproduce this run"], "POST /api/v1/runs Content-Type: application/json "); json.NewDecoder(strings.NewReader(call)).Decode(&again) != nil || again.Task != task || again.Seed != 5 {
				t.Errorf("%s: the call is %s", task, words["Reproduce this run"])
			}
		}
	}
}
