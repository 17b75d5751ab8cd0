package paper

import "taper/internal/engine/study"

// Two-class datasets of r-cran-mlbench that the papers do not use.
var (
	originalCancer = study.Set{ID: "breast-cancer", Name: "breast cancer, original", Outcome: "Class", Event: "malignant",
		Rows: 699, Test: 210, Features: 9, Classes: 2, Package: mlbench,
		Differs: "The older set of the same hospital: the paper has no number on it."}
	pima = study.Set{ID: "pima", Name: "pima", Outcome: "diabetes", Event: "pos", Rows: 768, Features: 8, Classes: 2,
		Package: mlbench, Differs: "The paper has no number on it."}
)

// dingTable lists the datasets of Figure 3 of Ding and Vishwanathan 2010.
var dingTable = study.DataTable{
	Own: []study.Set{{Name: dingData[0].name, Rows: dingRows, Features: 21, Classes: 2},
		{Name: dingData[1].name, Rows: dingRows, Features: 20, Classes: 2}},
	Sets: []study.OnSet{{Set: folded(originalCancer)}, {Set: pima}},
	Absent: "The paper’s Mushroom, USPS-N, Adult and Web are in none of these packages; these real datasets " +
		"replace them.",
}

// folded is a dataset whose rows are each tested once.
func folded(s study.Set) study.Set {
	s.Test = 0
	return s
}
