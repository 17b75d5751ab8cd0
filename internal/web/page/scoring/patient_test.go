package scoring

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/usererr"
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

// TestThousandsTyped: where a comma or a point separated thousands in the training file, a typed number is read by that
// format or refused with it, and the form writes its numbers in it. A model whose score is the value shows the value.
func TestThousandsTyped(t *testing.T) {
	for _, c := range []struct {
		thousands, decimal, text string
		want                     float64
		refused                  string
	}{
		{",", ".", "1,500", 1500, ""}, {",", ".", "1,500.5", 1500.5, ""}, {",", ".", "1.5", 1.5, ""},
		{",", ".", "\u22121,500", -1500, ""}, {",", ".", "1,5", 0, "1,234.5"}, {",", ".", "0,500", 0, "1,234.5"},
		{".", ",", "1.500", 1500, ""}, {".", ",", "1.500,5", 1500.5, ""}, {".", ",", "1,500", 1.5, ""},
		{".", ",", "1.5", 0, "1.234,5"}, {"", ".", "1,500", 1.5, ""}, {"", ",", "1.500", 1.5, ""},
		{" ", ".", "1 500", 1500, ""}, {".", ",", "default", 2.5, ""}, {",", ".", "default", 2.5, ""},
	} {
		p := prep.Preprocessor{Columns: []prep.Column{{Name: "x", Kind: prep.Number, Decimal: c.decimal,
			Thousands: c.thousands, Min: -2000, Max: 2000.5, Median: 2.5}},
			Terms: []prep.Term{{Name: "x", Column: "x", Kind: prep.Value, SD: 1}}}
		m, sent := &model.Model{Columns: p.Columns}, url.Values{"x:x": {c.text}}
		if c.text == "default" {
			sent = url.Values{}
		}
		input := PatientForm(store.Run{}, m, url.Values{}, nil).Fields[0].Input
		for _, shown := range []string{input.Value, strings.Split(input.Hint, phrase.To)[1]} {
			if v, ok := typedNumber(&p.Columns[0], shown); !ok || c.decimal == "," && strings.Contains(v, ".") &&
				c.thousands != "" {
				t.Errorf("%+v: the form shows %s, which it does not read", c, shown)
			}
		}
		cells, err := Cells(m, sent)
		if e, bad := usererr.As(err); bad != (c.refused != "") || bad && !strings.Contains(e.Fields[0].Message, c.refused) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil {
			continue
		}
		dst := make([]float64, 1)
		p.Row(dst, func(string) (string, bool) { return cells["x"], true }, ".")
		if dst[0] != c.want {
			t.Errorf("%+v: read as %v by %q", c, dst[0], cells["x"])
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
