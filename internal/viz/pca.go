package viz

import (
	"fmt"
	"math"
	"sort"

	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
)

// cloud is the rows of one band in the plane of the first two components.
type cloud struct {
	band int
	name string
	mark mark
	x, y []float64
}

type pcaPlan struct {
	clouds []cloud // by band, lowest first
	x, y   Scale
	xName  string
	yName  string
}

func planPCA(r *engine.Result, ax Axes) pcaPlan {
	pca := r.PCA
	if pca == nil {
		pca = &engine.PCA{}
	}
	bands := len(r.Boundaries) + 1
	p := pcaPlan{
		clouds: make([]cloud, bands),
		xName:  "first component, " + Percent(pca.Share[0], 0) + phrase.NBSP + "% of variance",
		yName:  "second, " + Percent(pca.Share[1], 0) + phrase.NBSP + "%",
	}
	for j := range p.clouds {
		low, high := edges(r.Boundaries, j)
		p.clouds[j] = cloud{band: j, name: BandName(low, high), mark: bandMark(j, bands, low, high)}
	}
	for i, j := range pca.Band {
		if j >= 0 && j < bands && i < len(pca.X) && i < len(pca.Y) && Finite(pca.X[i]) && Finite(pca.Y[i]) {
			c := &p.clouds[j]
			c.x, c.y = append(c.x, pca.X[i]), append(c.y, pca.Y[i])
		}
	}
	lo, hi, _ := extent(pca.X)
	p.x = axis(ax.X, lo, hi, 5)
	lo, hi, _ = extent(pca.Y)
	p.y = axis(ax.Y, lo, hi, 5)
	return p
}

// PCAScatter draws the rows in the plane of the first two principal components,
// each band with a mark of its own.
func PCAScatter(r *engine.Result, ax Axes) Figure {
	p := planPCA(r, ax)
	f := Figure{
		ID: "pca", Title: "Rows by band",
		Sentence: pcaSentence(r, p.clouds),
		Head:     []string{"Band", "Rows shown", "Median on the first component", "Median on the second"},
	}
	f.Label = f.Title + ". " + f.Sentence
	c := newScatter()
	var series []object
	for _, g := range p.clouds {
		c.AddSeries(g.name, scatterPoints(g.x, g.y))
		series = append(series, object{
			"symbol": g.mark.Symbol, "symbolSize": g.mark.Size, "itemStyle": object{
				"color": g.mark.Fill, "borderColor": g.mark.Edge, "borderWidth": 1,
			},
			"large": false,
		})
		f.Rows = append(f.Rows, []string{g.name, phrase.Int(len(g.x)), Number(median(g.x), 2), Number(median(g.y), 2)})
		f.Legend = append(f.Legend, LegendItem{
			Series: g.name, Text: g.name, Mark: g.mark.legendClass(), SVG: markSample(g.mark),
		})
	}
	patch := base(true)
	patch["grid"] = object{"left": 44, "right": 12, "top": 12, "bottom": 38, "containLabel": false}
	patch["xAxis"] = []object{xAxis(p.x, p.xName)}
	patch["yAxis"] = []object{yAxis(p.y, p.yName)}
	patch["series"] = series
	f.Option = option(c, patch)
	return f
}

// legendClass is the mark's class among those of the style sheet.
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

// pcaSentence says how much of the variance the plane holds and whether the
// bands follow one another along its first axis.
func pcaSentence(r *engine.Result, clouds []cloud) string {
	if r.PCA == nil || len(r.PCA.X) == 0 {
		return "No rows to draw."
	}
	s := fmt.Sprintf("The first two components hold %s%s%% of the variance.", Percent(r.PCA.Share[0]+r.PCA.Share[1], 0),
		phrase.NBSP)
	var at []float64
	for _, g := range clouds {
		if len(g.x) > 0 {
			at = append(at, median(g.x))
		}
	}
	if len(at) > 1 && (sort.Float64sAreSorted(at) || sort.SliceIsSorted(at, func(i, j int) bool {
		return at[i] > at[j]
	})) {
		s += " The bands follow one another along the first."
	}
	if shown := len(r.PCA.X); shown < r.Flow.Scored {
		s += fmt.Sprintf(" %s of %s rows are drawn.", phrase.Int(shown), phrase.Int(r.Flow.Scored))
	}
	return s
}

// median of a list, NaN without entries.
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
