package study

import (
	"math"
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// Data is an uploaded table in place of a preset's own data.
type Data struct {
	Name       string
	Table      *table.Table
	Outcome    string
	Positive   table.Levels // the event of two classes; none = more classes, or by its order
	Negative   table.Levels // none = the only other level
	Levels     []string     // order of more classes; nil = order in the file
	Predictors []string     // nil = every usable column
}

// Input is what a preset builds its plan from.
type Input struct {
	Size Size
	Seed uint64
	Data *Data // nil = the preset's own
}

// Preset redoes a figure or a table of a paper.
type Preset struct {
	ID       string
	Title    string
	Source   string // the paper
	Figure   string // the figure or table
	Protocol string // in words
	Uploads  bool   // takes an uploaded table in place of its own data
	// of Title and Protocol what speaks of its own data, each before what stands there on an upload
	UploadTexts []string
	Build       func(Input) (Plan, error)
	Drawing     Drawing
	Data        DataTable // sets beside its own data
	// as a grid to change and save as one's own; nil = it is none. Without a dataset the user names one
	Grid *Spec

	ExternalModel *ExternalModel // another program's method of the figure, by upload of its predictions

	References []Reference
	NoNumbers  string // what stands in the paper in place of References, as a sentence; "" = there are some
	Notes      []Note // where a claim of the paper does not hold as stated
}

// ForUpload is the title and the protocol where the data are an upload.
func (p Preset) ForUpload() (title, protocol string) {
	r := strings.NewReplacer(p.UploadTexts...)
	return r.Replace(p.Title), r.Replace(p.Protocol)
}

// MeasuresTime reports whether some of a preset's numbers are times measured here.
func (p Preset) MeasuresTime() bool {
	return slices.ContainsFunc(p.Drawing.Metrics, func(m Metric) bool { return m.ID == "seconds" })
}

// Axis names the part of a Key that a drawing spreads out.
type Axis struct {
	Title string `json:"title"`
	Of    string `json:"of"` // "at", "noise", "model", "data", "metric"; "" = none
	Log   bool   `json:"log,omitempty"`
}

// Kinds of a Drawing.
const (
	DrawLine      = "line"      // mean with its 95 % band against X
	DrawBox       = "box"       // box of the replicates for each X
	DrawHistogram = "histogram" // values at X are counts or shares
	DrawTable     = "table"
	DrawScatter   = "scatter" // replicates as points: metric "x" against metric "y"
)

// Drawing says how a study's cells become a figure.
type Drawing struct {
	Kind     string   `json:"kind"`
	X        Axis     `json:"x"`
	Y        Axis     `json:"y"`       // Of names the metric shown first
	Series   Axis     `json:"series"`  // one line or box colour each
	Panels   Axis     `json:"panels"`  // one chart each
	Metrics  []Metric `json:"metrics"` // to choose from; the first is shown
	Median   bool     `json:"median"`  // medians with their SE, not means
	Baseline *Line    `json:"baseline,omitempty"`
	Uprights *Upright `json:"uprights,omitempty"`
	// of a table: the mean and the marks of each series, over the data whose names end alike after the last comma
	Totals bool `json:"totals,omitempty"`
}

// Metric is a number that a study records.
type Metric struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Higher bool   `json:"higher"` // is better
}

// Line is a level drawn across: the Bayes loss, a paper's own number.
type Line struct {
	Title string             `json:"title"`
	At    map[string]float64 `json:"at"` // by panel; "" = all
}

// Upright are lines drawn upwards: the cut-offs of a score, the Bayes boundaries.
type Upright struct {
	Title string               `json:"title"` // of them all, after “Dashed:”
	At    map[string][]float64 `json:"at"`    // places along X by panel, ascending; "" = all
}

// Note is what to know of a preset beside its numbers; one with a Claim is a sentence of the paper
// that did not hold as stated (docs/reference-numbers.md, Where a claim does not hold).
type Note struct {
	Claim   string                    // what the paper says; "" = the note corrects no claim
	Text    string                    // of a claim: why it does not hold
	Finding func(cells []Cell) string // our own figure as a sentence; "" while it is not there
}

// NotesOn returns the notes with our own figures from the cells.
func (p Preset) NotesOn(cells []Cell) []string {
	var all []string
	for _, n := range p.Notes {
		text := n.Text
		if n.Claim != "" {
			text = "The paper says: “" + strings.TrimSuffix(n.Claim, ".") + ".” " + text
		}
		if n.Finding != nil {
			if own := n.Finding(cells); own != "" {
				text += " " + own
			}
		}
		all = append(all, text)
	}
	return all
}

// Find returns the cell of a key, nil without one.
func Find(cells []Cell, k Key) *Cell {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Key == k })
	if i < 0 {
		return nil
	}
	return &cells[i]
}

// MeanOf returns the mean of a key's cell, NaN without one.
func MeanOf(cells []Cell, k Key) float64 {
	if c := Find(cells, k); c != nil && c.Mean != nil {
		return *c.Mean
	}
	return math.NaN()
}

// Presets are the figures and tables that a study can redo, in their order.
type Presets []Preset

// ByID returns the preset of that id.
func (all Presets) ByID(id string) (Preset, bool) {
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}
