package viz

import (
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
)

// RateBands draws the observed rate of each band with its Wilson interval over the band's
// range.
func RateBands(r *engine.Result) Figure {
	f := Figure{
		ID: "rates", Title: "Observed rate in its band",
		Sentence: rateSentence(r.Strata),
		Option:   rateOption(r.Strata),
		Head:     []string{"Band", "Rows", "Events", "Observed rate, %", "95" + phrase.NBSP + "% interval", "Verdict"},
		Legend: []LegendItem{
			{Text: "range of the band", SVG: SwatchSVG(0.25, 0.5)},
			{Text: "observed rate, Wilson 95" + phrase.NBSP + "% interval", SVG: whiskerSample()},
		},
	}
	f.Label = f.Title + ". " + f.Sentence
	for _, s := range r.Strata {
		f.Rows = append(f.Rows, []string{
			BandName(s.Lower, s.Upper), phrase.Int(s.N), phrase.Int(s.Events), rate(s.Observed), rateRange(s.Low,
				s.High), s.Verdict,
		})
	}
	return f
}

// rateSentence counts the verdicts, in words that can be checked in the table.
func rateSentence(strata []stat.Stratum) string {
	names := map[string][]string{}
	for _, s := range strata {
		if s.N > 0 {
			names[s.Verdict] = append(names[s.Verdict], BandName(s.Lower, s.Upper))
		}
	}
	var parts []string
	for _, v := range []struct{ verdict, words string }{
		{stat.Inside, "The whole interval lies in its band: "},
		{stat.Compatible, "The rate lies in its band, but the interval reaches beyond it: "},
		{stat.Unclear, "The rate lies outside its band, but the interval reaches into it: "},
		{stat.Outside, "The whole interval lies outside its band: "},
		{stat.TooFew, "There are too few rows or events to judge: "},
	} {
		if list := names[v.verdict]; len(list) > 0 {
			parts = append(parts, v.words+phrase.Join(list)+".")
		}
	}
	if len(parts) == 0 {
		return "No band holds a row."
	}
	return strings.Join(parts, " ")
}

// rateOption draws each band's range as a tinted bar on an invisible one, with whiskers on top.
func rateOption(strata []stat.Stratum) Option {
	names := make([]string, len(strata))
	below, span := make([]opts.BarData, len(strata)), make([]opts.BarData, len(strata))
	var whisker []opts.LineData
	var caps, judged, doubtful []opts.ScatterData
	for j, s := range strata {
		names[j] = BandName(s.Lower, s.Upper)
		below[j] = opts.BarData{Value: coord(100 * s.Lower)}
		span[j] = opts.BarData{Value: coord(100 * (s.Upper - s.Lower)),
			ItemStyle: &opts.ItemStyle{Color: tintToken(s.Lower, s.Upper)}}
		if s.Observed == nil || s.Low == nil || s.High == nil {
			continue
		}
		lo, hi := coord(100**s.Low), coord(100**s.High)
		whisker = append(whisker, opts.LineData{Value: []any{j, lo}}, opts.LineData{Value: []any{j, hi}},
			opts.LineData{Value: []any{j, nil}})
		caps = append(caps, opts.ScatterData{Value: []any{j, lo}}, opts.ScatterData{Value: []any{j, hi}})
		square := opts.ScatterData{Name: names[j], Value: []any{j, coord(100 * *s.Observed)}}
		if few(s) {
			doubtful = append(doubtful, square)
		} else {
			judged = append(judged, square)
		}
	}
	c := charts.NewBar()
	c.SetXAxis(names)
	c.AddSeries("below", below)
	c.AddSeries("range", span)
	l := charts.NewLine()
	l.AddSeries("interval", whisker)
	sc := charts.NewScatter()
	sc.AddSeries("ends", caps)
	sc.AddSeries("observed", judged)
	sc.AddSeries("observed, too few", doubtful)
	c.Overlap(l, sc)
	return option(c, ratePatch(names))
}

func ratePatch(names []string) object {
	quiet := object{"silent": true, "tooltip": object{"show": false}}
	bar := with(quiet, "stack", "band", "barWidth", "62%")
	patch := base(false)
	x := with(xAxis(NewScale(0, 1, 1), ""), "type", "category", "data", names,
		"axisLabel", object{"color": "@ink-3", "fontSize": 12, "interval": 0, "hideOverlap": true})
	for _, k := range []string{"min", "max", "interval"} {
		delete(x, k)
	}
	patch["xAxis"] = []object{x}
	patch["yAxis"] = []object{yAxis(scale(0, 100, 25), "")}
	patch["series"] = []object{
		with(bar, "itemStyle", object{"color": "@paper", "opacity": 0}),
		bar,
		with(quiet, "showSymbol", false, "connectNulls", false, "lineStyle", object{"color": "@ink", "width": 1.5}),
		with(quiet, "symbol", "rect", "symbolSize", []float64{9, 1.5}, "itemStyle", object{"color": "@ink"}),
		{"symbol": "rect", "symbolSize": 7, "z": 4, "itemStyle": object{"color": "@ink", "borderColor": "@ink",
			"borderWidth": 1.5}},
		{"symbol": "rect", "symbolSize": 7, "z": 4, "itemStyle": object{"color": "@paper", "borderColor": "@ink-3",
			"borderWidth": 1.5}},
	}
	return patch
}
