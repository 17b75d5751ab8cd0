package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// TestFigure: the parts of a figure get to the page in their order.
func TestFigure(t *testing.T) {
	got := control.Figure(viz.Figure{ID: "density", Title: "Score by group", Sentence: "They overlap.", Label: "Two hills", Option: viz.Option(`{"a":1}`),
		Head: []string{"Score", "benign"}, Rows: [][]string{{"−1", "0.2"}},
		Legend: []viz.LegendItem{{Series: "benign", Text: "benign (357)", Mark: "dens0", SVG: "<svg></svg>"}}})
	want := templates.Chart{ID: "density", Title: "Score by group", Sentence: "They overlap.", Finding: "Two hills", Option: []byte(`{"a":1}`),
		Legend: []templates.LegendEntry{{Series: "benign", Label: "benign (357)", Mark: "dens0", Sample: "<svg></svg>"}},
		Table: &templates.Table{Label: "Data of Score by group", Class: "tbl-tight", Tall: true,
			Columns: []templates.Column{{Label: "Score"}, {Label: "benign", Num: true}},
			Rows:    []templates.Row{{Cells: []templates.Cell{{Text: "−1"}, {Text: "0.2"}}}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestPaintedAlike: what paint.js draws is what ECharts draws of the same option, pixel by pixel.
func TestPaintedAlike(t *testing.T) {
	p, b := commonTab(t)
	clinic := "/stratify/" + p.sampleID("wdbc.csv") + "?event=M"
	pages := []struct {
		path, scheme string
		painted      int // figures at least
	}{
		{"/", "light", 3}, {"/?family=alpha&view=slope", "dark", 1}, {"/?family=interval", "dark", 3}, {"/?family=interval&view=points", "light", 1},
		{"/?family=adversarial", "light", 2}, {"/?family=alpha&view=landscape", "dark", 2}, {"/?view=functions", "light", 2}, {clinic, "light", 2}, {clinic, "dark", 2},
	}
	for _, c := range pages {
		b.look(1280, c.scheme)
		b.open(c.path)
		b.drawn()
		raw := eval[string](b, `(async () => {
			const painted = [...document.querySelectorAll('[data-chart]')].filter((f) => f.checkVisibility() && f.querySelector('canvas.drawing:not([hidden])'));
			// Two clicks on a legend: painted once more, over the kept axes. The dashes of the cap, in the figure of the loss,
			// get other edges then, an eighth of a pixel off.
			for (const f of painted) if (f.id !== 'loss') for (const b of [...f.querySelectorAll('[data-series]')].slice(0, 1)) for (let i = 0; i < 2; i++) b.click();
			const pixels = (c) => c.getContext('2d').getImageData(0, 0, c.width, c.height);
			const before = painted.map((f) => pixels(f.querySelector('canvas.drawing'))), found = {};
			for (const [i, figure] of painted.entries()) {
				// Far outside, so that no tooltip is drawn.
				figure.querySelector('[data-plot]').dispatchEvent(new PointerEvent('pointerenter', {pointerType: 'mouse', clientX: -9999, clientY: -9999}));
				while (!figure.querySelector('.drawing canvas')) await new Promise((r) => setTimeout(r, 10));
				const a = before[i], b = pixels(figure.querySelector('.drawing canvas'));
				let ink = 0, off = 0;
				for (let k = 0; k < b.data.length; k += 4) {
					const [s, t] = [a.data[k + 3] / 255, b.data[k + 3] / 255];
					const apart = Math.max(255 * Math.abs(s - t), ...[0, 1, 2].map((j) => Math.abs(a.data[k + j] * s - b.data[k + j] * t)));
					if (Math.max(s, t) > .1) ink++;
					if (apart > 12) off++;
				}
				found[figure.id] = a.width === b.width && a.height === b.height && ink > 500 ? off / ink : 1;
			}
			return JSON.stringify(found);
		})()`)
		shares := map[string]float64{}
		if err := json.Unmarshal([]byte(raw), &shares); err != nil {
			t.Fatal(err)
		}
		if len(shares) < c.painted {
			t.Errorf("%s: painted are %v, fewer than %d", c.path, shares, c.painted)
		}
		for id, share := range shares {
			if share > .02 { // ECharts leaves out points that are less than a pixel from the last one
				t.Errorf("%s, %s: %s differs in %.1f %% of its pixels", c.path, c.scheme, id, 100*share)
			}
		}
		t.Log(c.path, c.scheme, shares)
	}
}

// TestFiguresDraw draws every option among the golden files of internal/viz, in both themes, and expects a drawing and
// no console message.
func TestFiguresDraw(t *testing.T) {
	names, err := filepath.Glob("../../internal/viz/testdata/golden/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden options: %v", err)
	}
	var parts []templ.Component
	for _, name := range names {
		option, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(name), ".json")
		parts = append(parts, templates.ChartView(templates.Chart{ID: id, Title: id, Sentence: "From the golden file.", Option: option}))
	}
	b := newTab(t, partServer(t, templ.Join(parts...), func(*Server) {}))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 360} {
			b.look(width, scheme)
			b.open("/part")
			b.drawn()
			b.wait(fmt.Sprintf(`document.querySelectorAll('[data-drawn]').length === %d`, len(names)))
			for _, empty := range eval[[]string](b, `[...document.querySelectorAll('[data-chart]')].filter((f) => {
				const c = f.querySelector('canvas.drawing:not([hidden]), div.drawing:not([hidden]) canvas'); return !c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v); }).map((f) => f.id)`) {
				t.Errorf("%s, %d px: %s is blank", scheme, width, empty)
			}
			b.fits("figures")
			b.shot(fmt.Sprintf("figures-%d-%s", width, scheme))
		}
	}
	b.expectAll("willReadFrequently") // the test itself reads the canvas
}

// TestPointerBringsECharts: a page paints its charts without ECharts, which draws them, with a tooltip, once the
// pointer comes; after the pointer has left, a move of a slider is painted again.
func TestPointerBringsECharts(t *testing.T) {
	_, b := commonTab(t)
	b.open("/")
	b.drawn()
	const library = `performance.getEntriesByType('resource').some((e) => e.name.includes('echarts'))`
	if eval[bool](b, library) {
		t.Error("ECharts is loaded before the pointer comes to a chart")
	}
	const plot = `document.querySelector('#loss [data-plot]')`
	point := func(kind string, buttons int) {
		b.exec(fmt.Sprintf(`(() => { const r = %s.getBoundingClientRect(); %s.dispatchEvent(new PointerEvent('%s',
			{pointerType: 'mouse', buttons: %d, clientX: r.left + r.width / 2, clientY: r.top + r.height / 2})); })()`, plot, plot, kind, buttons))
	}
	drawn := func(by string) string {
		return fmt.Sprintf(`['loss', 'influence', 'probability'].every((id) => document.querySelector('#' + id + ' %s.drawing:not([hidden])'))`, by)
	}
	point("pointerenter", 1) // while something is dragged
	if !eval[bool](b, drawn("canvas")) {
		t.Error("a drag across a chart changes its drawing")
	}
	point("pointermove", 0)
	b.wait(drawn("div"))
	const inked = `(() => { const c = document.querySelector('#loss div.drawing canvas'), all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0; for (let i = 3; i < all.length; i += 4) if (all[i] > 200) n++; return n; })()`
	b.wait(inked + ` > 1.2 * (() => { const c = document.querySelector('#loss canvas.drawing'), all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0; for (let i = 3; i < all.length; i += 4) if (all[i] > 200) n++; return n; })()`) // the box of the tooltip
	point("pointerleave", 0)
	const picture = `document.querySelector('#loss canvas.drawing').toDataURL()`
	before := eval[string](b, picture)
	b.do(keys("#t1-range", kb.ArrowRight))
	b.settled("t1=0.61")
	b.wait(drawn("canvas"))
	if eval[string](b, picture) == before {
		t.Error("the move is not painted")
	}
}

// TestLinkedAtOnce: under a pointer that is still when ECharts comes, the charts connected to its chart show what they show
// after its next move.
func TestLinkedAtOnce(t *testing.T) {
	_, b := commonTab(t)
	b.open("/")
	b.drawn()
	at := eval[[]float64](b, `((r) => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#loss [data-plot]').getBoundingClientRect())`)
	move := func(x float64) { b.do(chromedp.MouseEvent("mouseMoved", x, at[1])) }
	pictures := func() []string {
		b.await(`new Promise((r) => setTimeout(r, 400)).then(() => ` + twoFrames + `)`) // a tooltip goes after 100 ms
		return eval[[]string](b, `['loss', 'influence', 'probability'].map((id) => document.querySelector('#' + id + ' div.drawing canvas').toDataURL())`)
	}
	move(at[0])
	b.wait(`['loss', 'influence', 'probability'].every((id) => document.querySelector('#' + id + ' div.drawing canvas'))`)
	still := pictures()
	move(at[0] + 1)
	move(at[0])
	moved := pictures()
	move(1)
	left := pictures()
	for i, id := range []string{"loss", "influence", "probability"} {
		if moved[i] == left[i] {
			t.Errorf("%s shows nothing of the pointer", id)
		}
		if still[i] != moved[i] {
			t.Errorf("%s shows something else once the pointer moves", id)
		}
	}
}

// TestTooltipOfSteps: where a curve rises at one x, as the ROC curve does, the tooltip names it once, with both ends.
func TestTooltipOfSteps(t *testing.T) {
	_, b := commonTab(t)
	b.open("/")
	for points, want := range map[string]string{
		"[['ROC curve', 61.5], ['ROC curve', 64], ['ROC curve', 62], ['cut at 0', 60]]": "25\nROC curve   61.5\u00a0–\u00a064\ncut at 0   60",
		"[['ROC curve', 61.5], ['ROC curve', 61.5]]":                                    "25\nROC curve   61.5",
	} {
		got := eval[string](b, `import(new URL('../js/tooltip.js', document.querySelector('script[type=module]').src)).then(({tooltip}) =>
			tooltip({}, 4).formatter(`+points+`.map(([seriesName, y]) => ({seriesName, axisValueLabel: '25', value: [25, y]}))))`)
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTooltipFollowsFinger: the tooltip follows the finger whose touch brought ECharts, also where a drag would scroll.
func TestTooltipFollowsFinger(t *testing.T) {
	_, b := commonTab(t)
	b.look(700, "light")
	if _, err := chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	for id, path := range ordered(map[string]string{"loss": "/", "log": "/?view=functions"}) {
		b.open(path)
		b.drawn()
		plot := eval[[]float64](b, `((p) => { p.scrollIntoView({block: 'center'}); const r = p.getBoundingClientRect(); return [r.x, r.width, r.y + r.height / 2]; })(document.querySelector('#`+id+` [data-plot]'))`)
		touch := func(kind input.DispatchTouchEventType, share ...float64) {
			p := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
			for _, s := range share {
				p.TouchPoints = append(p.TouchPoints, &input.TouchPoint{X: plot[0] + s*plot[1], Y: plot[2]})
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, p); err != nil {
				t.Fatal(err)
			}
		}
		// tip is the middle of the dark pixels, most of which are the tooltip's, as a share of the width.
		tip := func() float64 {
			b.await(twoFrames)
			return eval[float64](b, `(() => { const c = document.querySelector('#`+id+` div.drawing canvas'), all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
				let n = 0, sum = 0;
				for (let i = 0; i < all.length; i += 4) if (all[i + 3] > 250 && all[i] + all[i + 1] + all[i + 2] < 100) { n++; sum += (i / 4) % c.width; }
				return n > 1000 ? sum / n / c.width : 0; })()`)
		}
		touch("touchStart", .15)
		b.wait(`document.querySelector('#` + id + ` div.drawing:not([hidden]) canvas')`)
		from := tip()
		for _, share := range []float64{.2, .3, .5, .7, .85} {
			touch("touchMove", share)
		}
		if to := tip(); from == 0 || to < from+.2 {
			t.Errorf("%s: the tooltip goes from %.2f to %.2f", id, from, to)
		}
		touch("touchEnd")
	}
	b.expectAll("willReadFrequently") // the test itself reads the canvas
}

// TestChartCodeFails: where ECharts does not load, a chart that only it can draw says so, and each update tries again.
func TestChartCodeFails(t *testing.T) {
	_, b := commonTab(t)
	call := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	block := func(on bool) {
		_, err := chromedp.Call(b.ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{
			URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*/echarts.js", Block: on}}})
		call(err)
	}
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	call(err)
	// The chart has bars, which paint.js leaves to ECharts, or its lines: on the page that is opened, and in each answer.
	_, err = chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		document.addEventListener('readystatechange', () => { // before the modules run
			const source = document.getElementById('loss-option'), lines = JSON.parse(source.textContent), real = fetch;
			window.bars = location.search.includes('t1=0.5');
			const option = () => bars ? {...lines, series: [{type: 'bar', data: [[0, 1], [2, 3]]}]} : lines;
			source.textContent = JSON.stringify(option());
			window.fetch = async (...a) => {
				const answer = await real(...a), read = answer.json.bind(answer);
				answer.json = async () => {
					const found = await read();
					delete found.series?.loss;
					return {...found, charts: {loss: option()}};
				};
				return answer;
			};
		}, {once: true})`})
	call(err)
	shows := func(when, text, drawing string) {
		t.Helper()
		b.await(twoFrames)
		const plot = `document.querySelector('#loss [data-plot]')`
		b.wait(fmt.Sprintf(`%[1]s.innerText.includes(%[2]s) && !%[1]s.innerText === %[3]t &&
			[...%[1]s.querySelectorAll('.drawing')].filter((d) => d.checkVisibility()).map((d) => d.tagName).join() === %[4]s`,
			plot, quote(text), text == "", quote(drawing)))
		t.Log(when)
	}
	move := func(bars bool) {
		b.exec(fmt.Sprintf(`window.bars = %t`, bars))
		b.do(keys("#t1-range", kb.ArrowRight))
	}
	const why = "The chart code did not load, so this chart is not drawn."
	block(true)
	b.open("/")
	b.drawn()
	shows("lines, painted", "", "CANVAS")
	move(true)
	shows("bars, without ECharts", why, "")
	b.shot("chart-code-fails")
	move(false)
	shows("lines again", "", "CANVAS")
	move(true)
	shows("bars again", why, "")
	block(false)
	move(true)
	shows("bars, ECharts is there", "", "DIV")

	block(true)
	b.open("/")
	b.drawn()
	b.exec(`HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }`)
	const unsaved = `document.querySelector('#loss .unsaved')`
	b.click("#loss [data-save]")
	b.wait(`(` + unsaved + `?.textContent ?? '').startsWith('The chart code did not load, so no file was saved.')`)
	block(false)
	b.click("#loss [data-save]")
	b.wait(`window.saved === 'loss.svg' && !` + unsaved)

	block(true)
	b.open("/?t1=0.5")
	shows("bars at first, without ECharts", why, "")
	block(false)
	move(true)
	shows("bars, ECharts is there", "", "DIV")
	b.expectAll("net::ERR_BLOCKED_BY_CLIENT")
}
