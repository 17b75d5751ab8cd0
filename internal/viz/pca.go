package viz

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// cloud is the rows with one predicted answer, in the plane of the first two components.
type cloud struct {
	answer int // a band, a class, or stat.Abstained
	name   string
	mark   mark
	x, y   []float64
	right  int // multiclass: number of correctly predicted rows
}

// pcaPlan is the layout of rows in the plane, by predicted answer.
type pcaPlan struct {
	clouds []cloud
	x, y   Scale
	xName  string
	yName  string
	share  [2]float64
	shown  int
}

// newPlan lays out rows; answer is predicted, class is the true class (multiclass).
func newPlan(share [2]float64, x, y []float64, answer, class []int, clouds []cloud, ax Axes) pcaPlan {
	for i, a := range answer {
		k := slices.IndexFunc(clouds, func(c cloud) bool { return c.answer == a })
		if k < 0 || i >= len(x) || i >= len(y) || !Finite(x[i]) || !Finite(y[i]) {
			continue
		}
		c := &clouds[k]
		if c.x, c.y = append(c.x, x[i]), append(c.y, y[i]); class != nil && class[i] == a {
			c.right++
		}
	}
	p := pcaPlan{clouds: clouds, share: share, shown: len(x),
		xName: "first component, " + Percent(share[0], 0) + phrase.NBSP + "% of variance",
		yName: "second, " + Percent(share[1], 0) + phrase.NBSP + "%"}
	lo, hi, _ := extent(x)
	p.x = axis(ax.X, lo, hi, 5)
	lo, hi, _ = extent(y)
	p.y = axis(ax.Y, lo, hi, 5)
	return p
}

func planPCA(r *engine.Result, ax Axes) pcaPlan {
	pca := r.PCA
	if pca == nil {
		pca = &engine.PCA{}
	}
	clouds := make([]cloud, len(r.Boundaries)+1)
	for j := range clouds {
		low, high := edges(r.Boundaries, j)
		clouds[j] = cloud{answer: j, name: BandName(low, high), mark: bandMark(j, len(clouds), low, high)}
	}
	return newPlan(pca.Share, pca.X, pca.Y, pca.Band, nil, clouds, ax)
}

// PCAScatter draws the rows in the plane of the first two principal components, with a mark per
// band.
func PCAScatter(r *engine.Result, ax Axes) Figure {
	p := planPCA(r, ax)
	order := ""
	var at []float64
	for _, g := range p.clouds {
		if len(g.x) > 0 {
			at = append(at, median(g.x))
		}
	}
	if len(at) > 1 && (sort.Float64sAreSorted(at) || sort.SliceIsSorted(at, func(i, j int) bool {
		return at[i] > at[j]
	})) {
		order = " The band medians are in order along the first."
	}
	f := p.figure(Figure{ID: "pca", Title: "Rows by band", Sentence: p.sentence(r.Flow.Scored, order),
		Head: []string{"Band", "Rows shown", "Median on the first component", "Median on the second"}})
	for k := range f.Legend {
		f.Legend[k].Mark = p.clouds[k].mark.legendClass()
	}
	return f
}

// ClassScatter draws the rows in the plane of the first two principal components, with a mark
// per predicted class.
func ClassScatter(r *engine.Result) Figure {
	pca := r.Classes.PCA
	if pca == nil {
		pca = &engine.ClassPCA{}
	}
	var clouds []cloud
	if slices.Contains(pca.Predicted, stat.Abstained) {
		clouds = append(clouds, cloud{answer: stat.Abstained, name: model.NoAnswer, mark: unanswered})
	}
	for k, level := range r.Classes.Levels {
		clouds = append(clouds, cloud{answer: k, name: level, mark: classMark(k)})
	}
	p := newPlan(pca.Share, pca.X, pca.Y, pca.Predicted, pca.Class, clouds, Axes{})
	f := p.figure(Figure{ID: "class-pca", Title: "Rows by answer", Sentence: p.sentence(r.Flow.Scored, ""),
		Head: []string{"Answer", "Rows shown", "Right", "Median on the first component", "Median on the second"}})
	for k := range f.Rows {
		f.Rows[k] = slices.Insert(f.Rows[k], 2, phrase.Int(p.clouds[k].right))
	}
	return f
}

// figure draws the plan.
func (p pcaPlan) figure(f Figure) Figure {
	f.Label = f.Title + ". " + f.Sentence
	c := newScatter()
	var series []object
	for _, g := range p.clouds {
		name := textName(g.name)
		c.AddSeries(name, scatterPoints(g.x, g.y))
		series = append(series, object{
			"symbol": g.mark.Symbol, "symbolSize": g.mark.Size, "itemStyle": object{
				"color": g.mark.Fill, "borderColor": g.mark.Edge, "borderWidth": 1,
			},
			"large": false, "emphasis": object{"focus": "series"},
		})
		f.Rows = append(f.Rows, []string{g.name, phrase.Int(len(g.x)), Number(median(g.x), 2), Number(median(g.y), 2)})
		f.Legend = append(f.Legend, LegendItem{Series: name, Text: g.name, SVG: markSample(g.mark)})
	}
	patch := base(true)
	left := 32 + labelWidth(p.y, p.y.Label)
	patch["grid"] = grid(left, 12, 12, 38)
	patch["xAxis"] = []object{xAxis(p.x, p.xName)}
	patch["yAxis"] = []object{named(yAxis(p.y, p.yName), left)}
	patch["series"] = series
	f.Option = option(c, patch)
	return f
}

// sentence says how much variance the plane explains, and how many of the rows are drawn; order
// is its part on the order of the answers.
func (p pcaPlan) sentence(scored int, order string) string {
	if p.shown == 0 {
		return "No rows to draw."
	}
	s := fmt.Sprintf("The first two components explain %s%s%% of the variance.", Percent(p.share[0]+p.share[1], 0),
		phrase.NBSP) + order
	if p.shown < scored {
		s += fmt.Sprintf(" %s of %s rows are drawn.", phrase.Int(p.shown), phrase.Int(scored))
	}
	return s
}

// legendClass is the CSS class of the mark.
func (m mark) legendClass() string {
	switch m.Symbol {
	case "circle":
		return "q0"
	case "rect":
		return "q1"
	case "diamond":
		return "q2"
	}
	return "q3"
}

func scatterPoints(x, y []float64) []opts.ScatterData {
	data := make([]opts.ScatterData, len(x))
	for i := range x {
		data[i].Value = []any{coord(x[i]), coord(y[i])}
	}
	return data
}

// median of a list, NaN if it is empty.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := append([]float64(nil), v...)
	sort.Float64s(s)
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
