package study

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/table"
)

// Outside is a method of another program in a preset's figure: it trains on the
// rows that our own methods train on, and its predictions of the rows that
// judge come back as a file.
type Outside struct {
	Name   string    // "xgboost"
	Place  string    // what the figure's axis counts: "depth"
	Places []float64 // on it
	Noise  float64
	Draw   func(ctx context.Context, seed uint64, replicate int) (train, judge Rows, err error)
}

// Columns of the file of predictions, besides that of the place.
const (
	columnReplicate  = "replicate"
	columnRow        = "row"
	columnPrediction = "prediction"
)

// WriteRows writes the rows of replicates as CSV: those that train with their
// label, 0 or 1, as it was spoilt; those that judge without.
func (o *Outside) WriteRows(ctx context.Context, w io.Writer, seed uint64, replicates []int) error {
	out := table.NewCSV(w)
	for i, r := range replicates {
		train, judge, err := o.Draw(ctx, seed, r)
		if err != nil {
			return err
		}
		if i == 0 {
			head := []string{columnReplicate, "part", columnRow}
			for j := range train.X.Cols {
				head = append(head, "x"+strconv.Itoa(j+1))
			}
			out.Write(append(head, "label")...)
		}
		writeRows(out, r, "train", train, func(k int) string { return strconv.Itoa(train.Y[k]) })
		writeRows(out, r, "judge", judge, func(int) string { return "" })
	}
	return out.Flush()
}

func writeRows(out *table.CSV, replicate int, part string, rows Rows, label func(k int) string) {
	for k := range rows.Y {
		line := []string{strconv.Itoa(replicate), part, strconv.Itoa(k)}
		for _, v := range rows.X.Row(k) {
			line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
		}
		out.Write(append(line, label(k))...)
	}
}

// Judge reads predictions and returns their accuracy on clean rows as cells of
// the figure. A pair of a place and a replicate is either predicted in full or
// left out.
func (o *Outside) Judge(ctx context.Context, file io.Reader, seed uint64, replicates []int) ([]Cell, error) {
	t := &outsideTally{of: o, ctx: ctx, seed: seed, replicates: replicates, truth: map[int][]int{},
		parts: map[outsidePart]*outsideCount{}}
	if err := t.read(file); err != nil {
		return nil, err
	}
	return t.cells()
}

// cells sums up what was counted, in the order of the axis.
func (t *outsideTally) cells() ([]Cell, error) {
	var p Plan
	values := Values{}
	for _, place := range t.of.Places {
		for _, r := range t.replicates {
			c := t.parts[outsidePart{place, r}]
			if c == nil {
				continue
			}
			if n := len(t.truth[r]); c.n != n {
				return nil, badPredictions("%s %s of replicate %d has %d of %d rows: predict every row that judges, or leave "+
					"the pair out.", t.of.Place, plain(place), r, c.n, n)
			}
			u := Unit{ID: fmt.Sprintf("%v #%d", place, r), Replicate: r,
				Keys: []Key{{Model: t.of.Model(), Noise: t.of.Noise, Metric: accuracyMetric[0].ID, At: place}}}
			p.Units, values[u.ID] = append(p.Units, u), []float64{float64(c.right) / float64(c.n)}
		}
	}
	if len(p.Units) == 0 {
		return nil, badPredictions("The file holds no predictions.")
	}
	return Summarise(p, values), nil
}

// Model is the name of its cells.
func (o *Outside) Model() string { return o.Name + uploaded }

const uploaded = ", uploaded"

// Uploaded returns the program whose predictions a model's name stands for.
func Uploaded(model string) (program string, ok bool) { return strings.CutSuffix(model, uploaded) }

// Join puts cells of another program behind a study's own, in place of those
// it had before.
func (o *Outside) Join(own, outside []Cell) []Cell {
	return append(slices.DeleteFunc(slices.Clone(own), func(c Cell) bool { return c.Model == o.Model() }), outside...)
}

// Replicates lists the replicates of a plan.
func (p Plan) Replicates() []int {
	var all []int
	for _, u := range p.Units {
		all = append(all, u.Replicate)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
