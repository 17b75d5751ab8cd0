package stratify

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/web/resultview"
)

// TestAxes: eight increasing ends are used; for another method, and for any other text, the axes follow from the
// data.
func TestAxes(t *testing.T) {
	parseAxes := func(text string) resultview.Axes {
		p := Page{query: url.Values{"axes": {text}}}
		p.State.Method.ID = "logistic"
		return p.axes()
	}
	if got := parseAxes("logistic.interval.rbf,-3,4,0,.25,-9,9,-8,8"); got.Density.X != [2]float64{-3, 4} || got.PCA.Y != [2]float64{-8, 8} {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"", "1,2", "1,2,3,4,5,6,7,x", "2,1,0,1,0,1,0,1", "NaN,1,0,1,0,1,0,1",
		"-Inf,1,0,1,0,1,0,1"} {
		if text = "logistic.interval.rbf," + text; parseAxes(text) != (resultview.Axes{}) {
			t.Errorf("axes %q are taken", text)
		}
	}
	for _, text := range []string{"boost.interval.rbf,-3,4,0,.25,-9,9,-8,8", "-3,4,0,.25,-9,9,-8,8"} {
		if parseAxes(text) != (resultview.Axes{}) {
			t.Errorf("axes %q are taken", text)
		}
	}
}

// TestPredictorsCounted: the count beside “Predictors” is of columns that can be one, without the outcome and without
// an identifier.
func TestPredictorsCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString("patient_id,age,marker,died\n")
	for i := range 60 {
		fmt.Fprintf(&b, "P%04d,%d,%d.5,%s\n", 7*i+1000, 40+i%37, i%11, []string{"no", "yes"}[i%3/2])
	}
	data, err := table.Read(t.Context(), []byte(b.String()), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	p := Page{table: data}
	p.State.Outcome, p.State.Predictors = "died", []string{"age"}
	if got := p.predictors().Count; got != "1 of 2" {
		t.Errorf("predictors %s", got)
	}
}
