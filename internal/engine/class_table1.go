package engine

import (
	"math"

	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// table1Classes describes every predictor by class.
func (p *Prepared) table1Classes() []ClassTable1 {
	var all []ClassTable1
	for _, name := range p.cohort.predictors {
		if c := p.t.Column(name); c.Num != nil && c.Numeric() {
			all = append(all, p.quartilesBy(c))
		} else {
			all = append(all, p.sharesBy(c)...)
		}
	}
	return all
}

func (p *Prepared) quartilesBy(c *table.Column) ClassTable1 {
	of := make([][]float64, p.cohort.classes())
	row := ClassTable1{Name: c.Name, Classes: make([][3]float64, len(of))}
	for i, at := range p.cohort.rows {
		if v := c.Num[at]; math.IsNaN(v) {
			row.Missing++
		} else {
			of[p.cohort.label[i]] = append(of[p.cohort.label[i]], v)
		}
	}
	for k, v := range of {
		if len(v) > 0 {
			row.Classes[k][0], row.Classes[k][1], row.Classes[k][2] = stat.Quartiles(v)
		}
	}
	return row
}

func (p *Prepared) sharesBy(c *table.Column) []ClassTable1 {
	k := p.cohort.classes()
	n, total, missing := make([][]float64, len(c.Levels)), make([]float64, k), 0
	for l := range n {
		n[l] = make([]float64, k)
	}
	for i, at := range p.cohort.rows {
		if c.Code[at] < 0 {
			missing++
			continue
		}
		n[c.Code[at]][p.cohort.label[i]]++
		total[p.cohort.label[i]]++
	}
	var rows []ClassTable1
	for l, level := range c.Levels {
		if sum(n[l]) == 0 {
			continue
		}
		row := ClassTable1{Name: c.Name, Level: level, Missing: missing}
		for j, v := range n[l] {
			row.Classes = append(row.Classes, [3]float64{v, v / max(total[j], 1)})
		}
		rows = append(rows, row)
	}
	return rows
}
