package store

import (
	"slices"

	"taper/internal/engine/table"
)

// LeftOut is a column that was dropped when its dataset was confirmed.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"` // a Left… constant
}

// Why a column was left out.
const (
	LeftIdentifier = "identifier"
	LeftDate       = "date"
	LeftText       = "text"
	LeftConstant   = "constant"
	LeftLeak       = "leak"     // it may be known only after the outcome
	LeftExcluded   = "excluded" // by the user's decision
	LeftUnchosen   = "unchosen" // it is none of the predictors chosen
)

// leftOut lists the columns of d that t lacks, in the order of the file. Leaks
// names those of them that were found to tell the outcome; what the type of a
// column says comes first, then that, then what the user decided.
func leftOut(d Dataset, t *table.Table, leaks []string) []LeftOut {
	out := []LeftOut{}
	for _, p := range d.Profiles {
		if t.Column(p.Name) != nil {
			continue
		}
		l := LeftOut{p.Name, LeftUnchosen}
		switch {
		case p.Type == table.Identifier || p.Type == table.Text || p.Type == table.Constant:
			l.Reason = string(p.Type)
		case slices.Contains(leaks, p.Name):
			l.Reason = LeftLeak
		case p.Type == table.Date:
			l.Reason = LeftDate
		case slices.ContainsFunc(d.Options.Columns, func(s table.ColumnSpec) bool {
			return s.Name == p.Name && s.Role == table.Exclude
		}):
			l.Reason = LeftExcluded
		}
		out = append(out, l)
	}
	return out
}
