package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/labstack/echo/v4"

	"taper/internal/testtime"
	"taper/web/templates/sheet"
)

// sheetServer serves the component sheet in addition to the program's pages, and answers its live form.
func sheetServer(t *testing.T, live echo.HandlerFunc) string {
	t.Helper()
	inBrowser(t)
	s, _ := testServer(t, Config{})
	s.echo.GET("/sheet", func(c echo.Context) error {
		return s.render(c, http.StatusOK, sheet.Page(s.page(c, "Components")))
	})
	s.echo.GET("/sheet/live", live)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

func nothing(c echo.Context) error { return c.JSON(http.StatusOK, map[string]any{"ms": 1}) }

// TestComponentSheet shows every component in both themes at both widths.
func TestComponentSheet(t *testing.T) {
	b := newTab(t, sheetServer(t, nothing))
	everyLook(b, "sheet", "/sheet")
	b.look(1280, "light")
	b.click(`[data-dialog="sure"]`)
	b.wait(`document.getElementById('sure').open`)
	if got := eval[string](b, `document.activeElement.textContent`); got != "Keep" {
		t.Errorf("the dialog opens on %q, want the safe button", got)
	}
	b.axe("dialog")
	b.shot("dialog-1280-light")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`!document.getElementById('sure').open`)
}

// TestSlider changes one slider in every possible way.
func TestSlider(t *testing.T) {
	b := newTab(t, sheetServer(t, nothing))
	b.open("/sheet")
	press := func(selector, text string) func() { return func() { b.do(keys(selector, text)) } }
	enter := func(id, text string) func() { return func() { b.do(typed(id, text)) } }
	click := func(selector string) func() { return func() { b.click(selector) } }
	for _, step := range []struct {
		name  string
		do    func()
		id    string
		value string // value of the number field and of the range
		at    string
		err   string
	}{
		{"arrow", press("#t1-range", kb.ArrowRight), "t1", "0.61", "0.61", ""},
		{"page up", press("#t1-range", kb.PageUp), "t1", "0.71", "0.71", ""},
		{"page down twice", press("#t1-range", kb.PageDown+kb.PageDown), "t1", "0.51", "0.51", ""},
		{"typed", enter("t1", "0.25"), "t1", "0.25", "0.25", ""},
		{"decimal comma", enter("t1", "0,75"), "t1", "0.75", "0.75", ""},
		{"above", enter("t1", "1.4"), "t1", "1.00", "1", "1.4 is above 1. Using 1.00."},
		{"below", enter("t1", "-3"), "t1", "0.00", "0", "−3 is below 0. Using 0.00."},
		{"real minus", enter("t1", "−3"), "t1", "0.00", "0", "−3 is below 0. Using 0.00."},
		{"a word", enter("t1", "half"), "t1", "0.00", "0", "“half” is not a number. Using 0.00."},
		{"reset", click("#t1 [data-reset]"), "t1", "0.6", "0.6", ""},
		{"next stop", press("#alpha-range", kb.ArrowRight), "alpha", "8", "5", ""},
		{"last stop", press("#alpha-range", kb.End), "alpha", "inf", "8", ""},
		{"a stop by name", enter("alpha", "0,5"), "alpha", "0.5", "1", ""},
		{"infinite", enter("alpha", "∞"), "alpha", "inf", "8", ""},
		{"between stops", enter("alpha", "3"), "alpha", "2", "3", "3 is between the steps. Using 2."},
		{"reset to a stop", click("#alpha [data-reset]"), "alpha", "1", "2", ""},
	} {
		step.do()
		got := eval[[]string](b, fmt.Sprintf(`((s) => [s.querySelector('.num-in').value, s.querySelector('[type=range]').value,
			s.querySelector('[data-error]').hidden ? '' : s.querySelector('[data-error]').innerText.trim(),
			s.querySelector('[type=range]').getAttribute('aria-valuetext')])(document.getElementById(%q))`, step.id))
		if got[0] != step.value || got[1] != step.at || got[2] != step.err {
			t.Errorf("%s: field %q, range %q, says %q; want %q, %q, %q", step.name, got[0], got[1], got[2], step.value, step.at, step.err)
		}
		if !strings.Contains(got[3], step.value) {
			t.Errorf("%s: spoken as %q, want the value in it", step.name, got[3])
		}
	}
	// Messages write small numbers as powers of ten; the field keeps the form that one types.
	b.exec(`document.querySelectorAll('#l2 :disabled').forEach((el) => { el.disabled = false; })`)
	enter("l2", "2e-5")()
	small := eval[[]string](b, `((s) => [s.querySelector('.num-in').value, s.querySelector('[data-error]').innerText.trim(),
		s.querySelector('[type=range]').getAttribute('aria-valuetext'),
		s.querySelector('[data-reset]').title])(document.getElementById('l2'))`)
	for i, want := range []string{"1e−5", "2\u202f×\u202f10⁻⁵ is between the steps. Using 10⁻⁵.", "λ chosen by CV 10⁻⁵", "Reset to 10⁻⁵"} {
		if small[i] != want {
			t.Errorf("%q, want %q", small[i], want)
		}
	}
	enter("l2", "few")()
	if got := eval[string](b, `document.querySelector('#l2 [data-error]').innerText.trim()`); got != "“few” is not a number. Using 10⁻⁵." {
		t.Errorf("%q", got)
	}
	// Dragged away and back, a slider settles once; so it does when it ends elsewhere.
	b.exec(`window.settled = 0; document.addEventListener('taper:change', () => settled++)`)
	track := eval[[]float64](b, `((r) => [r.left, r.width, r.top + r.height / 2])(document.querySelector('#t1-range').getBoundingClientRect())`)
	drag := func(to ...float64) {
		left := chromedp.ButtonLeft
		at := func(share float64) float64 { return track[0] + track[1]*share }
		b.do(chromedp.MouseEvent("mousePressed", at(to[0]), track[2], left))
		for _, share := range to[1:] {
			b.do(chromedp.MouseEvent("mouseMoved", at(share), track[2], left))
		}
		b.do(chromedp.MouseEvent("mouseReleased", at(to[len(to)-1]), track[2], left))
		b.await(twoFrames)
	}
	drag(.5)
	for _, way := range [][]float64{{.5, .7, .5}, {.5, .7}} {
		before := eval[int](b, `settled`)
		drag(way...)
		if n := eval[int](b, `settled`) - before; n != 1 {
			t.Errorf("dragged over %v it settles %d times", way, n)
		}
	}
	if fill := eval[string](b, `document.querySelector('#alpha [data-fill]').getAttribute('x2')`); fill != "25%" {
		t.Errorf("the scale is filled to %s, want 25%%", fill)
	}
}

// TestLive drags a slider whose form answers slowly: one request at a time is open, the last state wins, the
// history has one entry, and the figure is dimmed until the answer arrives.
func TestLive(t *testing.T) {
	var asked, left atomic.Int32
	var last atomic.Bool // the last state was requested
	ready := make(chan struct{})
	base := sheetServer(t, func(c echo.Context) error {
		t1 := c.QueryParam("t1")
		asked.Add(1)
		if t1 == "0.72" {
			last.Store(true)
		}
		select {
		case <-ready:
		case <-c.Request().Context().Done():
			left.Add(1)
			return c.Request().Context().Err()
		}
		return c.JSON(http.StatusOK, map[string]any{
			"parts":   map[string]string{"result": "t1 is <b>" + t1 + "</b>"},
			"sliders": map[string]any{"t1": map[string]string{"hint": "capped", "spoken": "t1 " + t1 + ", loss capped"}},
			"charts":  map[string]any{"losses": map[string]any{"xAxis": map[string]any{}, "yAxis": map[string]any{}, "series": []any{map[string]any{"name": "new", "type": "line", "data": [][]float64{{0, 1}, {1, 2}}}}}},
			"ms":      1})
	})
	b := newTab(t, base)
	b.open("/sheet")
	b.drawn()
	entries := eval[int](b, `history.length`)
	b.do(keys("#t1-range", kb.ArrowRight))
	testtime.Until(b, "the first move", func() bool { return asked.Load() == 1 })
	b.do(keys("#t1-range", strings.Repeat(kb.ArrowRight, 11)))
	testtime.Until(b, "the last move, and the end of all before", func() bool { return last.Load() && left.Load() == asked.Load()-1 })
	b.wait(`document.getElementById('losses').classList.contains('is-stale')`)
	close(ready)
	b.wait(`document.getElementById('result').innerText === 't1 is 0.72'`)
	b.wait(`!document.getElementById('losses').classList.contains('is-stale')`)
	if got := eval[string](b, `location.search`); !strings.Contains(got, "t1=0.72") {
		t.Errorf("the address says %s, want t1=0.72", got)
	}
	if got := eval[int](b, `history.length`); got != entries {
		t.Errorf("the drag left %d history entries", got-entries)
	}
	if got := eval[string](b, `document.getElementById('t1-range').getAttribute('aria-valuetext')`); got != "t1 0.72, loss capped" {
		t.Errorf("spoken as %q", got)
	}
	if n := asked.Load(); n > 13 {
		t.Errorf("%d requests for twelve moves", n)
	}
}

// TestChart draws in both themes, hides a series and opens the table.
func TestChart(t *testing.T) {
	b := newTab(t, sheetServer(t, nothing))
	b.look(1280, "light")
	b.open("/sheet")
	b.drawn()
	ink := func() int {
		return eval[int](b, `(() => { const c = document.querySelector('#losses canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
			let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n; })()`)
	}
	colour := func() string {
		return eval[string](b, `(() => { const c = document.querySelector('#losses canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
			const seen = {}; for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) { const k = [d[i], d[i+1], d[i+2]].join(); seen[k] = (seen[k] ?? 0) + 1; }
			return Object.keys(seen).join(' '); })()`)
	}
	b.wait(`document.querySelector('#losses canvas') !== null`)
	if c := colour(); !strings.Contains(c, "11,95,84") || strings.Contains(c, "108,205,185") {
		t.Errorf("in light the steered curve is not #0B5F54; colours %s", c)
	}
	both := ink()
	b.click(`[data-series="α = 1"]`)
	if one := ink(); one >= both {
		t.Errorf("%d painted points with one series, %d with two", one, both)
	}
	if eval[string](b, `document.querySelector('[data-series="α = 1"]').getAttribute('aria-pressed')`) != "false" {
		t.Error("the legend button is not released")
	}
	b.click("#losses [data-open-table]")
	if !eval[bool](b, `document.querySelector('#losses [data-table]').open`) {
		t.Error("the data table does not open")
	}
	b.click(`[data-theme-form] button`)
	b.click(`[data-theme-form] button`)
	b.wait(`document.documentElement.dataset.theme === 'dark'`)
	if c := colour(); !strings.Contains(c, "108,205,185") {
		t.Errorf("in dark the steered curve is not #6CCDB9; colours %s", c)
	}
	b.open("/sheet")
	if !strings.Contains(eval[string](b, `document.documentElement.outerHTML.slice(0, 60)`), `data-theme="dark"`) {
		t.Error("the theme is not in the next page's HTML")
	}
	b.expectAll("willReadFrequently") // the test itself reads the canvas
}

// TestChartTools moves the pointer over one chart and finds the crosshair in the other of its group; it saves a
// chart and checks the address of the file.
func TestChartTools(t *testing.T) {
	b := newTab(t, sheetServer(t, nothing))
	b.look(1280, "light")
	b.open("/sheet")
	b.drawn()
	b.wait(`document.querySelectorAll('canvas').length === 3`)
	picture := func(id string) string {
		return eval[string](b, `document.querySelector('#`+id+` canvas').toDataURL()`)
	}
	before := picture("slopes")
	at := eval[[]float64](b, `((r) => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('#losses [data-plot]').getBoundingClientRect())`)
	b.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]), chromedp.MouseEvent("mouseMoved", at[0]+5, at[1]))
	b.shot("tooltip-1280-light")
	testtime.Until(t, "the crosshair in the other chart of the group", func() bool { return picture("slopes") != before })
	b.exec(`HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href]; }`)
	b.click("#losses [data-save]")
	b.wait(`window.saved !== undefined`)
	saved := eval[[]string](b, `saved`)
	if saved[0] != "losses.svg" || !strings.HasPrefix(saved[1], "data:image/svg+xml") || !strings.Contains(saved[1], "%2311") && !strings.Contains(saved[1], "0B5F54") {
		t.Errorf("saved %q as %.200s", saved[0], saved[1])
	}
}

func keys(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS(selector), text)
}

// typed replaces the text of a slider's number field and leaves the field.
func typed(id, text string) chromedp.Action[chromedp.Void] {
	field := chromedp.CSS("#" + id + "-value")
	return chromedp.Steps(chromedp.Focus(field), chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`),
		chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Tab))
}
