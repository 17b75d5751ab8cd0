package study

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/cost"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// ExternalModel is a method of another program in a preset's figure. It trains on the same rows as our
// methods, and its predictions for the test rows are uploaded as a file.
type ExternalModel struct {
	Name   string    // "xgboost"
	Place  string    // what the figure's axis counts: "depth"
	Places []float64 // values on the axis
	Noise  float64
	Draw   func(ctx context.Context, seed uint64, replicate int) (train, test Rows, err error)
}

// Columns of the file of predictions, in addition to that of the place.
const (
	columnReplicate  = "replicate"
	columnRow        = "row"
	columnPrediction = "prediction"
)

// WriteRows writes the rows of replicates as CSV. Training rows have their label, 0 or 1, after noise;
// test rows have none.
func (o *ExternalModel) WriteRows(ctx context.Context, w io.Writer, seed uint64, replicates []int) error {
	if _, err := cost.Hold(ctx, "Writing these rows", presetBytes); err != nil {
		return err
	}
	out := table.NewCSV(w)
	for i, r := range replicates {
		train, test, err := o.Draw(ctx, seed, r)
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
		writeRows(out, r, "test", test, func(int) string { return "" })
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

// Evaluate reads predictions and returns their accuracy on clean rows as cells of the figure. For each
// pair of place and replicate the predictions must be complete or absent.
func (o *ExternalModel) Evaluate(ctx context.Context, file io.Reader, seed uint64, replicates []int) ([]Cell, error) {
	if _, err := cost.Hold(ctx, "Reading these predictions", presetBytes); err != nil {
		return nil, err
	}
	t := &predictionTally{of: o, ctx: ctx, seed: seed, replicates: replicates, truth: map[int][]int{},
		counts: map[predictionCell]*predictionCount{}}
	if err := t.read(file); err != nil {
		return nil, err
	}
	return t.cells()
}

// cells summarises the counts in the order of the axis.
func (t *predictionTally) cells() ([]Cell, error) {
	var p Plan
	values := Values{}
	for _, place := range t.of.Places {
		for _, r := range t.replicates {
			c := t.counts[predictionCell{place, r}]
			if c == nil {
				continue
			}
			if n := len(t.truth[r]); c.n != n {
				return nil, badPredictions("%s %s of replicate %d has %d of %d rows: predict every test row, or leave "+
					"the pair out.", t.of.Place, phrase.Number(place), r, c.n, n)
			}
			u := Unit{ID: fmt.Sprintf("%v #%d", place, r), Replicate: r,
				Keys: []Key{{Model: t.of.Model(), Noise: t.of.Noise, Metric: "accuracy", At: place}}}
			p.Units, values[u.ID] = append(p.Units, u), []float64{float64(c.right) / float64(c.n)}
		}
	}
	if len(p.Units) == 0 {
		return nil, badPredictions("The file holds no predictions.")
	}
	return Summarise(p, values), nil
}

// Model is the model name of its cells.
func (o *ExternalModel) Model() string { return o.Name + uploaded }

const uploaded = ", uploaded"

// UploadedProgram returns the program to which a model name refers, if its predictions were uploaded.
func UploadedProgram(model string) (program string, ok bool) {
	return strings.CutSuffix(model, uploaded)
}

// Join appends the cells of another program to a study's own and replaces earlier ones.
func (o *ExternalModel) Join(own, outside []Cell) []Cell {
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

// predictionCell is one place of the axis in one replicate.
type predictionCell struct {
	place     float64
	replicate int
}

// predictionCount counts its correct predictions.
type predictionCount struct {
	seen     []bool
	n, right int
}

// predictionTally compares predictions with the true labels, which it generates when a replicate first
// occurs.
type predictionTally struct {
	of         *ExternalModel
	ctx        context.Context
	seed       uint64
	replicates []int
	truth      map[int][]int
	counts     map[predictionCell]*predictionCount
	columns    [4]int // indices of place, replicate, row, prediction
}

func badPredictions(format string, args ...any) error {
	return usererr.New(usererr.Invalid, format, args...)
}

func (t *predictionTally) read(file io.Reader) error {
	in := csv.NewReader(file)
	in.ReuseRecord, in.TrimLeadingSpace = true, true
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return badPredictions("The file is empty.")
	}
	if err != nil {
		return t.broken(err)
	}
	if err := t.head(head); err != nil {
		return err
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return t.broken(err)
		}
		line, _ := in.FieldPos(0)
		if line%4096 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		if err := t.line(cells, line); err != nil {
			return err
		}
	}
}

// broken words an error of the CSV reader. Errors of reading the file itself are returned unchanged.
func (t *predictionTally) broken(err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return badPredictions("Line %d cannot be read as CSV with commas.", at.Line)
	}
	return fmt.Errorf("read predictions: %w", err)
}

func (t *predictionTally) head(names []string) error {
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		by := "semicolons"
		if !strings.Contains(names[0], ";") {
			by = "tabs"
		}
		return badPredictions("The columns are separated by %s: save the file as CSV with commas, and decimal points.", by)
	}
	for k, want := range [4]string{t.of.Place, columnReplicate, columnRow, columnPrediction} {
		t.columns[k] = slices.IndexFunc(names, func(name string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")), want)
		})
		if t.columns[k] < 0 {
			return badPredictions("The first line must name the columns %s, %s, %s and %s: %s is missing.", t.of.Place,
				columnReplicate, columnRow, columnPrediction, want)
		}
	}
	return nil
}

func (t *predictionTally) line(cells []string, line int) error {
	cell := func(k int) string { return strings.TrimSpace(cells[t.columns[k]]) }
	place, err := strconv.ParseFloat(cell(0), 64)
	if err != nil || !slices.Contains(t.of.Places, place) {
		return badPredictions("Line %d: %s must be one of %s.", line, t.of.Place, listed(t.of.Places))
	}
	r, err := strconv.Atoi(cell(1))
	if err != nil || !slices.Contains(t.replicates, r) {
		return badPredictions("Line %d: this study has the replicates %d to %d.", line, t.replicates[0],
			t.replicates[len(t.replicates)-1])
	}
	truth, err := t.labels(r)
	if err != nil {
		return err
	}
	row, err := strconv.Atoi(cell(2))
	if err != nil || row < 0 || row >= len(truth) {
		return badPredictions("Line %d: test rows are numbered from 0 to %d.", line, len(truth)-1)
	}
	p, err := strconv.ParseFloat(cell(3), 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return badPredictions("Line %d: a prediction is 0 or 1, or the probability of 1.", line)
	}
	c := t.part(place, r, len(truth))
	if c.seen[row] {
		return badPredictions("Line %d: row %d of replicate %d is there twice at %s %s.", line, row, r, t.of.Place,
			phrase.Number(place))
	}
	c.seen[row] = true
	c.n++
	if (p > .5) == (truth[row] == 1) {
		c.right++
	}
	return nil
}

// labels returns the clean labels of the test rows of a replicate.
func (t *predictionTally) labels(r int) ([]int, error) {
	if y, drawn := t.truth[r]; drawn {
		return y, nil
	}
	_, test, err := t.of.Draw(t.ctx, t.seed, r)
	if err != nil {
		return nil, err
	}
	t.truth[r] = slices.Clone(test.Y)
	return t.truth[r], nil
}

func (t *predictionTally) part(place float64, r, rows int) *predictionCount {
	at := predictionCell{place, r}
	if t.counts[at] == nil {
		t.counts[at] = &predictionCount{seen: make([]bool, rows)}
	}
	return t.counts[at]
}

// listed writes numbers in a sentence.
func listed(list []float64) string {
	var each []string
	for _, v := range list {
		if !math.IsNaN(v) {
			each = append(each, phrase.Number(v))
		}
	}
	return strings.Join(each, ", ")
}
