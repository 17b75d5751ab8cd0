package study

import (
	"math"
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// Data is an uploaded table that replaces a preset's own data.
type Data struct {
	Name       string
	Table      *table.Table
	Outcome    string
	Positive   table.Levels // event for two classes; none = more classes, or by order
	Negative   table.Levels // none = the only other level
	Levels     []string     // order of more than two classes; nil = order in the file
	Predictors []string     // nil = every usable column
}

// Input are the arguments from which a preset builds its plan.
type Input struct {
	Size Size
	Seed uint64
	Data *Data // nil = the preset's own
}

// Preset replicates a figure or a table of a paper.
type Preset struct {
	ID       string
	Title    string
	Source   string // the paper
	Figure   string // the figure or table
	Protocol string // in words
	Uploads  bool   // whether an uploaded table can replace its own data
	// pairs of texts: a part of Title or Protocol about its own data, and its replacement for an upload
	UploadTexts []string
	Build       func(Input) (Plan, error)
	Drawing     Drawing
	Data        DataTable // datasets in addition to its own
	// the protocol as a grid that users can modify; nil = none. Without a dataset the user names one
	Grid *Spec

	ExternalModel *ExternalModel // a method of the figure that another program computes; predictions are uploaded

	References []Reference
	NoNumbers  string // what the paper prints instead of numbers, as a sentence; "" if there are References
	Notes      []Note // where a claim of the paper does not hold as stated
}

// ForUpload returns title and protocol for an upload.
func (p Preset) ForUpload() (title, protocol string) {
	r := strings.NewReplacer(p.UploadTexts...)
	return r.Replace(p.Title), r.Replace(p.Protocol)
}

// MeasuresTime reports whether some of a preset's numbers are times measured here.
func (p Preset) MeasuresTime() bool {
	return slices.ContainsFunc(p.Drawing.Metrics, func(m Metric) bool { return m.ID == "seconds" })
}

// Axis names the part of a Key along which a drawing extends.
type Axis struct {
	Title string `json:"title"`
	Of    string `json:"of"` // "at", "noise", "model", "data", "metric"; "" = none
	Log   bool   `json:"log,omitempty"`
}

// Kinds of a Drawing.
const (
	DrawLine      = "line"      // mean with its 95 % band against X
	DrawBox       = "box"       // box plot of the replicates for each X
	DrawHistogram = "histogram" // values at X are counts or shares
	DrawTable     = "table"
	DrawScatter   = "scatter" // replicates as points: metric "x" against metric "y"
)

// Drawing says how a study's cells become a figure.
type Drawing struct {
	Kind     string   `json:"kind"`
	X        Axis     `json:"x"`
	Y        Axis     `json:"y"`       // if Of is the metric, the one shown first
	Series   Axis     `json:"series"`  // one line or box colour per value
	Panels   Axis     `json:"panels"`  // one chart per value
	Metrics  []Metric `json:"metrics"` // the user can choose; the first is the default
	Median   bool     `json:"median"`  // medians with their SE instead of means
	Baseline *Line    `json:"baseline,omitempty"`
	Uprights *Upright `json:"uprights,omitempty"`
	// of a table: mean and marks of each series, over the data whose names have the same ending after the
	// last comma
	Totals bool `json:"totals,omitempty"`
}

// Metric is a number that a study records.
type Metric struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Higher bool   `json:"higher"` // higher is better
}

// Line is a horizontal line: the Bayes loss, or a number of the paper.
type Line struct {
	Title string             `json:"title"`
	At    map[string]float64 `json:"at"` // by panel; "" = all
}

// Upright are vertical lines: the cut-offs of a score, or the Bayes boundaries.
type Upright struct {
	Title string               `json:"title"` // for all lines, after “Dashed:”
	At    map[string][]float64 `json:"at"`    // places along X by panel, ascending; "" = all
}

// Note is information about a preset. A note with a Claim corrects a sentence of the paper
// (docs/reference-numbers.md, Where a claim does not hold).
type Note struct {
	Claim   string                    // what the paper says; "" = the note corrects no claim
	Text    string                    // for a claim: why it does not hold
	Finding func(cells []Cell) string // our own result as a sentence; "" until it exists
}

// NotesOn returns the notes with our own results from the cells.
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

// Find returns the cell of a key, nil if there is none.
func Find(cells []Cell, k Key) *Cell {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.Key == k })
	if i < 0 {
		return nil
	}
	return &cells[i]
}

// MeanOf returns the mean of a key's cell, NaN if there is none.
func MeanOf(cells []Cell, k Key) float64 {
	if c := Find(cells, k); c != nil && c.Mean != nil {
		return *c.Mean
	}
	return math.NaN()
}

// Presets are the figures and tables that a study can replicate, in order.
type Presets []Preset

// ByID returns the preset of that id.
func (all Presets) ByID(id string) (Preset, bool) {
	i := slices.IndexFunc(all, func(p Preset) bool { return p.ID == id })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

func (all Presets) ids() (ids []string) {
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return ids
}
