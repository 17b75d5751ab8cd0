package paper

import (
	"context"
	"math"
	"sync"

	"taper/internal/engine/resample"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/testdata"
)

// shipped returns a function that reads a file which ships with the program, once.
func shipped(file, outcome, negative, positive string) func() study.Rows {
	return shippedClasses(file, outcome, negative, positive)
}

// shippedClasses is shipped with classes in the order of levels.
func shippedClasses(file, outcome string, levels ...string) func() study.Rows {
	return sync.OnceValue(func() study.Rows {
		t, err := table.Read(context.Background(), testdata.Read(file), table.Options{}, table.DefaultLimits)
		if err != nil {
			panic("study: " + file + ": " + err.Error())
		}
		return study.Numeric(t, outcome, levels, "", "")
	})
}

// breastCancer is the Wisconsin diagnostic dataset (Wolberg, Mangasarian and Street 1995, UCI, CC BY
// 4.0), 569 rows with 30 features; malignant is the event.
var breastCancer = shipped("wdbc.csv", "diagnosis", "benign", "malignant")

// standardise scales the columns of both samples by mean and population SD of the training rows, as prep
// does; constant columns become 0.
func standardise(train, test study.Rows) (study.Rows, study.Rows) {
	a, b := train.Pick(resample.Positions(len(train.Y))), test.Pick(resample.Positions(len(test.Y)))
	n, d := float64(a.X.Rows), a.X.Cols
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range a.X.Rows {
			mean += a.X.Data[i*d+j] / n
		}
		for i := range a.X.Rows {
			gap := a.X.Data[i*d+j] - mean
			square += gap * gap / n
		}
		scale := 0.0
		if square > 0 {
			scale = 1 / math.Sqrt(square)
		}
		for _, x := range [][]float64{a.X.Data, b.X.Data} {
			for k := j; k < len(x); k += d {
				x[k] = (x[k] - mean) * scale
			}
		}
	}
	return a, b
}
