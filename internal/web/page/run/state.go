package run

import (
	"taper/internal/web/form"
)

// State is what the addresses of its pages say of one run: which rows are listed, by
// what its statistics are told, and what it does on demand.
type State struct {
	Then   string `form:"then"`                                  // next page of a finished run: report or patients
	By     string `form:"by"`                                    // column of the subgroups
	Order  string `form:"order"`                                 // of groups of rows
	Starts int    `form:"starts" range:"1 50"`                   // of the fit, tried again; 0 = none
	Band   int    `form:"band" default:"-1"`                     // whose rows are listed; −1 = none
	Sheet  int    `form:"page" default:"1" range:"1 1073741824"` // of those rows, so many at a time

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

// Page is the one that shows what the state asks for.
func (st State) Page() Page {
	switch {
	case st.By != "" || st.Order != "":
		return Performance
	case st.Starts > 0:
		return Model
	case st.Band >= 0:
		return Patients
	}
	return Result
}

// URL is the page of a run in this state.
func (st State) URL(run string) string {
	return form.Address(st.Page().URL(run), form.Values(&st).Encode())
}
