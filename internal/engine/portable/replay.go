package portable

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
)

// Replay holds artificial rows with the engine's predictions, by which a copy of the model is
// tested. The rows are drawn from the content of the model (ranges, knots, splits, levels), so
// they reveal nothing beyond it.
type Replay struct {
	Blocks []Block `json:"blocks"`
}

// Block is a set of rows that vary some columns; all others have their typical values, the
// median or the reference.
type Block struct {
	Columns []int      `json:"columns"` // indices of the model's columns
	Rows    [][]any    `json:"rows"`    // the cells of each row: a number, a text, nil for missing
	Answers []Expected `json:"answers"`
}

// Expected is the engine's prediction for a row.
type Expected struct {
	Scores        []float64 `json:"f"`           // one, or one per class
	Probabilities []float64 `json:"p,omitempty"` // empty without a link
	Answer        int       `json:"a"`           // the band, or the class; −1 for abstention
	Outside       bool      `json:"o,omitempty"` // outside the data
}

// The size of a replay: the least number of rows, and the most columns that vary in a row. A
// model with hundreds of columns divides the rows into blocks of columns.
const (
	replayRows    = 200
	replayColumns = 24
	blockRows     = 12
)

// replaySeed is fixed so that the copies of a model have the same bytes each time.
const replaySeed = 20160101

// Replay draws the rows and computes the engine's predictions.
func (p *Model) Replay() (Replay, error) {
	scorer, err := p.Scorer()
	if err != nil {
		return Replay{}, err
	}
	source := rand.New(rand.NewPCG(replaySeed, uint64(len(p.Columns))))
	order := source.Perm(len(p.Columns))
	blocks := slices.Collect(slices.Chunk(order, replayColumns))
	var out Replay
	for _, columns := range blocks {
		slices.Sort(columns)
		b := Block{Columns: columns}
		for range max((replayRows+len(blocks)-1)/len(blocks), blockRows) {
			row := make([]any, len(columns))
			for i, k := range columns {
				row[i] = p.draw(source, k)
			}
			b.Rows, b.Answers = append(b.Rows, row), append(b.Answers, p.expected(scorer, columns, row))
		}
		out.Blocks = append(out.Blocks, b)
	}
	return out, nil
}

// draw makes a cell: mostly within the training range, sometimes missing, at an edge, out of
// range, or unseen.
func (p *Model) draw(source *rand.Rand, column int) any {
	c := &p.Columns[column]
	kind := source.IntN(20)
	if kind == 0 {
		return nil
	}
	if c.Kind != prep.Number {
		levels := c.Categories()
		if kind == 1 || len(levels) == 0 {
			return "(never seen)"
		}
		return levels[source.IntN(len(levels))]
	}
	span := c.Max - c.Min
	v := c.Min + span*source.Float64()
	switch edges := p.edges(column); {
	case kind == 1:
		v = c.Min - span*source.Float64()/2
	case kind == 2:
		v = c.Max + span*source.Float64()/2
	case kind < 6 && len(edges) > 0:
		v = edges[source.IntN(len(edges))]
	}
	if c.Origin != nil {
		return dayText(math.Floor(v + *c.Origin))
	}
	return rounded(v)
}

// edges are the values of a number at which the score changes its form: range, knots and
// splits.
func (p *Model) edges(column int) []float64 {
	c := &p.Columns[column]
	all := append([]float64{c.Min, c.Max, c.Median}, c.Knots...)
	for _, tree := range p.Trees {
		for _, n := range tree.Nodes {
			if t := p.Terms[n.Feature]; n.Below != 0 && t.Column == c.Name && t.Kind == prep.Value {
				all = append(all, n.Threshold*t.SD+t.Mean)
			}
		}
	}
	return all
}

// rounded keeps four digits, so that a file with many numbers stays small.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// dayText is a day since 1970 in ISO 8601.
func dayText(days float64) string {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly)
}

// Usual is the cell of a column that a row does not vary.
func Usual(c *prep.Column) any {
	switch {
	case c.Kind != prep.Number && c.Reference == "":
		return nil
	case c.Kind != prep.Number:
		return c.Reference
	case c.Origin != nil:
		return dayText(math.Floor(c.Median + *c.Origin))
	}
	return c.Median
}

// text is a cell as the engine parses it; a number has the column's decimal mark.
func text(c *prep.Column, cell any) string {
	switch v := cell.(type) {
	case float64:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if c.Decimal == "," {
			s = strings.Replace(s, ".", ",", 1)
		}
		return s
	case string:
		return v
	}
	return ""
}

// expected computes the engine's prediction for a row.
func (p *Model) expected(scorer *model.Scorer, columns []int, row []any) Expected {
	cells := map[string]string{}
	for k := range p.Columns {
		c := &p.Columns[k]
		cell := Usual(c)
		if at, varied := slices.BinarySearch(columns, k); varied {
			cell = row[at]
		}
		cells[c.Name] = text(c, cell)
	}
	said := scorer.Score(func(column string) (string, bool) { t, ok := cells[column]; return t, ok })
	return AsExpected(said)
}

// AsExpected converts a prediction to the form that copies are compared with.
func AsExpected(said model.Prediction) Expected {
	if c := said.Classes; c != nil {
		return Expected{Scores: c.Scores, Probabilities: c.Probabilities, Answer: max(c.Class, -1),
			Outside: len(said.OutsideData) > 0}
	}
	e := Expected{Scores: []float64{said.Score}, Answer: said.Stratum, Outside: len(said.OutsideData) > 0}
	if said.Probability != nil {
		e.Probabilities = []float64{*said.Probability}
	}
	return e
}
