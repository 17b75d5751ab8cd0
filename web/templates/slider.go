package templates

import (
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
)

// Slider is a control for one number: label, number field, reset button; a native range over a drawn scale; a hint.
// The number field has the name and the value that are sent; the range only changes it.
type Slider struct {
	ID, Name string
	Label    string // words: "Penalty"
	Symbol   string // set in italic before the words: "π", "t"
	Sub      string // subscript of the symbol: "1"
	Note     string // small grey words after the label: "25 %"
	Unit     string // spoken and shown after the value in aria-valuetext

	Min, Max, Step float64
	Value, Default float64
	Text           string // the value as shown, where the shortest form is unsuitable
	// Stops replaces Min, Max and Step by a list of values as text, for uneven scales (λ = 2^-15…2^10). The
	// range then has the indices of the list; Value and Default are such indices.
	Stops []string

	Ticks    []Tick
	Usual    [2]float64 // shaded part of the scale, as shares of its length
	Hint     string     // meaning of the value
	Error    string     // error of the value that was requested
	Spoken   string     // aria-valuetext; "" = label and value
	Disabled bool       // Hint explains why
	Compact  bool       // one line: label, range, number, reset
	NoReset  bool       // without a reset button

	Percent   bool            // value, ends and steps are in per cent; a typed % is read
	Free      bool            // values between the Stops can be typed
	Low, High string          // limits inside the scale, as text; "" for none
	Extra     templ.Component // a button beside the reset, or nil
}

// Tick is a labelled position on a slider's scale.
type Tick struct {
	At    float64 // share of the length, 0 to 1
	Label string  // "" draws only the tick
}

// anchor keeps labels of three and more characters inside the scale at its ends.
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

// preset is the text that the reset button restores.
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
	return s.name() + " " + s.worded(s.text(s.Value, s.Text))
}

// worded is a value of the slider for a sentence, as slider.js words it.
func (s Slider) worded(text string) string { return phrase.Typeset(text) + s.Unit }

// name is the slider's label as plain words.
func (s Slider) name() string {
	name := s.Symbol + s.Sub
	if name != "" && s.Label != "" {
		name += " "
	}
	return name + s.Label
}

// num is the shortest text that parses to the same number.
func num(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent prints a share of a length for an SVG attribute.
func percent(share float64) string {
	return strconv.FormatFloat(100*min(max(share, 0), 1), 'f', 2, 64) + "%"
}
