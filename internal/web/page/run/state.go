package run

import (
	"taper/internal/web/form"
)

// State is the part of a run's addresses after the path: the rows listed, the column of the subgroups, and
// computations on demand.
type State struct {
	Then   string `form:"then"`                                  // next page of a finished run: report or patients
	By     string `form:"by"`                                    // column of the subgroups
	Order  string `form:"order"`                                 // of groups of rows
	Starts int    `form:"starts" range:"1 50"`                   // refits from as many initialisations; 0 = none
	Band   int    `form:"band" default:"-1"`                     // whose rows are listed; −1 = none
	Sheet  int    `form:"page" default:"1" range:"1 1073741824"` // page of these rows

	Bands int // number of bands of the run
}

// Starts is the number of initialisations tried on demand.
const Starts = 50

// Field limits the index of the band.
func (st *State) Field(f *form.Field) {
	if f.Key == "band" {
		f.Max = float64(max(1, st.Bands-1))
	}
}

// Page is the page that the state belongs to.
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
