package templates

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
)

// Button is one action. With Method POST it is a separate form, so that it works without scripts and is never
// nested in another form; otherwise a link.
type Button struct {
	Label   string
	Icon    string // name of a glyph, "" for none
	URL     string
	Method  string  // "POST", "" for a link
	Fields  []Field // hidden fields of the form
	Kind    string  // "1" primary (one per decision), "0" bare, "bad" deletes
	Large   bool
	Dialog  string // id of the dialog this opens first; without scripts URL is used
	Copy    string // copies this text; "here" means the page's own address
	Dropped bool   // a link that downloads a file
	Steer   bool   // a link to another state of the same page, which a script may open in place
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

// Notice is one entry of the list of questions and notes: a fact in bold, the question, and buttons labelled with
// the results.
type Notice struct {
	ID      string
	Kind    string // "ask", "stop", "done", "" a note
	Fact    string
	Text    string
	Buttons []Button // for "ask" and "stop"
	Undo    *Button  // for "done"
	More    []Button // further actions, as links after the sentence
	Table   *Table   // details of the sentence, collapsed; its Label is the summary
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

// Banner is a single warning or failure.
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

// Progress is a running job. live.js follows it by /jobs/{Job}/live and reloads the page when it ends, whatever the
// outcome.
type Progress struct {
	Job     string
	Step    string // "Fold 3 of 5"
	Detail  string
	Percent float64 // 0 to 100
	Time    string  // "6 s so far, about 9 s left"
	Cancel  *Button
}

// ProgressParts are the parts of its view that change with the job, by id.
func ProgressParts(p Progress) map[string]templ.Component {
	return map[string]templ.Component{p.Job + "-step": Words(p.Step), p.Job + "-percent": Words(p.share()),
		p.Job + "-bar": progressBar(p), p.Job + "-time": Words(p.Time)}
}

func (p Progress) share() string { return fmt.Sprintf("%.0f\u00a0%%", p.Percent) }

// Empty is shown where there is no content yet: what will be here, what it is good for, the next step.
type Empty struct {
	Title, Text string
	Buttons     []Button
}

// Dialog asks for confirmation before something is deleted: a question, the numbers of lost records, the safe button
// first.
type Dialog struct {
	ID, Question, Text string
	More               string // about Other; "" without
	Keep               string // label of the safe button
	Do                 Button
	Other              *Button // a way to delete less; nil for none
}

// Option is one choice of a Select, Radios or Segments.
type Option struct {
	Value, Label string
	Note         string // small text at the right (Radios)
	Group        string // heading in a Select of itself and of those after it with the same; "" for none
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

// groups are the runs of options with the same heading.
func (c Choice) groups() (all [][]Option) {
	for i, o := range c.Options {
		if i == 0 || o.Group != c.Options[i-1].Group {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], o)
	}
	return all
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

// shown is the value as the field shows it, with a minus sign.
func (f Input) shown() string {
	if _, err := strconv.ParseFloat(f.Value, 64); f.Numeric && err == nil {
		return phrase.Signs(f.Value)
	}
	return f.Value
}
