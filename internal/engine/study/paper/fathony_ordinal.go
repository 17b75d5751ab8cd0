package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// The methods of Tables 4 and 5. SVORIM and SVOREX are AT and IT with a kernel.
var (
	thresholded = contender{name: "AL-th", family: "al-ordinal", features: multiclass.Thresholds}

	ordinalLinear = []contender{thresholded, {name: "RED-th", family: "reduction"}, {name: "AT", family: "all-threshold"},
		{name: "IT", family: "immediate-threshold"},
		{name: "AL-mc", family: "al-ordinal", features: multiclass.PerClass}}
	ordinalGaussian = []contender{thresholded.withKernel(), {name: "SVORIM", family: "all-threshold", gaussian: true},
		{name: "SVOREX", family: "immediate-threshold", gaussian: true}}
)

func (c contender) withKernel() contender {
	c.gaussian = true
	return c
}

const stripesName = "ordinal stripes"

var stripesWords = fmt.Sprintf("Five stripes with blurred, curved boundaries (generated, %s rows; full: %s), or an "+
	"uploaded table: ", phrase.Int(stripeRows[1]), phrase.Int(stripeRows[2]))

const orderedWords = "λ = 2⁻¹, 2⁻³ … 2⁻¹³, then the best times √2⁻³, √2⁻² … √2³, by the " +
	"mean absolute error; each fit ends at a certified duality gap of 10⁻³. "

var fathonyOrdinal = []study.Preset{
	ordinalTable("fathony-table4", "Table 4", "Ordered classes, linear scores",
		"AL-th, RED-th, AT, IT and AL-mc with linear scores, hinges at the thresholds. "+orderedWords, ordinalLinear,
		[]study.Reference{bostonReference(ordinalLinear[0], .316), bostonReference(ordinalLinear[4], .311)},
		study.Note{Text: "The paper’s mean absolute errors of AL-th and AL-mc hold with bins of equal length: 0.316 and " +
			"0.311 on boston (5 classes), 0.551 and 0.599 on autompg, 0.551 and 0.521 on abalone (10 classes). Bins of equal " +
			"frequency give 0.707 and 0.419 to 1.177 there, so it cannot have used them.",
			Finding: ordinalFinding(ordinalLinear)},
		study.Note{Claim: "On machinecpu the mean absolute error is 0.449.",
			Text: "The paper’s other numbers fit bins of equal length, but no such bins give 0.449. How the paper cut " +
				"machinecpu is not known.",
			Finding: func(cells []study.Cell) string {
				on := func(bins string) *study.Cell {
					return study.Find(cells, maeKey(machineCPU.Name+", "+bins, ordinalLinear[0]))
				}
				return findings("Here AL-th has %s with 5 classes of equal length, %s with 10, and %s with 5 classes of equal "+
					"frequency.", withInterval(on("5 classes of equal length"), 3), withInterval(on("10 classes of equal length"), 3),
					withInterval(on("5 classes of equal frequency"), 3))
			}}),
	ordinalTable("fathony-table5", "Table 5", "Ordered classes, Gaussian kernel",
		"AL-th, SVORIM and SVOREX with the Gaussian kernel, γ = 2⁻¹², 2⁻⁹ … 2⁰, then ¼ to 4 times the "+
			"best. "+orderedWords,
		ordinalGaussian, nil,
		study.Note{Text: "SVOREX needs its thresholds in order as a constraint; here they are free, and an answer is the " +
			"number " +
			"of thresholds below the score.", Finding: ordinalFinding(ordinalGaussian)}),
}

func ordinalTable(id, figure, title, words string, contenders []contender,
	onBoston []study.Reference, notes ...study.Note) study.Preset {
	return study.Preset{
		ID: id, Title: title, Source: fathonySource, Figure: figure, Uploads: true,
		Protocol: stripesWords + fmt.Sprintf("its outcome’s levels in their order, or a numeric outcome of more than %d "+
			"values in 5 and 10 classes of equal length and of equal frequency. ", mostLevels) + fathonyWords + words +
			"A mark shows the best mean and each that does not differ significantly from it (Wilcoxon signed-rank test, " +
			"5\u00a0%).",
		UploadTexts: []string{stripesWords + "its outcome", "The outcome"},
		Build: func(in study.Input) (p study.Plan, err error) {
			tasks, err := ordinalTasks(in)
			for _, t := range tasks {
				p.Units = append(p.Units, fathonyTable{t, contenders, nearly, orderedGrid, func(c contender) []study.Key {
					return []study.Key{maeKey(t.name, c)}
				},
					func(cost, _ float64) []float64 { return []float64{cost} }}.units(in)...)
			}
			return p, err
		},
		Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and kernel", Of: "data"},
			Series: study.Axis{Title: "Method", Of: "model"}, Metrics: []study.Metric{study.MetricOf("mae", "")},
			Totals: true},
		Data: orderedTable(equalLengthOn(boston, onBoston...), study.OnSet{Set: machineCPU}),
		NoNumbers: "The paper prints no number for generated stripes; its own datasets are below, where they are " +
			"available.",
		Notes: notes,
		Grid:  gridOf(study.Source{Generator: "ordinal-stripes", Rows: stripeRows[1]}, "mae", contenders),
	}
}

// bostonReference is the paper's mean for boston with bins of equal length.
func bostonReference(c contender, mean float64) study.Reference {
	return study.Reference{Key: maeKey(boston.Name+", 5 classes of equal length", c), Value: mean, N: fathonySplits,
		Digit: 1e-3, Where: "Fathony et al. 2018, Table 4"}
}

func maeKey(data string, c contender) study.Key {
	return study.Key{Data: c.on(data), Model: c.name, Metric: "mae"}
}

// earlierPaper explains where the content of Figures 5 and 6 comes from.
const earlierPaper = "The content of the paper’s Figures 5 and 6 is taken from an earlier paper by three of its " +
	"authors " +
	"(Fathony, Bashiri, Ziebart: Adversarial surrogate losses for ordinal regression, 2017), whose Figures 1 and " +
	"2 precede the same contours; we did not have the captions of Figures 5 and 6."

const fanName = "ordinal fan"

// fathonyFan shows where a single weight vector is not enough: decision boundaries that are not parallel.
var fathonyFan = []study.Preset{{
	ID: "fathony-fig6", Title: "Ordered classes that need several weight vectors", Source: fathonySource,
	Figure: "Figure 6",
	Protocol: fmt.Sprintf("Five sectors around (0, 0), their boundaries blurred (generated, %s rows; full: %s). ",
		phrase.Int(stripeRows[1]), phrase.Int(stripeRows[2])) + fathonyWords +
		"AL-th, RED-th, AT and IT have one weight vector and parallel boundaries, AL-mc a weight vector for each class. " +
		orderedWords,
	Build: func(in study.Input) (p study.Plan, err error) {
		rows := in.Size.Pick(stripeRows[0], stripeRows[1], stripeRows[2])
		t := fathonyTask{name: fanName, rows: study.Draw("ordinal-fan", rows, study.Seed(in.Seed, "fan", 0), nil)}
		p.Units = fathonyTable{t, ordinalLinear, nearly, orderedGrid, func(c contender) []study.Key {
			return []study.Key{maeKey(fanName, c)}
		}, func(cost, _ float64) []float64 { return []float64{cost} }}.units(in)
		return p, nil
	},
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and kernel", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Metrics: []study.Metric{study.MetricOf("mae", "")}},
	References: []study.Reference{study.Claim(maeKey(fanName, ordinalLinear[0]), maeKey(fanName, ordinalLinear[4]), 1,
		"Fathony et al. 2018, Figure 6: several weight vectors are useful")},
	Notes: []study.Note{{Text: earlierPaper}},
	Grid:  gridOf(study.Source{Generator: "ordinal-fan", Rows: stripeRows[1]}, "mae", ordinalLinear),
}}

// ordinalFinding states our errors for the stripes and, where available, machinecpu.
func ordinalFinding(contenders []contender) func(cells []study.Cell) string {
	return func(cells []study.Cell) string {
		on := func(data string) (text string) {
			for i, c := range contenders {
				mean := study.MeanOf(cells, maeKey(data, c))
				if math.IsNaN(mean) {
					return ""
				}
				text += fmt.Sprintf("%s%s %.3f", strings.Repeat(", ", min(i, 1)), c.name, mean)
			}
			return text + "."
		}
		stripes, text := on(stripesName), ""
		if stripes != "" {
			text = "Here, on the stripes: " + stripes
		}
		if own := on(machineCPU.Name + ", 5 classes of equal frequency"); own != "" {
			text += " On machinecpu in 5 classes of equal frequency: " + own
		}
		return text
	}
}

// stripeRows are the numbers of rows drawn.
var stripeRows = [3]int{120, 300, 500}

// ordinalTasks are the stripes, or the uploaded table.
func ordinalTasks(in study.Input) ([]fathonyTask, error) {
	if in.Data == nil {
		rows := in.Size.Pick(stripeRows[0], stripeRows[1], stripeRows[2])
		return []fathonyTask{{name: stripesName, rows: study.Draw("ordinal-stripes", rows, study.Seed(in.Seed, "stripes", 0),
			nil)}}, nil
	}
	data := *in.Data
	data.Positive, data.Negative = nil, nil
	c := data.Table.Column(data.Outcome)
	if c != nil && c.Numeric() && c.Distinct > mostLevels {
		return binnedTasks(data, c)
	}
	if c != nil && len(data.Levels) == 0 && c.Numeric() {
		data.Levels = ascending(c)
	}
	t, err := study.NewTask(data)
	if err != nil {
		return nil, err
	}
	return []fathonyTask{{name: data.Name, rows: study.Rows{Y: t.Y}, task: &t}}, nil
}

// mostLevels is the largest number of values of a numeric outcome that are used as classes without
// binning.
const mostLevels = 10

// ascending returns the levels of a numeric column in numeric order.
func ascending(c *table.Column) []string {
	levels := slices.Clone(c.Levels)
	number := func(l string) float64 {
		v, _ := table.ParseNumber(l, c.Decimal)
		return v
	}
	slices.SortFunc(levels, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return levels
}

// binnedTasks bins a numeric outcome into classes.
func binnedTasks(d study.Data, c *table.Column) (tasks []fathonyTask, err error) {
	t := study.Task{Name: d.Name, Table: d.Table, Predictors: d.Predictors}
	if t.Predictors == nil {
		t.Predictors = check.UsablePredictors(d.Table, d.Outcome, "", "")
	}
	if len(t.Predictors) == 0 {
		return nil, usererr.BadField("dataset", "has no column to predict from")
	}
	var v []float64
	for i := range d.Table.Rows {
		if x := columnNumber(c, i); !math.IsNaN(x) {
			t.Rows, v = append(t.Rows, i), append(v, x)
		}
	}
	for _, k := range []int{5, 10} {
		for _, b := range []struct {
			words string
			cuts  []float64
		}{{"of equal length", equalLengths(v, k)}, {"of equal frequency", equalFrequencies(v, k)}} {
			own := t
			own.Y, own.Levels = binned(v, b.cuts), make([]string, k)
			tasks = append(tasks, fathonyTask{name: fmt.Sprintf("%s, %d classes %s", d.Name, k, b.words),
				rows: study.Rows{Y: own.Y},
				task: &own})
		}
	}
	return tasks, nil
}

// columnNumber returns a cell of a numeric column, NaN if it is missing.
func columnNumber(c *table.Column, i int) float64 {
	if c.Num == nil && c.Code[i] < 0 {
		return math.NaN()
	}
	return study.CellNumber(c, i)
}

// equalLengths returns the cuts that divide the range of v into k bins of equal length.
func equalLengths(v []float64, k int) (cuts []float64) {
	low, high := slices.Min(v), slices.Max(v)
	for j := 1; j < k; j++ {
		cuts = append(cuts, low+(high-low)*float64(j)/float64(k))
	}
	return cuts
}

// equalFrequencies returns the cuts that divide v into k bins with equal numbers of rows, as far as ties
// allow.
func equalFrequencies(v []float64, k int) (cuts []float64) {
	sorted := slices.Sorted(slices.Values(v))
	for j := 1; j < k; j++ {
		cuts = append(cuts, sorted[j*len(sorted)/k])
	}
	return cuts
}

// binned returns the number of cuts at or below each value.
func binned(v, cuts []float64) []int {
	y := make([]int, len(v))
	for i, x := range v {
		for _, cut := range cuts {
			if x >= cut {
				y[i]++
			}
		}
	}
	return y
}
