package viz

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// classMark returns the mark of class k: four symbols in four colours, solid for the first four
// classes, hollow for the next four, then repeating.
func classMark(k int) mark {
	c := strconv.Itoa(k % 4)
	m := mark{Symbol: []string{"circle", "triangle", "rect", "diamond"}[k%4], Size: []float64{6, 8, 7, 8}[k%4]}
	if k%8 < 4 {
		m.Fill, m.Edge, m.Class = "@c"+c, "@paper", "c"+c+" st-paper"
	} else {
		m.Fill, m.Edge, m.Class = "@paper", "@c"+c, "fill-paper c"+c+"l"
	}
	return m
}

// unanswered is the mark of a row for which the model abstained.
var unanswered = mark{Symbol: "diamond", Fill: "@paper", Edge: "@ink", Class: "fill-paper st-ink", Size: 7}

// confusionCell is the height of a cell and its least width in pixels, confusionRoom the width of all on a phone.
const confusionCell, confusionRoom = 44.0, 320.0

// ConfusionSVG draws a confusion matrix: squares with area proportional to the share of the
// observed class, solid if correct, hatched if wrong, hollow for abstention, each with its
// count.
func ConfusionSVG(c stat.Classes) string {
	k := len(c.Levels)
	none := slices.ContainsFunc(c.Abstained, func(n int) bool { return n > 0 })
	columns := k
	if none {
		columns++
	}
	names := 0
	for _, l := range c.Levels {
		names = max(names, len([]rune(levelName(l))))
	}
	left := 7*float64(names) + 14
	// As wide as the names above need, while a phone has room, whether a column without an answer is there or not.
	wide := max(confusionCell, min(7*float64(names)+8, (confusionRoom-left)/float64(k+1)))
	d := drawing{w: left + wide*float64(columns) + 2, h: 22 + confusionCell*float64(k) + 2}
	heads := append(confusionHeads(c.Levels, int(wide-2)/6), "none")
	for j := range columns {
		d.text("ax", "middle", left+wide*(float64(j)+0.5), 14, heads[j])
	}
	for i, level := range c.Levels {
		d.confusionRow(c, i, columns, left, 22+confusionCell*float64(i), wide)
		d.text("ax", "end", left-8, 22+confusionCell*(float64(i)+0.5)+4, levelName(level))
	}
	return d.svg("confusion", confusionWords(c))
}

// confusionHeads are names of the levels of at most so many letters above their columns: without their common prefix
// up to a separator, and shortened in the middle if they still begin alike. The rows have the
// full names.
func confusionHeads(levels []string, letters int) []string {
	shared := 0
	for i, r := range levels[0] {
		if n := i + utf8.RuneLen(r); strings.ContainsRune("-_ /.:", r) && !slices.ContainsFunc(levels, func(l string) bool {
			return len(l) <= n || l[:n] != levels[0][:n]
		}) {
			shared = n
		}
	}
	heads, seen := make([]string, len(levels)), map[string]int{}
	for i, l := range levels {
		heads[i] = phrase.Shorten(l[shared:], letters)
		seen[heads[i]]++
	}
	for i, l := range levels {
		if r := []rune(l[shared:]); seen[heads[i]] > 1 && len(r) > letters {
			heads[i] = string(r[:2]) + "…" + string(r[len(r)-letters+3:])
		}
	}
	return heads
}

func (d *drawing) confusionRow(c stat.Classes, i, columns int, left, top, wide float64) {
	total := c.Abstained[i]
	for _, n := range c.Confusion[i] {
		total += n
	}
	for j := range columns {
		n := c.Abstained[i]
		if j < len(c.Levels) {
			n = c.Confusion[i][j]
		}
		x := left + wide*float64(j)
		d.rect("fill-none st-edge", x, top, wide, confusionCell)
		if n == 0 {
			continue
		}
		side := (confusionCell - 6) * math.Sqrt(float64(n)/float64(total))
		// In the corner across from the number, which would cover a small square.
		across, at := wide-3-side, confusionCell-3-side
		switch {
		case j == i:
			d.rect("fill-wash st-ink", x+across, top+at, side, side)
		case j == len(c.Levels):
			d.rect("fill-none st-ink", x+across, top+at, side, side)
		default:
			d.hatch(x+across, top+at, side, side)
			d.rect("fill-none st-ink", x+across, top+at, side, side)
		}
		d.rect("fill-paper", x+1, top+1, 7.5*float64(len(phrase.Int(n)))+5, 15)
		d.text("note ink", "start", x+4, top+13, phrase.Int(n))
	}
}

// confusionWords describes the matrix in a sentence.
func confusionWords(c stat.Classes) string {
	var each []string
	for i, level := range c.Levels {
		each = append(each, fmt.Sprintf("%s: %s right of %s", level, phrase.Int(c.Confusion[i][i]),
			phrase.Int(c.PerClass[i].Support+c.Abstained[i])))
	}
	return "Answers by true class. " + strings.Join(each, "; ")
}

func levelName(s string) string { return phrase.Shorten(s, 16) }

// CoverageCurve draws the accuracy against the coverage (share of rows answered), most certain
// rows first.
func CoverageCurve(r *engine.Result) Figure {
	all := r.Classes.Coverage
	f := Figure{ID: "coverage", Title: "Accuracy against coverage", Head: []string{"Rows answered, %", "Rows",
		"Accuracy, %", "95\u00a0% CI"}}
	var x, y []float64
	for _, c := range all {
		if c.Accuracy.Value == nil {
			continue
		}
		x, y = append(x, 100*c.Coverage), append(y, 100**c.Accuracy.Value)
		f.Rows = append(f.Rows, []string{Percent(c.Coverage, 1), phrase.Int(c.N), Percent(*c.Accuracy.Value, 1),
			Range(Percent(*c.Accuracy.Low, 1), Percent(*c.Accuracy.High, 1))})
	}
	if len(x) == 0 {
		f.Sentence = "No rows to draw."
		return f
	}
	half := 0 // the point closest to half of the rows
	for i := range x {
		if math.Abs(x[i]-50) < math.Abs(x[half]-50) {
			half = i
		}
	}
	f.Sentence = fmt.Sprintf("Answering every row: %s%s%% right; only the most confident %s%s%%: %s%s%%.",
		Number(y[len(y)-1], 1), phrase.NBSP, Number(x[half], 0), phrase.NBSP, Number(y[half], 1), phrase.NBSP)
	if rate := r.Classes.Metrics.Test.AbstentionRate; rate != nil && *rate == 1 {
		f.Sentence += " The model itself answers no row: the curve is of its most likely class."
	}
	f.Label = f.Title + ". " + f.Sentence
	chart := newLine()
	chart.AddSeries("accuracy", points(x, y))
	lo, _, _ := extent(y)
	patch := base(true)
	patch["grid"] = grid(56, 12, 12, 38)
	patch["xAxis"] = []object{xAxis(axis([2]float64{0, 100}, 0, 100, 5), "rows answered, %")}
	patch["yAxis"] = []object{named(yAxis(axis([2]float64{}, min(lo, 98), 100, 4), "right, %"), 56)}
	patch["series"] = []object{{"symbol": "none", "lineStyle": object{"color": "@s1", "width": 2},
		"itemStyle": object{"color": "@s1"}}}
	f.Option = option(chart, patch)
	return f
}
