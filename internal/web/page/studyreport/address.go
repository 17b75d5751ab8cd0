package studyreport

import "taper/internal/web/form"

// State is the part of a study's address after the path.
type State struct {
	Metric  string `form:"metric"`                                 // "" = the first
	Setting int    `form:"setting" default:"-1" range:"0 1048576"` // setting of the pairs; −1 = the last
	Page    int    `form:"page" default:"1" range:"1 1073741824"`  // page of the cells
}

// url is the address of the study in a state.
func (v Report) url(st State) string {
	return form.Address(v.path, form.Values(&st).Encode())
}
