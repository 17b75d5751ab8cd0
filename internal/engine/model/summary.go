package model

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// FirstRows is the number of rows a Summary keeps to be looked at.
const FirstRows = 10

// Summary says what scoring a file came to. PredictCSV fills it.
type Summary struct {
	Rows    int
	Bands   []int // rows of each band; with several classes of each answer, none last
	Outside int   // rows outside the data, in none of Bands
	Warned  int   // rows with a warning
	Doubts  []DoubtCount
	Header  []string // columns of the file
	First   []ScoredRow
}

// DoubtCount is the number of rows with one kind of doubt about one column,
// the most frequent first.
type DoubtCount struct {
	Column string `json:"column"` // and Kind as in prep.Doubt
	Kind   string `json:"kind"`
	Rows   int    `json:"rows"`
}

// ScoredRow is a row of the file, its cells trimmed, with what it scored.
type ScoredRow struct {
	Cells []string
	Prediction
}

// begin empties the summary.
func (s *Summary) begin(m *Model, header []string) {
	*s = Summary{Bands: make([]int, len(m.Boundaries)+1), Header: header}
	if m.Multiclass() {
		s.Bands = make([]int, len(m.Levels)+1)
	}
}

func (s *Summary) add(row *table.Row, p Prediction) {
	s.Rows++
	at := p.Stratum
	if c := p.Classes; c != nil {
		if at = c.Class; at == stat.Abstained {
			at = len(c.Levels)
		}
	}
	if len(p.Outside) > 0 {
		s.Outside++
	} else {
		s.Bands[at]++
	}
	if len(p.Doubts) > 0 {
		s.Warned++
	}
	for _, d := range p.Doubts {
		s.Doubts = CountDoubt(s.Doubts, d)
	}
	if len(s.First) < FirstRows {
		first := ScoredRow{Prediction: p}
		for _, c := range row.Cells {
			first.Cells = append(first.Cells, strings.Clone(table.Trim(c)))
		}
		s.First = append(s.First, first)
	}
}

// CountDoubt adds a doubt to the counts.
func CountDoubt(all []DoubtCount, d prep.Doubt) []DoubtCount {
	for i := range all {
		if all[i].Column == d.Column && all[i].Kind == d.Kind {
			all[i].Rows++
			return all
		}
	}
	return append(all, DoubtCount{d.Column, d.Kind, 1})
}

// SortDoubts sorts the counts, the most frequent first.
func SortDoubts(all []DoubtCount) {
	slices.SortStableFunc(all, func(a, b DoubtCount) int { return cmp.Compare(b.Rows, a.Rows) })
}
