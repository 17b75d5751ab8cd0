package model

import (
	"cmp"
	"slices"
	"strings"

	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// FirstRows is the number of rows that a Summary keeps for display.
const FirstRows = 10

// Summary counts the results of scoring a file. PredictCSV fills it.
type Summary struct {
	Rows            int
	Bands           []int // rows per band; multiclass: per answer, abstention last
	OutsideData     int   // rows outside the data; not counted in Bands
	RowsWithWarning int   // rows with a warning
	Issues          []IssueCount
	Header          []string // columns of the file
	FirstRows       []ScoredRow
}

// IssueCount is the number of rows with one kind of issue in one column. Lists of them start
// with the most frequent.
type IssueCount struct {
	Column string `json:"column"` // Kind as in prep.Issue
	Kind   string `json:"kind"`
	Rows   int    `json:"rows"`
}

// ScoredRow is a row of the file, its cells trimmed, with its prediction.
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
	if len(p.OutsideData) > 0 {
		s.OutsideData++
	} else {
		s.Bands[at]++
	}
	if len(p.Issues) > 0 {
		s.RowsWithWarning++
	}
	for _, d := range p.Issues {
		s.Issues = CountIssue(s.Issues, d)
	}
	if len(s.FirstRows) < FirstRows {
		first := ScoredRow{Prediction: p}
		for _, c := range row.Cells {
			first.Cells = append(first.Cells, strings.Clone(table.Trim(c)))
		}
		s.FirstRows = append(s.FirstRows, first)
	}
}

// CountIssue adds an issue to the counts.
func CountIssue(all []IssueCount, d prep.Issue) []IssueCount {
	for i := range all {
		if all[i].Column == d.Column && all[i].Kind == d.Kind {
			all[i].Rows++
			return all
		}
	}
	return append(all, IssueCount{d.Column, d.Kind, 1})
}

// SortIssues sorts the counts, the most frequent first.
func SortIssues(all []IssueCount) {
	slices.SortStableFunc(all, func(a, b IssueCount) int { return cmp.Compare(b.Rows, a.Rows) })
}
