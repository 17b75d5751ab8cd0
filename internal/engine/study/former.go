package study

// formerModels are labels of methods in the cells that earlier versions stored, with those that replace them.
var formerModels = map[string]string{
	"Probit":                          "1 − erf (‘probit’)",
	"Piecewise linear":                "Interval surrogate",
	"Logistic, cut at the boundaries": "Logistic, thresholded",
}

// Relabel changes former labels of methods in stored cells to the present ones, in place.
func Relabel(cells []Cell) {
	for i, c := range cells {
		if now, ok := formerModels[c.Model]; ok {
			cells[i].Model = now
		}
	}
}
