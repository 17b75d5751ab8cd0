package templates

import (
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
)

// Slider is one number that a user steers: label, number field, reset; native
// range over a drawn scale; hint. The field carries the name and the value
// that is sent; the range only moves it.
type Slider struct {
	ID, Name string
	Label    string // words: "Penalty"
	Symbol   string // set in italic before the words: "π", "t"
	Sub      string // subscript of the symbol: "1"
	Note     string // small grey words after the label: "25 %"
	Unit     string // spoken and shown after the value in aria-valuetext

	Min, Max, Step float64
	Value, Default float64
	Text           string // the value as shown, when Value's shortest form will not do
	// Stops replaces Min, Max and Step by a list of values as text, for scales
	// that are not even (λ = 2^-15…2^10). The range then steps through the
	// list; Value and Default are indexes into it.
	Stops []string

	Ticks    []Tick
	Usual    [2]float64 // shaded part of the scale, as shares of its length
	Hint     string     // what the value means
	Error    string     // what was wrong with a value that was asked for
	Spoken   string     // aria-valuetext in words; "" = label and value
	Disabled bool       // Hint then says why
	Compact  bool       // one line: label, range, number, reset
	NoReset  bool       // leaves out the reset button

	Percent   bool            // value, ends and steps are in per cent; a typed % is read
	Free      bool            // values between the Stops may be typed
	Low, High string          // tighter ends than the scale's, as text; "" for none
	Extra     templ.Component // a button beside the reset, or nil
}

// Tick is a named place on a slider's scale.
type Tick struct {
	At    float64 // share of the length, 0 to 1
	Label string  // "" draws the tick alone
}

// anchor keeps labels that are wider than the thumb, of three characters or more, at the ends of the scale inside it.
func (t Tick) anchor() string {
	switch long := len([]rune(t.Label)) > 2; {
	case long && t.At <= 0:
		return "start"
	case long && t.At >= 1:
		return "end"
	}
	return "middle"
}

func (s Slider) min() string {
	if s.Stops != nil {
		return "0"
	}
	return num(s.Min)
}

func (s Slider) max() string {
	if s.Stops != nil {
		return strconv.Itoa(len(s.Stops) - 1)
	}
	return num(s.Max)
}

func (s Slider) step() string {
	if s.Stops != nil {
		return "1"
	}
	return num(s.Step)
}

// shown is the text of the number field.
func (s Slider) shown() string { return phrase.Signs(s.text(s.Value, s.Text)) }

// preset is the text the reset button restores.
func (s Slider) preset() string { return s.text(s.Default, "") }

func (s Slider) text(v float64, given string) string {
	switch {
	case given != "":
		return given
	case s.Stops == nil:
		return num(v)
	case v >= 0 && int(v) < len(s.Stops):
		return s.Stops[int(v)]
	}
	return ""
}

// share is the filled part of the scale as a percentage.
func (s Slider) share() string {
	lo, hi := s.Min, s.Max
	if s.Stops != nil {
		lo, hi = 0, float64(len(s.Stops)-1)
	}
	if hi <= lo {
		return "0%"
	}
	return percent((s.Value - lo) / (hi - lo))
}

func (s Slider) spoken() string {
	if s.Spoken != "" {
		return s.Spoken
	}
	return s.name() + " " + s.shown() + s.Unit
}

// name is the slider's label as plain words.
func (s Slider) name() string {
	name := s.Symbol + s.Sub
	if name != "" && s.Label != "" {
		name += " "
	}
	return name + s.Label
}

// num prints the shortest form that reads back as the same number.
func num(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent prints a share of a length for an SVG attribute.
func percent(share float64) string {
	return strconv.FormatFloat(100*min(max(share, 0), 1), 'f', 2, 64) + "%"
}
