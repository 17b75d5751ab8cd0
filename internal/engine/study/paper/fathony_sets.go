package paper

import "taper/internal/engine/study"

// Datasets of Fathony et al. 2018 that Debian packages contain.
var (
	irisSet = study.Set{ID: "iris", Name: "iris", Outcome: "species", Rows: 150, Test: 45, Features: 4, Classes: 3}
	glass   = study.Set{ID: "glass", Name: "glass", Outcome: "Type", Rows: 214, Test: 65, Features: 9, Classes: 6,
		Package: mlbench}
	vehicle = study.Set{ID: "vehicle", Name: "vehicle", Outcome: "Class", Rows: 846, Test: 254, Features: 18, Classes: 4,
		Package: mlbench}
	sat = study.Set{ID: "satellite", Name: "sat", Outcome: "classes", Rows: 6435, Test: 1930, Features: 36, Classes: 6,
		Package: mlbench}
	digits = study.Set{ID: "digits", Name: "optdigits, test part", Outcome: "digit", Rows: 1797, Test: 539,
		Features: 64, Classes: 10, Package: "python3-sklearn",
		Differs: "The package has only the test part of the paper’s dataset."}
	boston     = study.Set{ID: "boston", Name: "boston", Outcome: "medv", Rows: 506, Features: 13, Package: mass}
	machineCPU = study.Set{ID: "machinecpu", Name: "machinecpu", Outcome: "perf", Rows: 209, Features: 6, Package: mass}
)

const (
	mlbench = "r-cran-mlbench"
	mass    = "r-cran-mass"
)

// linearOn restricts a dataset to linear methods.
func linearOn(s study.Set, refs ...study.Reference) study.OnSet {
	return study.OnSet{Set: s, References: refs, Without: []string{", Gaussian,"},
		Why: "The Gaussian kernel is left out: tuning it takes more than a quarter of an hour."}
}

// withoutLLW leaves out LLW.
func withoutLLW(o study.OnSet) study.OnSet {
	o.Without = append(o.Without, ", LLW #")
	o.Why = "The Gaussian kernel and LLW are left out: tuning them takes more than a quarter of an hour."
	return o
}

// equalLengthOn leaves out the bins that the paper cannot have used.
func equalLengthOn(s study.Set, refs ...study.Reference) study.OnSet {
	return study.OnSet{Set: s, References: refs, Without: []string{"equal frequency"},
		Why: "In bins of equal length alone."}
}

// classTable is Table 1: the datasets of Tables 2 and 6.
func classTable(sets ...study.OnSet) study.DataTable {
	return study.DataTable{Figure: "Table 1", Sets: sets,
		Own: []study.Set{irisSet},
		Absent: "Of the paper’s twelve sets redwine, ecoli, segment, pageblocks, libras, vertebral and breasttissue are " +
			"in none of these packages."}
}

// orderedTable is Table 3: the datasets of Tables 4 and 5.
func orderedTable(sets ...study.OnSet) study.DataTable {
	return study.DataTable{Figure: "Table 3", Sets: sets,
		Own: []study.Set{{Name: stripesName, Rows: stripeRows[2], Features: 2, Classes: 5}},
		Absent: "Of the paper’s other sets autompg and abalone are in none of these packages. Its means of boston " +
			"are those of 5 classes of equal length."}
}
