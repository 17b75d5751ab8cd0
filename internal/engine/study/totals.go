package study

import "strings"

// Total summarises a model over the data whose names have the same ending: the last rows of a table of
// Fathony et al. 2018.
type Total struct {
	Group string // ending of the names after the last comma
	Model string
	Sets  int     // number of datasets with a mean of the model
	Mean  float64 // of the means
	Best  int     // number of datasets on which it is the best, or not significantly worse
}

// Totals summarises the cells of one metric; groups and models keep their order.
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
