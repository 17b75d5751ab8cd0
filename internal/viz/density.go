package viz

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
)

// curve is the density of the score for one outcome level.
type curve struct {
	engine.Density
	class int // 0 non-event, 1 event, 2 and 3 only scored
	peak  int // index of the highest point
}

// classDash are the dashes of the four classes for ECharts.
var classDash = [4]any{"solid", []int{6, 3}, []int{2, 3}, []int{10, 3, 2, 3}}

// densityPlan is the layout shared by the ECharts option and the SVG.
type densityPlan struct {
	curves []curve // sorted by median
	x      Scale
	top    float64 // of the y axis
	cuts   []float64
	pi     []float64
}

func planDensity(r *engine.Result, ax Axes) densityPlan {
	p := densityPlan{pi: r.Boundaries, cuts: r.Delta}
	other := 2
	var xs [][]float64
	for _, d := range r.Density {
		if len(d.X) == 0 || len(d.X) != len(d.Y) {
			continue
		}
		c := curve{Density: d}
		switch d.Level {
		case r.Negative.String():
			c.class = 0
		case r.Positive.String():
			c.class = 1
		default:
			c.class = min(other, 3)
			other++
		}
		for i, y := range d.Y {
			if y > d.Y[c.peak] {
				c.peak = i
			}
		}
		p.top = math.Max(p.top, d.Y[c.peak])
		xs = append(xs, d.X)
		p.curves = append(p.curves, c)
	}
	sort.SliceStable(p.curves, func(i, j int) bool { return p.curves[i].Median < p.curves[j].Median })
	lo, hi, ok := extent(append(xs, r.Delta)...)
	if !ok {
		lo, hi = -1, 1
	}
	p.x = FrozenScale(lo, hi, 6)
	if ax.X[0] < ax.X[1] {
		p.x = axis(ax.X, lo, hi, 6)
	}
	if p.top *= 1.12; !(p.top > 0) || !Finite(p.top) {
		p.top = 1
	}
	if ax.Y[0] < ax.Y[1] {
		p.top = ax.Y[1]
	}
	return p
}

// band returns the ends of band j on the score axis, clipped to the plot.
func (p densityPlan) band(j int) (from, to float64) {
	from, to = p.x.Min, p.x.Max
	if j > 0 {
		from = clamp(p.cuts[j-1], p.x)
	}
	if j < len(p.cuts) {
		to = clamp(p.cuts[j], p.x)
	}
	return from, to
}

func clamp(v float64, s Scale) float64 { return math.Max(s.Min, math.Min(s.Max, v)) }

// DistributionTitle is the title of Density. Its axis is the score for every model; bands of risk are marked on it.
const DistributionTitle = "Score distribution by class, with the cut-offs"

// Density draws the distribution of the score in each outcome group, the cut-offs as lines, and
// the bands as a strip above.
func Density(r *engine.Result, ax Axes) Figure {
	p := planDensity(r, ax)
	f := Figure{
		ID: "density", Title: DistributionTitle,
		Sentence: densitySentence(r, p.curves),
		Option:   p.option(),
		Head:     []string{"Group", "Rows", "Median score", "Most common score", "Used for"},
	}
	f.Label = f.Title + ". " + f.Sentence
	for _, c := range p.curves {
		use := "scoring"
		if c.Trained {
			use = "training"
		}
		f.Rows = append(f.Rows, []string{c.Level, phrase.Int(c.N), Number(c.Median, 2), Number(c.X[c.peak], 2), use})
		f.Legend = append(f.Legend, LegendItem{
			Series: textName(c.Level), Text: c.Level, Mark: fmt.Sprintf("dens%d", c.class), SVG: lineSample(c.class),
		})
	}
	return f
}

// densitySentence describes where the groups lie and how many rows are between the cut-offs.
func densitySentence(r *engine.Result, curves []curve) string {
	if r.NoPredictor {
		return "Every row has the same answer: there is no distribution to draw."
	}
	if len(curves) == 0 {
		return "No group has enough rows to draw."
	}
	var medians []string
	for _, c := range curves {
		medians = append(medians, Number(c.Median, 1)+" for "+c.Level)
	}
	return "Median score " + strings.Join(medians, ", ") + "." + betweenSentence(r)
}

// betweenSentence counts the rows between the outermost cut-offs.
func betweenSentence(r *engine.Result) string {
	k := len(r.Boundaries)
	if k == 0 || len(r.Strata) != k+1 {
		return ""
	}
	all, inner := 0, 0
	for j, s := range r.Strata {
		all += s.N
		if j > 0 && j < k {
			inner += s.N
		}
	}
	if k == 1 {
		return fmt.Sprintf(" %s of %s rows lie above the %s%s%% cut-off.", phrase.Int(r.Strata[1].N), phrase.Int(all),
			pct(r.Boundaries[0]), phrase.NBSP)
	}
	return fmt.Sprintf(" %s of %s rows lie between the %s and the %s%s%% cut-off.", phrase.Int(inner), phrase.Int(all),
		pct(r.Boundaries[0]), pct(r.Boundaries[k-1]), phrase.NBSP)
}

// option draws the curves, and the strip in a separate grid above them.
func (p densityPlan) option() Option {
	c := newLine()
	series := []object{p.stripSeries(), p.cutSeries(0, 1)}
	blank := []opts.LineData{{Value: []any{coord(p.x.Min), 0}}}
	c.AddSeries("bands", blank)
	c.AddSeries("cut-offs", blank)
	for _, d := range p.curves {
		c.AddSeries(textName(d.Level), points(d.X, d.Y))
		series = append(series, curveStyle(d))
	}
	names := charts.NewScatter()
	names.AddSeries("names", nil)
	c.Overlap(names)
	series = append(series, p.nameSeries())
	patch := base(true)
	patch["grid"] = []object{
		grid(34, 12, 20, 38),
		{"left": 34, "right": 12, "top": 4, "height": 14, "outerBoundsMode": "none"},
	}
	hidden := object{"show": false, "type": "value", "gridIndex": 1}
	patch["xAxis"] = []object{
		with(xAxis(p.x, "score f(x)"), "gridIndex", 0),
		with(hidden, "min", p.x.Min, "max", p.x.Max),
	}
	patch["yAxis"] = []object{
		{"show": false, "type": "value", "gridIndex": 0, "min": 0, "max": coord(p.top)},
		with(hidden, "min", 0, "max", 1),
	}
	patch["series"], patch["tooltip"], patch["bands"] = series, hovered(patch), p.ends()
	return option(c, patch)
}

// ends are the ends of the bands, which the page needs to highlight one.
func (p densityPlan) ends() []any {
	ends := make([]any, len(p.cuts))
	for k, c := range p.cuts {
		ends[k] = coord(c)
	}
	return ends
}

func curveStyle(d curve) object {
	ink := fmt.Sprintf("@c%d", d.class)
	style := object{
		"showSymbol": false, "xAxisIndex": 0, "yAxisIndex": 0, "z": 3,
		"lineStyle": object{"color": ink, "width": 2, "type": classDash[d.class]},
		"itemStyle": object{"color": ink},
	}
	if d.class < 2 {
		style["areaStyle"] = object{"color": fmt.Sprintf("@p%d", 4+d.class), "opacity": 1}
	}
	return style
}

// stripSeries draws the bands, with names where they fit.
func (p densityPlan) stripSeries() object {
	var areas []any
	for j := 0; j <= len(p.cuts) && len(p.cuts) == len(p.pi); j++ {
		from, to := p.band(j)
		low, high := edges(p.pi, j)
		areas = append(areas, []any{
			object{
				"name": BandName(low, high), "xAxis": coord(from), "yAxis": 0,
				"itemStyle": object{"color": tintToken(low, high)},
				"label": object{
					"show": to-from > 0.16*(p.x.Max-p.x.Min), "position": "inside",
					"color": "@ink", "fontSize": 12,
				},
			},
			object{"xAxis": coord(to), "yAxis": 1},
		})
	}
	return with(p.cutSeries(1, 1), "markArea", object{"silent": true, "data": areas})
}

// cutSeries draws the cut-offs in one grid.
func (p densityPlan) cutSeries(grid int, width float64) object {
	cuts := []any{}
	for _, d := range p.cuts {
		if d >= p.x.Min && d <= p.x.Max {
			cuts = append(cuts, object{"xAxis": coord(d)})
		}
	}
	return object{
		"silent": true, "symbol": "none", "xAxisIndex": grid, "yAxisIndex": grid,
		"tooltip": object{"show": false},
		"markLine": object{
			"silent": true, "symbol": "none", "precision": -1, "label": object{"show": false}, "data": cuts,
			"lineStyle": object{"color": "@ink", "width": width, "type": "solid"},
		},
	}
}
