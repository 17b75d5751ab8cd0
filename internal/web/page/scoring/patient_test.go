package scoring

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/store"
)

// TestShortMedian checks for few digits, a value inside the range of the column, and a text that the form accepts.
func TestShortMedian(t *testing.T) {
	for _, c := range []struct {
		median, low, high float64
		want              string
	}{
		{0.31415926535897, 0, 1, "0.3142"},
		{-12.34567890123, -50, 3, "−12.35"},
		{20240131, 20240101, 20240331, "20240131"},
		{1234567.891, 0, 2e6, "1234568"},
		{1.00000123456, 1.000001, 1.000002, "1.000001235"},
		{1.0 / 3, 1.0 / 3, 1.0 / 3, "0.3333333333333333"},
		{0.66666666, 0.1, 0.66666666, "0.66666666"},
		{0.00001234567, 0, 1, "1.235e−5"},
	} {
		got := shortMedian(prep.Column{Kind: prep.Number, Median: c.median, Min: c.low, Max: c.high})
		if got != c.want {
			t.Errorf("%v in %v – %v: %s, want %s", c.median, c.low, c.high, got, c.want)
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(got, "\u2212", "-"), 64)
		if err != nil || v < c.low || v > c.high || math.Abs(v-c.median) > (c.high-c.low)/1000 || !plainNumber.MatchString(strings.ReplaceAll(got, "\u2212", "-")) {
			t.Errorf("%s is read as %v, %v", got, v, err)
		}
	}
}

// TestTextsOfTraining: the form takes what training reads, with either decimal mark: limits of detection, units and
// spaces between thousands, each only in a column whose file was read so.
func TestTextsOfTraining(t *testing.T) {
	for _, c := range []struct{ rule, decimal, text, want string }{
		{"limit", ",", "<0,5", "<0.5"}, {"limit", "", "< 0.5", "< 0.5"}, {"limit", "", "<0,5", "<0.5"}, {"limit", "", ">40", ">40"},
		{"limit", "", "≤0.5", "≤0.5"}, {"limit", ",", "0,5", "0,5"}, {"limit", "", "−0.5", "-0.5"}, {"limit", "", "n.d.", ""},
		{"strip", "", "12 mg/l", "12 mg/l"}, {"strip", "", ">= 3", ">= 3"}, {"", "", "1 234", "1 234"},
		{"limit", "", "<", ""}, {"limit", "", "<<1", "<<1"}, {"limit", "", "abc", ""}, {"", "", "<0.5", ""},
		{"missing", ",", "<0,5", ""}, {"limit", "", "12 mg/l", ""}, {"", "", "nd", ""},
	} {
		m := &model.Model{Columns: []prep.Column{{Name: "crp", Kind: prep.Number, NonNumeric: c.rule, Decimal: c.decimal,
			Thousands: " ", Missing: []string{"n.d."}}}}
		cells, err := Cells(m, url.Values{"x:crp": {c.text}})
		if (err != nil) != (c.want == "") || cells["crp"] != c.want {
			t.Errorf("%+v: %q, %v", c, cells["crp"], err)
		}
		if err != nil {
			continue
		}
		p := prep.Preprocessor{Columns: m.Columns, Terms: []prep.Term{{Name: "crp", Column: "crp", Kind: prep.Value, SD: 1}}}
		p.Columns[0].Min, p.Columns[0].Max = -100, 2000
		if said := p.Row(make([]float64, 1), func(string) (string, bool) { return cells["crp"], true }, "."); len(said) > 0 {
			t.Errorf("%+v: %q is not read as a number: %q", c, cells["crp"], said)
		}
	}
}

// TestRangesExplained: where the form has ranges beside numbers it says which ranges they are, elsewhere it does not.
func TestRangesExplained(t *testing.T) {
	for _, kind := range []string{prep.Number, prep.Category} {
		m := &model.Model{Columns: []prep.Column{{Name: "x", Kind: kind, Max: 1}}}
		note := PatientForm(store.Run{}, m, nil, nil).Note
		if says := strings.Contains(note, "is that of the training rows"); says != (kind == prep.Number) ||
			says != strings.Contains(note, "more than a quarter of its width") {
			t.Errorf("%s: %q", kind, note)
		}
	}
}
