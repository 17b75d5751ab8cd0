package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// paintedMove resolves when the frame after a change is painted.
const paintedMove = `() => new Promise((r) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => r(performance.now()); c.port2.postMessage(0); }))`

// anyTime resolves at a varying moment of a frame. Work that starts at the end of a frame waits for the whole next
// one.
const anyTime = `(i) => new Promise((r) => setTimeout(r, 17 * (i * .618 % 1)))`

// unit is the median time in ms from setOption to paint of a bare page with one chart of three curves of 150
// points, 620 × 260 px. Machines differ by a factor of three and more; times in this unit do not.
func (b *tab) unit(draws int) float64 {
	b.Helper()
	b.open("/help")
	return eval[float64](b, fmt.Sprintf(`(async () => {
		const echarts = await import(new URL('../vendor/echarts.js', document.querySelector('script[type="module"]').src));
		for (const sheet of document.querySelectorAll('link[rel="stylesheet"]')) sheet.remove();
		const box = document.createElement('div'), painted = %s, anyTime = %s, took = [];
		Object.assign(box.style, {width: '620px', height: '260px'});
		document.body.replaceChildren(box);
		const chart = echarts.init(box, null, {renderer: 'canvas'});
		for (let i = 0; i < %d; i++) {
			await painted();
			await anyTime(i);
			const start = performance.now();
			chart.setOption({animation: false, xAxis: {type: 'value'}, yAxis: {type: 'value'}, series: [1, 2, 3].map((k) => ({
				id: String(k), type: 'line', showSymbol: false,
				data: Array.from({length: 150}, (_, j) => [j / 10, Math.sin(j / 15 + k + i / 10)])}))});
			took.push(await painted() - start);
		}
		return took.sort((a, b) => a - b)[took.length >> 1];
	})()`, paintedMove, anyTime, draws))
}

// moved moves a slider in steps of a fortieth of its range, across it and back, each starting at a varying moment
// of a frame, until all changes are painted. It returns the sorted times in ms and the layout shift.
func (b *tab) moved(form, slider string, moves int) (took []float64, shift float64) {
	b.Helper()
	b.await(twoFrames) // the frame before may show a page half received
	b.exec(watchShift)
	raw := eval[string](b, fmt.Sprintf(`(async () => {
		const form = document.querySelector('%s'), range = document.getElementById('%s-range'), painted = %s, anyTime = %s, took = [];
		form.dataset.liveMs = 1e6; // however slow this machine is
		range.focus();
		for (let i = 0, asked = 0; asked < %d; i++) {
			const at = i %% 80, was = range.value;
			range.value = Number(range.min) + (at < 40 ? at : 80 - at) / 40 * (range.max - range.min);
			const answered = new Promise((r) => form.addEventListener('taper:answer', r, {once: true}));
			await anyTime(i);
			const start = performance.now();
			range.dispatchEvent(new Event('input', {bubbles: true}));
			if (range.value === was) continue; // limited by a neighbour, or the range has fewer steps: no request is sent
			asked++;
			await answered;
			took.push(await painted() - start);
		}
		return JSON.stringify(took.slice(5).sort((a, b) => a - b)); // the first ones warm the caches
	})()`, form, slider, paintedMove, anyTime, moves))
	if err := json.Unmarshal([]byte(raw), &took); err != nil {
		b.Fatal(err)
	}
	return took, eval[float64](b, `window.shift`)
}

// simulated is a table of two classes with numeric columns.
func simulated(rows, columns int) []byte {
	r, text := rand.New(rand.NewPCG(7, 7)), strings.Builder{}
	for j := range columns {
		fmt.Fprintf(&text, "x%d,", j+1)
	}
	text.WriteString("ill\n")
	for range rows {
		sum := 0.0
		for range columns {
			v := r.NormFloat64()
			sum += v
			fmt.Fprintf(&text, "%.4f,", v)
		}
		fmt.Fprintln(&text, map[bool]string{true: "yes", false: "no"}[sum+3*r.NormFloat64() > 0])
	}
	return []byte(text.String())
}

// TestMovesInUnits logs the times of slider moves from input to paint of all changes, in units: make bench-browser.
func TestMovesInUnits(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	b.look(1280, "light")
	type row struct {
		name, path, ready, form, slider string
		target                          float64
	}
	const explorer, arena, strata = `form[data-explore]`, `#play`, `#strat`
	rows := []row{{"explorer, two-temperature", "/", "", explorer, "t1", 4}}
	moves := 12
	if measured() {
		moves = 85
		for _, f := range [][3]string{{"t-logistic", "", "t"}, {"alpha", "", "alpha"}, {"interval", "", "pi2"}, {"adversarial", "", "psi-a"}, {"adversarial", "&metric=abstain", "cost"}} {
			rows = append(rows, row{"explorer, " + f[0] + f[1], "/?family=" + f[0] + f[1], "", explorer, f[2], 4})
		}
		const surfaces = `document.querySelectorAll('[data-painted]').length === 2`
		for _, f := range []struct {
			query, slider string
			target        float64
		}{{"?b.method=tempered", "b-t1", 6}, {"", "pg-rate", 6}, {"?b.method=boost", "b-alpha", 6}, {"?n=2000&b.method=tempered", "b-t1", 11}, {"?data=long-servedio&n=2000&b.method=tempered", "b-t1", 11}} {
			rows = append(rows, row{"playground " + f.query, "/playground" + f.query, surfaces, arena, f.slider, f.target})
		}
		ids := map[string]string{"569 × 30": p.sampleID("wdbc.csv"), "411 × 93": p.upload("wide.csv", simulated(411, 93)),
			"556 × 13": p.upload("narrow.csv", simulated(556, 13))}
		if data, err := os.ReadFile("../../../shared/data/pima.csv"); err == nil {
			ids["768 × 8"] = p.upload("pima.csv", data)
		} else {
			t.Log("The folder of shared data is absent: no row of pima.csv.")
		}
		for name, id := range ordered(ids) {
			rows = append(rows, row{"stratify, " + name, "/stratify/" + id, "", strata, "pi1", 6})
		}
	}
	unit := b.unit(moves)
	t.Logf("one unit is %.1f ms", unit)
	t.Logf("%-56s %-8s %5s %5s %7s %6s", "page", "slider", "p50", "p95", "target", "shift")
	for _, c := range rows {
		b.open(c.path)
		if c.ready == "" {
			b.drawn()
		} else {
			b.wait(c.ready)
		}
		took, shift := b.moved(c.form, c.slider, moves)
		if len(took) == 0 || !slices.IsSorted(took) {
			t.Fatalf("%s: times %v", c.name, took)
		}
		t.Logf("%-56s %-8s %5.1f %5.1f %7.0f %6.3f", c.name, c.slider, took[len(took)/2]/unit, took[len(took)*95/100]/unit, c.target, shift)
	}
}
