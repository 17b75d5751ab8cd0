package templates

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
)

// Button is one action. With Method POST it is a form of its own, so it works
// without scripts and never nests in another form; otherwise a link.
type Button struct {
	Label   string
	Icon    string // name of a glyph, "" for none
	URL     string
	Method  string  // "POST", "" for a link
	Fields  []Field // hidden fields of the form
	Kind    string  // "1" filled (one a decision), "0" bare, "bad" destroys
	Large   bool
	Dialog  string // id of the dialog this opens first; needs scripts, URL is the way without
	Copy    string // copies this text; "here" the page's own address
	Dropped bool   // a link that saves a file
	Steer   bool   // a link to another state of the same page: a script may go there without leaving
}

// Field is a hidden form field.
type Field struct{ Name, Value string }

func (b Button) class() string {
	c := "btn"
	if b.Kind != "" {
		c += " btn-" + b.Kind
	}
	if b.Large {
		c += " btn-lg"
	}
	return c
}

// Chip is a glyph and a word.
type Chip struct {
	Icon  string
	Label string
	Kind  string // "" plain, "accent", "warn", "bad", "bare"
}

// Verdict is the chip of a stratum's verdict (docs/clinical.md, Statistics).
func Verdict(v string) Chip {
	switch v {
	case "inside":
		return Chip{"check", v, "accent"}
	case "compatible":
		return Chip{"approx", v, ""}
	case "unclear":
		return Chip{"help", v, "warn"}
	case "outside":
		return Chip{"bad", v, "bad"}
	}
	return Chip{"dash", v, "bare"}
}

// Status is the chip of a run's status.
func Status(v string) Chip {
	switch v {
	case "done":
		return Chip{"check", v, "accent"}
	case "failed":
		return Chip{"bad", v, "bad"}
	case "interrupted", "cancelled":
		return Chip{"stop", v, "warn"}
	}
	return Chip{"clock", v, ""}
}

// Notice is one entry of the list of questions and notes: a fact in bold, the
// question, and buttons that name the outcomes.
type Notice struct {
	ID      string
	Kind    string // "ask", "stop", "done", "" a note
	Fact    string
	Text    string
	Buttons []Button // for "ask" and "stop"
	Undo    *Button  // for "done"
	More    []Button // further actions, set as words after the sentence
	Table   *Table   // what the sentence sums up, folded; its Label is the summary
}

func (n Notice) icon() string {
	switch n.Kind {
	case "ask":
		return "warn"
	case "stop":
		return "bad"
	case "done":
		return "check"
	}
	return "info"
}

func (n Notice) class() string {
	if n.Kind == "ask" || n.Kind == "stop" {
		return "warn warn-" + n.Kind
	}
	return "warn"
}

// Banner is a one-off doubt or failure.
type Banner struct {
	Fact, Text string
	Bad, Good  bool
	Button     *Button
}

func (b Banner) class() string {
	switch {
	case b.Bad:
		return "banner banner-bad"
	case b.Good:
		return "banner banner-good"
	}
	return "banner"
}

func (b Banner) icon() string {
	switch {
	case b.Bad:
		return "bad"
	case b.Good:
		return "check"
	}
	return "warn"
}

// Progress is a job under way. live.js follows it by /jobs/{Job}/live and loads the page again
// when it ends, however it ends.
type Progress struct {
	Job     string
	Step    string // "Fold 3 of 5"
	Detail  string
	Percent float64 // 0 to 100
	Time    string  // "6 s so far, about 9 s left"
	Cancel  *Button
}

// ProgressParts are the parts of its view that follow the job, by their ids.
func ProgressParts(p Progress) map[string]templ.Component {
	return map[string]templ.Component{p.Job + "-step": Words(p.Step), p.Job + "-percent": Words(p.share()),
		p.Job + "-bar": progressBar(p), p.Job + "-time": Words(p.Time)}
}

func (p Progress) share() string { return fmt.Sprintf("%.0f\u00a0%%", p.Percent) }

// Empty is what stands where nothing is yet: what will be here, why it is
// worth it, the next step.
type Empty struct {
	Title, Text string
	Buttons     []Button
}

// Dialog asks before something is lost: a question, the loss in numbers, the
// safe button first.
type Dialog struct {
	ID, Question, Text string
	More               string // about Other; "" without
	Keep               string // label of the safe button
	Do                 Button
	Other              *Button // a way to lose less; nil for none
}

// Option is one choice of a Select, Radios or Segments.
type Option struct {
	Value, Label string
	Note         string // small words at the right (Radios)
	On           bool
	Disabled     bool
}

// Choice is a named set of options, shown as Select, Radios or Segments.
type Choice struct {
	ID, Name, Label string
	Options         []Option
	Mini            bool // a select inside a table
	Hidden          bool // the label is for screen readers only
}

// Input is a text field with its label.
type Input struct {
	ID, Name, Label, Value string
	Type                   string // "" text
	Placeholder, Hint      string
	Error                  string
	Numeric                bool // decimal keyboard; decimal comma accepted
	Percent                bool // takes per cent; percent.js says what a value below 1 means
}

// shown is the value as the field shows it: a number with a real minus.
func (f Input) shown() string {
	if _, err := strconv.ParseFloat(f.Value, 64); f.Numeric && err == nil {
		return phrase.Signs(f.Value)
	}
	return f.Value
}
