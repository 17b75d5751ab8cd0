package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"taper/internal/web/page/report"
	"taper/internal/web/render"
	"taper/web/templates"
)

var (
	rowsOfTables    = regexp.MustCompile(`(?s)<tr[ >].*?</tr>`)
	cellsOfRows     = regexp.MustCompile(`(?s)<td[ >].*?</td>`)
	spokenAlone     = regexp.MustCompile(`(?s)<span class="vh">.*?</span>`)
	differenceWords = regexp.MustCompile(`\b(better|worse|no significant difference)\b`)
	limitsOfCI      = regexp.MustCompile(`([−+]?[0-9.]+) – ([−+]?[0-9.]+)`)
)

// contradictions lists the verdicts in the tables of a page that contradict the interval in their cell or row.
func contradictions(html string) (all []string, verdicts int) {
	limit := func(text string) float64 {
		v, _ := strconv.ParseFloat(strings.NewReplacer("−", "-", "+", "").Replace(text), 64)
		return v
	}
	for _, row := range rowsOfTables.FindAllString(html, -1) {
		var interval []string // the last one
		for _, cell := range cellsOfRows.FindAllString(row, -1) {
			text := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(plain(spokenAlone.ReplaceAllString(cell, "")))
			if found := limitsOfCI.FindStringSubmatch(text); found != nil {
				interval = found
			}
			word := differenceWords.FindString(text)
			if word == "" {
				continue
			}
			verdicts++
			if interval == nil {
				all = append(all, fmt.Sprintf("no interval: %s", text))
				continue
			}
			low, high := limit(interval[1]), limit(interval[2])
			if holds := low < 0 && high > 0; holds != (word == "no significant difference") && low != 0 && high != 0 {
				all = append(all, fmt.Sprintf("%s beside %s", word, interval[0]))
			}
		}
	}
	return all, verdicts
}

// TestContradictions: the reader of the tables detects contradictions.
func TestContradictions(t *testing.T) {
	cell := func(text string) string { return "<table><tr><th>AUC</th><td>" + text + "</td></tr></table>" }
	for _, c := range []struct {
		text string
		bad  bool
	}{
		{"−0.0098 no significant difference (−0.0178 – −0.0017)", true}, {"+0.1 better (−0.1 – +0.3)", true},
		{"+0.1 better", true}, {"+0.1</td><td>worse", true},
		{"+0.1 better (+0.05 – +0.3)", false}, {"−0.0098 (−0.0178 – −0.0017)</td><td>worse", false},
		{"+0.1 no significant difference (−0.1 – +0.3)", false}, {"+0.1 (−0.1 – +0.3)</td><td>no significant difference", false},
		{`0.7 <span class="vh">higher is better</span>`, false},
	} {
		if all, _ := contradictions(cell(c.text)); len(all) > 0 != c.bad {
			t.Errorf("%s: %q", c.text, all)
		}
	}
}

// TestNothingContradictsItsInterval: comparisons, the pages of a run and its report, binary and multiclass, give no
// verdict that contradicts the interval beside it.
func TestNothingContradictsItsInterval(t *testing.T) {
	s, _ := testServer(t, Config{})
	data := sendFile(t, s, "heart-clinic.csv", nil)
	runs := []string{runTo(t, s, fmt.Sprintf(alphaSpec, data)),
		runTo(t, s, strings.Replace(fmt.Sprintf(alphaSpec, data), `"l2":0.02`, `"l2":900`, 1)),
		runTo(t, s, strings.Replace(fmt.Sprintf(alphaSpec, data), `"alpha":2`, `"alpha":1.5`, 1))}
	found := 0
	for _, url := range []string{"/compare?all=1&ids=" + strings.Join(runs, ","), "/runs/" + runs[1],
		"/runs/" + runs[1] + "/performance", "/runs/" + runs[1] + "/model",
		"/report/" + runs[1], "/report/" + runs[0]} {
		w := ask(s, http.MethodGet, url, "", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", url, w.Code)
		}
		bad, n := contradictions(w.Body.String())
		if found += n; len(bad) > 0 {
			t.Errorf("%s: %q", url, bad)
		}
	}
	run, sheet := reportRun()
	bad, _ := contradictions(reportHTML(t, templates.ReportSheet(render.Report(report.Build(run, sheet), run.ID))))
	if found < 10 || len(bad) > 0 {
		t.Errorf("%d verdicts; %q", found, bad)
	}
}
