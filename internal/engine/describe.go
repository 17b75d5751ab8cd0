package engine

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// maxPCA is the largest number of rows in the scatter plot of principal components.
const maxPCA = 2000

func (p *Prepared) describe(ctx context.Context) error {
	p.about.flow = p.flow()
	x := p.sampled()
	return parallel.ForEach(ctx, 3, 0, func(i int) (err error) {
		switch i {
		case 0:
			p.about.warnings = append(p.reviewed(), p.doubts(ctx, x)...)
		case 1:
			err = p.table1(ctx)
		case 2:
			p.about.pca, p.about.share = stat.PCA2(x.Data, x.Rows, x.Cols)
		}
		return err
	})
}

// flow counts the rows at every step from the file to the evaluation.
func (p *Prepared) flow() Flow {
	c := p.Cohort
	f := Flow{Read: p.Table.Rows, Dropped: slices.Clone(p.Table.Dropped), Groups: c.Groups}
	for _, d := range p.Table.Dropped {
		f.Read += d.Rows
	}
	n := make([]int, max(len(c.Outcome.Levels), 1)) // at least one: a binned outcome has one code for all its rows
	for row, k := range c.Codes() {
		if _, lacks := slices.BinarySearch(c.Unpredicted, row); lacks {
			continue
		}
		if k < 0 {
			f.NoOutcome++
		} else {
			n[k]++
		}
	}
	f.NoOutcome -= c.Excluded
	f.Relabelled, f.LeftOut = c.Relabelled, c.Excluded
	neither := "neither class"
	if !c.Target.Event {
		neither = "none of the classes"
	}
	for k, level := range c.Outcome.Levels {
		switch k := int32(k); {
		case c.Target.Has(k) || n[k] == 0:
		case slices.Contains(c.ScoreOnly, k):
			f.ScoreOnly = append(f.ScoreOnly, table.LevelRows{Level: level, Rows: n[k]})
		default:
			f.Dropped = append(f.Dropped, table.Drop{Kind: table.DropLevel, Reason: "Outcome " + phrase.Verbatim(level) + ": " +
				neither + ", not to be scored.", Rows: n[k]})
		}
	}
	if n := len(c.Unpredicted); n > 0 {
		f.Dropped = append(f.Dropped, table.Drop{Kind: table.DropPrediction, Reason: p.Spec.GivenWords(), Rows: n})
	}
	f.Trained, f.TrainedEvents = p.counted(p.trained())
	f.Scored, f.ScoredEvents = p.counted(p.Judged())
	if !c.Target.Event {
		f.TrainedEvents, f.ScoredEvents = 0, 0
	}
	if p.Noise != nil {
		f.Flipped = p.Noise.Count
	}
	return f
}

// trained returns the positions of the final fit's training rows.
func (p *Prepared) trained() []int { return p.Final.Train() }

func (p *Prepared) counted(at []int) (rows, events int) {
	for _, e := range p.Events(at) {
		if e {
			events++
		}
	}
	return len(at), events
}

// table1 describes every predictor by class, with columns in parallel.
func (p *Prepared) table1(ctx context.Context) error {
	columns := make([][]ClassTable1, len(p.Cohort.Predictors))
	err := parallel.ForEach(ctx, len(columns), 0, func(i int) error {
		c := p.Table.Column(p.Cohort.Predictors[i])
		if c.Num != nil && c.Numeric() {
			columns[i] = []ClassTable1{p.quartiles(c)}
		} else {
			columns[i] = p.counts(c)
		}
		return nil
	})
	p.about.table1 = slices.Concat(columns...)
	return err
}

// quartiles describes a numeric predictor.
func (p *Prepared) quartiles(c *table.Column) ClassTable1 {
	rows := make([]int, p.Cohort.Classes())
	for _, k := range p.Cohort.Label {
		rows[k]++
	}
	of, n := make([][]float64, len(rows)), make([]int, len(rows))
	for k, most := range rows {
		of[k] = make([]float64, most)
	}
	row := ClassTable1{Name: c.Name, Classes: make([][3]float64, len(of)), MissingIn: make([]int, len(of))}
	for i, at := range p.Cohort.Rows {
		k := p.Cohort.Label[i]
		if v := c.Num[at]; math.IsNaN(v) {
			row.Missing++
			row.MissingIn[k]++
		} else {
			of[k][n[k]] = v
			n[k]++
		}
	}
	for k, v := range of {
		if n[k] > 0 {
			row.Classes[k][0], row.Classes[k][1], row.Classes[k][2] = stat.Quartiles(v[:n[k]])
		}
	}
	return row
}

// counts describes the levels of a categorical predictor: the count, and the share among the rows of the class
// whose value is not missing.
func (p *Prepared) counts(c *table.Column) []ClassTable1 {
	k := p.Cohort.Classes()
	n, total, missing, missingIn := make([][]float64, len(c.Levels)), make([]float64, k), 0, make([]int, k)
	for l := range n {
		n[l] = make([]float64, k)
	}
	for i, at := range p.Cohort.Rows {
		if c.Code[at] < 0 {
			missing++
			missingIn[p.Cohort.Label[i]]++
			continue
		}
		n[c.Code[at]][p.Cohort.Label[i]]++
		total[p.Cohort.Label[i]]++
	}
	var rows []ClassTable1
	for l, level := range c.Levels {
		if sum(n[l]) == 0 {
			continue
		}
		row := ClassTable1{Name: c.Name, Level: level, Missing: missing, MissingIn: missingIn}
		for j, v := range n[l] {
			row.Classes = append(row.Classes, [3]float64{v, v / max(total[j], 1)})
		}
		rows = append(rows, row)
	}
	return rows
}

// sampled returns the standardised design rows of at most maxPCA test rows, and stores their places in p.about.
func (p *Prepared) sampled() linear.Matrix {
	from := p.Final.Design.Clean
	if p.Spec.Validation.Kind == "split" {
		from = p.Final.Design.Held
	}
	rows := resample.Positions(from.Rows) // the design lists the test rows in this order
	if len(rows) > maxPCA {
		rows = resample.Source(p.Spec.Seed, resample.PurposeSample, 0, 0).Perm(len(rows))[:maxPCA]
		slices.Sort(rows)
	}
	p.about.sample = rows
	few := p.inFew(from)
	for i, at := range rows {
		if few[at] {
			p.about.few = append(p.about.few, i)
		}
	}
	x := linear.Matrix{Rows: len(rows), Cols: from.Cols, Data: make([]float64, 0, len(rows)*from.Cols)}
	for _, i := range rows {
		x.Data = append(x.Data, from.Row(i)...)
	}
	standardize(x)
	return x
}

// inFew reports the rows of a design that form a group of 1 to 9: by a column with two values, by differing
// from a number that all other rows share, or by having none of the levels that have a term. Such a group lies
// apart from the others in the plot of principal components, where its rows could be counted.
func (p *Prepared) inFew(x linear.Matrix) []bool {
	few, none := make([]bool, x.Rows), map[string][]int{} // none: per category, the number of its terms that a row has
	terms := p.Final.Design.Pre.Terms
	mark := func(n int, in func(i int) bool) {
		if n == 0 || n >= prep.MinRows {
			return
		}
		for i := range few {
			few[i] = few[i] || in(i)
		}
	}
	for k := range x.Cols {
		low, high, at := math.Inf(1), math.Inf(-1), func(i int) float64 { return x.Data[i*x.Cols+k] }
		for i := range x.Rows {
			low, high = min(low, at(i)), max(high, at(i))
		}
		column, lows, highs := make([]float64, x.Rows), 0, 0
		for i := range x.Rows {
			column[i] = at(i)
			lows, highs = lows+side(at(i) == low), highs+side(at(i) == high)
		}
		if terms[k].Kind == prep.Value && x.Rows > 0 {
			slices.Sort(column)
			common, others := column[x.Rows/2], 0
			for _, v := range column {
				others += side(v != common)
			}
			mark(others, func(i int) bool { return at(i) != common })
		}
		if low == high || lows+highs < x.Rows {
			continue
		}
		mark(lows, func(i int) bool { return at(i) == low })
		mark(highs, func(i int) bool { return at(i) == high })
		if c := terms[k].Column; terms[k].Kind != prep.Value {
			if none[c] == nil {
				none[c] = make([]int, x.Rows)
			}
			for i := range x.Rows {
				none[c][i] += side(at(i) == high)
			}
		}
	}
	for _, levels := range none {
		rest := 0
		for _, n := range levels {
			rest += side(n == 0)
		}
		mark(rest, func(i int) bool { return levels[i] == 0 })
	}
	return few
}

// standardize centres each column and divides it by its population SD. Constant columns become 0.
func standardize(x linear.Matrix) {
	n := float64(x.Rows)
	for k := range x.Cols {
		sum, squares := 0.0, 0.0
		for i := range x.Rows {
			sum += x.Data[i*x.Cols+k]
		}
		for i := range x.Rows {
			v := &x.Data[i*x.Cols+k]
			*v -= sum / n
			squares += *v * *v
		}
		if sd := math.Sqrt(squares / n); sd > 1e-12 {
			for i := range x.Rows {
				x.Data[i*x.Cols+k] /= sd
			}
		}
	}
}

// gridPoints is the number of points at which a density is evaluated.
const gridPoints = 200

// density estimates the density of the score in every outcome level: of the classes from the test rows, of
// other levels from the final fit's scores.
func (j *eventRun) density(own task.BandResult) []Density {
	if own.Constant {
		return nil
	}
	c := j.p.Cohort
	of := map[int32][]float64{}
	for i, at := range j.p.Judged() {
		k := c.Outcome.Code[c.Rows[at]]
		of[k] = append(of[k], own.Score[i])
	}
	for i, row := range c.Extra {
		k := c.Outcome.Code[row]
		of[k] = append(of[k], j.model.Extra[i])
	}
	delete(of, -1)
	x := span(of)
	var all []Density
	add := func(name string, trained bool, codes ...int32) {
		var f []float64
		for _, k := range codes {
			f = append(f, of[k]...)
		}
		if len(f) > 0 {
			d := Density{Level: name, N: len(f), Trained: trained, Median: stat.Median(f), X: x}
			d.Y, _ = stat.KDE(f, x)
			all = append(all, d)
		}
	}
	add(c.Sides[0].String(), true, c.Target.Codes[0]...)
	add(c.Sides[1].String(), true, c.Target.Codes[1]...)
	for _, k := range c.ScoreOnly {
		add(c.Outcome.Levels[k], false, k)
	}
	return all
}

// span returns a grid over the range of all scores, extended by a tenth of it on either side.
func span(of map[int32][]float64) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, f := range of {
		low, high = min(low, slices.Min(f)), max(high, slices.Max(f))
	}
	edge := max((high-low)/10, 1e-9)
	x := make([]float64, gridPoints)
	for i := range x {
		x[i] = low - edge + (high-low+2*edge)*float64(i)/(gridPoints-1)
	}
	return x
}
