package study

import "strings"

// Total sums up a model over the data whose names end alike: the last rows of a
// table of Fathony et al. 2018.
type Total struct {
	Group string // what the names end with after the last comma
	Model string
	Sets  int     // data that the model has a mean on
	Mean  float64 // of the means
	Best  int     // data on which it is the best, or not significantly worse
}

// Totals are those of the cells of one metric, groups and models in their order.
func Totals(cells []Cell, higher bool) []Total {
	var all []Total
	at := map[[2]string]int{}
	for _, c := range CompareBest(cells, higher) {
		if c.Mean == nil {
			continue
		}
		group := strings.TrimSpace(c.Data[strings.LastIndex(c.Data, ",")+1:])
		i, known := at[[2]string{group, c.Model}]
		if !known {
			i = len(all)
			at[[2]string{group, c.Model}] = i
			all = append(all, Total{Group: group, Model: c.Model})
		}
		t := &all[i]
		t.Sets++
		t.Mean += (*c.Mean - t.Mean) / float64(t.Sets)
		if c.Best {
			t.Best++
		}
	}
	return all
}
