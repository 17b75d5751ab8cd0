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

	"taper/internal/engine/usererr"
)

// outsidePart is a place of the axis in a replicate.
type outsidePart struct {
	place     float64
	replicate int
}

// outsideCount counts its predictions.
type outsideCount struct {
	seen     []bool
	n, right int
}

// outsideTally reads predictions against the truth, which it draws as it meets
// a replicate.
type outsideTally struct {
	of         *Outside
	ctx        context.Context
	seed       uint64
	replicates []int
	truth      map[int][]int
	parts      map[outsidePart]*outsideCount
	columns    [4]int // place, replicate, row, prediction
}

func badPredictions(format string, args ...any) error {
	return usererr.New(usererr.Invalid, format, args...)
}

func (t *outsideTally) read(file io.Reader) error {
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

// broken words what the reader of CSV cannot read; what reading the file itself
// gave stays what it is.
func (t *outsideTally) broken(err error) error {
	var at *csv.ParseError
	if errors.As(err, &at) {
		return badPredictions("Line %d cannot be read as CSV with commas.", at.Line)
	}
	return fmt.Errorf("read predictions: %w", err)
}

func (t *outsideTally) head(names []string) error {
	if len(names) == 1 && strings.ContainsAny(names[0], ";\t") {
		by := "semicolons"
		if !strings.Contains(names[0], ";") {
			by = "tabs"
		}
		return badPredictions("The columns are parted by %s: save the file as CSV with commas, and decimal points.", by)
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

func (t *outsideTally) line(cells []string, line int) error {
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
		return badPredictions("Line %d: the rows that judge are numbered from 0 to %d.", line, len(truth)-1)
	}
	p, err := strconv.ParseFloat(cell(3), 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return badPredictions("Line %d: a prediction is 0 or 1, or the probability of 1.", line)
	}
	c := t.part(place, r, len(truth))
	if c.seen[row] {
		return badPredictions("Line %d: row %d of replicate %d is there twice at %s %s.", line, row, r, t.of.Place,
			plain(place))
	}
	c.seen[row] = true
	c.n++
	if (p > .5) == (truth[row] == 1) {
		c.right++
	}
	return nil
}

// labels are the clean labels that judge a replicate.
func (t *outsideTally) labels(r int) ([]int, error) {
	if y, drawn := t.truth[r]; drawn {
		return y, nil
	}
	_, judge, err := t.of.Draw(t.ctx, t.seed, r)
	if err != nil {
		return nil, err
	}
	t.truth[r] = slices.Clone(judge.Y)
	return t.truth[r], nil
}

func (t *outsideTally) part(place float64, r, rows int) *outsideCount {
	at := outsidePart{place, r}
	if t.parts[at] == nil {
		t.parts[at] = &outsideCount{seen: make([]bool, rows)}
	}
	return t.parts[at]
}

// listed writes numbers in a sentence.
func listed(list []float64) string {
	var each []string
	for _, v := range list {
		if !math.IsNaN(v) {
			each = append(each, plain(v))
		}
	}
	return strings.Join(each, ", ")
}
