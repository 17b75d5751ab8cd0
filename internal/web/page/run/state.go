package run

import (
	"taper/internal/web/form"
)

// State is what the address of the page says of one run: which rows are listed, by
// what its statistics are told, and what it does on demand.
type State struct {
	Then   string `form:"then"`                                  // "report": a finished run leads on to its report
	By     string `form:"by"`                                    // column of the subgroups
	Order  string `form:"order"`                                 // of groups of rows
	Starts int    `form:"starts" range:"1 50"`                   // of the fit, tried anew; 0 = none
	Band   int    `form:"band" default:"-1"`                     // whose rows are listed; −1 = none
	Page   int    `form:"page" default:"1" range:"1 1073741824"` // of those rows

	Bands int // of the run
}

// Starts is the number that the page tries on demand.
const Starts = 50

// Field bounds the bands.
func (st *State) Field(f *form.Field) {
	if f.Key == "band" {
		f.Max = float64(max(1, st.Bands-1))
	}
}

// URL is the page of a run in this state.
func (st State) URL(run string) string { return form.Address("/runs/"+run, form.Values(&st).Encode()) }
