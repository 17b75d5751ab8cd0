package web

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"taper/internal/testtime"
)

// A tab is one page in Chromium that takes notes: every host it talks to,
// every breach of the content security policy, everything on the console.
type tab struct {
	*testing.T
	ctx  context.Context
	base string // where the program under test listens

	mu      sync.Mutex
	foreign []string // requests that left the machine
	console []string // errors, warnings and policy reports
	marks   int      // written to the console, and read from it again
	seen    int
	quiet   bool // axe-core itself may try what the policy refuses
}

// chromium is started once for all tests of the package.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// inBrowser lets a test run beside others in Chromium, and leaves it out of the short form.
func inBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests are left out of the short form")
	}
	t.Parallel()
}

// ownTab is a tab on a program of its own.
func ownTab(t *testing.T) (*program, *tab) {
	t.Helper()
	inBrowser(t)
	p := start(t, "")
	return p, newTab(t, p.base)
}

// shared is the program for tests that keep nothing in it. TestMain ends it.
var shared struct {
	once sync.Once
	*program
	err error
}

// commonTab is a tab on the common program.
func commonTab(t *testing.T) (*program, *tab) {
	t.Helper()
	inBrowser(t)
	shared.once.Do(func() {
		var dir string
		if dir, shared.err = os.MkdirTemp("", "taper-common-"); shared.err == nil {
			shared.program, shared.err = launch(filepath.Join(dir, "data"))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	p := *shared.program
	p.t = t
	return &p, newTab(t, p.base)
}

// newTab opens a tab of its own cookies and storage on the program at base.
// At the end of the test the notes must be empty.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests are left out of the short form")
	}
	chromium.once.Do(startChromium)
	if chromium.err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("Chromium is not installed: apt-get install chromium.")
		}
		t.Fatal(chromium.err)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	b := &tab{T: t, ctx: ctx, base: base}
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as the context it was opened with
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Func(b.watch))
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	console := chromedp.Console(ctx)
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.heard(m)
		}
	}()
	t.Cleanup(func() {
		b.clean()
		cancel()
	})
	return b
}

func startChromium() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		chromium.err = fmt.Errorf("Chromium is not installed")
		return
	}
	dir, err := os.MkdirTemp("", "taper-chromium-")
	if err != nil {
		chromium.err = err
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	chromium.ctx, chromium.err = ctx, chromedp.Do(ctx)
	chromium.stop = func() {
		cancel()
		cancelAlloc()
		os.RemoveAll(dir)
	}
}

// TestMain closes Chromium and the common program after the last test. It is the program itself where
// a test wants to kill that.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM) // as main does
		defer stop()
		if err := Serve(ctx, testConfig(os.Getenv(asProgram)), os.Stdout, os.Stderr, time.Now); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if shared.program != nil {
		shared.stop()
		os.RemoveAll(filepath.Dir(shared.dir))
	}
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

const reporter = `addEventListener('securitypolicyviolation', (e) =>
	console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile + ':' + e.lineNumber + ' ' + e.sample));`

func (b *tab) watch(ctx context.Context, t *chromedp.Target) error {
	// Tabs of other tests may be open: each behaves as if it were in front.
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err != nil {
		return err
	}
	_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: reporter})
	return err
}

func (b *tab) note(ev any) {
	req, ok := ev.(*network.EventRequestWillBeSent)
	if !ok || req.Request == nil {
		return
	}
	u, err := url.Parse(req.Request.URL)
	if err != nil || u.Host != "" && !loopbackName(u.Hostname()) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.foreign = append(b.foreign, req.Request.URL)
	}
}

func (b *tab) heard(m chromedp.ConsoleMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n, found := strings.CutPrefix(m.Text, markText); found {
		b.seen, _ = strconv.Atoi(n)
	}
	if !b.quiet && (m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning) {
		b.console = append(b.console, m.String())
	}
}

const markText = "read until "

// heed waits until the notes hold what the page has written so far: messages come in
// order, but beside the answers to what the test asks.
func (b *tab) heed() {
	b.Helper()
	b.marks++
	mark := b.marks
	if err := chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`console.debug('%s%d')`, markText, mark))); err != nil {
		return // the tab is gone, and the test has failed
	}
	testtime.Until(b, "the console to be read", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.seen >= mark
	})
}

// clean fails the test for whatever the tab took note of.
func (b *tab) clean() {
	if !b.Failed() {
		b.heed()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.foreign {
		b.Errorf("request off the machine: %s", u)
	}
	for _, m := range b.console {
		b.Errorf("console: %s", m)
	}
}

// expect takes a console message off the notes: the test caused it deliberately.
func (b *tab) expect(part string) {
	b.Helper()
	b.heed()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, m := range b.console {
		if strings.Contains(m, part) {
			b.console = append(b.console[:i], b.console[i+1:]...)
			return
		}
	}
	b.Errorf("the console does not say %q; it says %q", part, b.console)
}

// run is chromedp.Run for what may hang.
func run[T any](b *tab, action chromedp.Action[T]) (T, error) {
	ctx, stop := context.WithTimeout(b.ctx, testtime.Hang)
	defer stop()
	return chromedp.Run(ctx, action)
}

// do runs actions one after the other.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	for _, action := range actions {
		if _, err := run(b, action); err != nil {
			b.Fatal(err)
		}
	}
}

// open goes to a path of the program and waits until it has loaded.
func (b *tab) open(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// leave goes to an empty page: before the program stops, for an open page asks it for charts and parts as
// they come into view, and what is refused then stands in the console.
func (b *tab) leave() {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"))
}

// eval runs an expression in the page and returns its value.
func eval[T any](b *tab, js string) T {
	b.Helper()
	v, err := run(b, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", js, err)
	}
	return v
}

// exec runs a statement in the page.
func (b *tab) exec(js string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](js))
}

// wait polls until the page has loaded and an expression is true, over navigations too.
func (b *tab) wait(js string) {
	b.Helper()
	var last error
	testtime.Until(b, js, func() (ok bool) {
		ok, last = run(b, chromedp.Evaluate[bool]("document.readyState === 'complete' && Boolean("+js+")"))
		if b.ctx.Err() != nil {
			b.Fatalf("waited for %s: %v", js, last)
		}
		return ok && last == nil
	})
}

// standsJS is where the first element that matches can be clicked: empty until the page
// has loaded, the element is enabled and has stood still for two frames, and nothing lies
// upon it. It then waits for the click.
const standsJS = `(async (selector) => {
	const el = document.querySelector(selector);
	if (document.readyState !== 'complete' || !el?.checkVisibility() || el.disabled) return [];
	const middle = () => { const r = el.getClientRects()[0]; return r ? [r.x + r.width / 2, r.y + r.height / 2] : []; };
	const frame = () => new Promise(requestAnimationFrame);
	el.scrollIntoViewIfNeeded();
	const before = middle();
	await frame();
	await frame();
	const at = middle();
	if (at.length === 0 || before.some((v, i) => v !== at[i])) return [];
	const top = document.elementFromPoint(...at);
	if (![el, ...(el.labels ?? [])].some((x) => x.contains(top))) {
		el.scrollIntoView({block: 'center', behavior: 'instant'});
		return [];
	}
	window.clickArrived = false;
	el.addEventListener('click', () => { window.clickArrived = true; }, {once: true, capture: true});
	return at;
})`

// click clicks the first element that matches with the mouse, as soon as a person could.
// A click that met something else, because the page moved at that moment, is made again.
func (b *tab) click(selector string) {
	b.Helper()
	testtime.Until(b, "a click on "+selector, func() bool {
		at, err := run(b, chromedp.Evaluate[[]float64](standsJS+"("+quote(selector)+")", chromedp.EvalAwaitPromise))
		if b.ctx.Err() != nil {
			b.Fatalf("click on %s: %v", selector, err)
		}
		if err != nil || len(at) == 0 {
			return false
		}
		b.do(chromedp.MouseClickXY(at[0], at[1]))
		missed, err := run(b, chromedp.Evaluate[bool]("window.clickArrived === false"))
		return err != nil || !missed // where the click led to another page, nothing is known of it
	})
}

// text is the visible text of the first element that matches.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ''`, quote(selector)))
}

// follow keeps in said every text that the first match of a selector holds from now on:
// one that soon changes again would be missed.
func (b *tab) follow(selector string) {
	b.Helper()
	b.exec(fmt.Sprintf(`window.said = []; new MutationObserver(() => said.push(document.querySelector(%s)?.textContent))
		.observe(document.body, {subtree: true, childList: true, characterData: true})`, quote(selector)))
}

// look sets the width of the screen and the colour scheme of the system.
func (b *tab) look(width int, scheme string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(width), 900))
}

// drawn waits until what the page computes is there, with its fonts, and every chart on
// it has been drawn.
func (b *tab) drawn() {
	b.Helper()
	b.wait(`document.fonts.status === 'loaded' && !document.querySelector('[data-progress][data-live-poll]') &&
		[...document.querySelectorAll('[data-chart]')].every((f) => { if (!f.checkVisibility()) return true; /* behind a tab */ if (f.dataset.drawn === undefined) f.scrollIntoView(); return f.dataset.drawn !== undefined; })`)
	b.exec(`scrollTo(0, 0)`)
}

// shots reports whether pictures of pages are wanted.
func shots() bool { return os.Getenv("TAPER_SHOTS") != "" }

// shot keeps a picture of the whole page in the folder TAPER_SHOTS names.
func (b *tab) shot(name string) {
	b.Helper()
	dir := os.Getenv("TAPER_SHOTS")
	if dir == "" {
		return
	}
	size := eval[[]int64](b, `[innerWidth, innerHeight, document.documentElement.scrollHeight]`)
	b.do(chromedp.EmulateViewport(size[0], size[2])) // what sticks to the bottom stands where the page ends
	defer b.do(chromedp.EmulateViewport(size[0], size[1]))
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// axeSource is axe-core's own file, from the npm packages of the lock file.
var axeSource = sync.OnceValues(func() (string, error) {
	src, err := os.ReadFile(filepath.Join("..", "..", "node_modules", "axe-core", "axe.min.js"))
	return string(src), err
})

// axe fails the test for each accessibility finding, however mild. It checks the page at rest: no
// pointer on it, no colour or opacity on its way to another.
func (b *tab) axe(where string) {
	b.Helper()
	src, err := axeSource()
	if err != nil {
		b.Fatalf("axe-core is missing, run make assets: %v", err)
	}
	b.wait(`document.fonts.status === 'loaded' && !document.querySelector('.is-stale')`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, -1, -1))
	b.heed()
	b.setQuiet(true)
	defer b.setQuiet(false)
	if !eval[bool](b, `"axe" in window`) { // half a megabyte to parse, once a page
		b.exec(src + "; undefined")
	}
	raw := eval[string](b, `(async () => {
		const still = new CSSStyleSheet();
		still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important; }');
		document.adoptedStyleSheets.push(still);
		const found = await axe.run(document, {resultTypes: ['violations']});
		document.adoptedStyleSheets.pop();
		return JSON.stringify(found.violations
			.map((v) => ({id: v.id, help: v.help, nodes: v.nodes.map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? ''))})));
	})()`)
	b.heed()
	var found []struct {
		ID, Help string
		Nodes    []string
	}
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		b.Fatal(err)
	}
	for _, f := range found {
		b.Errorf("%s: %s (%s): %s", where, f.Help, f.ID, strings.Join(f.Nodes, "\n\t"))
	}
}

// measured reports whether the tests run for their figures, on a quiet machine (make
// bench-browser): only there is a time a reason to fail.
func measured() bool { return os.Getenv("TAPER_PAIRS") != "" }

// work is the processor time that the program and the tab's process spend on what f does:
// what a machine that is busy with other things does not change much. No other test may
// run beside it.
func (b *tab) work(f func()) time.Duration {
	b.Helper()
	began, program := b.spent(), testtime.Spent()
	f()
	return b.spent() - began + testtime.Spent() - program
}

// spent is the processor time of the tab's process.
func (b *tab) spent() time.Duration {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	got, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	i := slices.IndexFunc(got.Metrics, func(m *performance.Metric) bool { return m.Name == "ProcessTime" })
	if i < 0 {
		b.Fatal("Chromium does not tell the processor time of a page")
	}
	return time.Duration(got.Metrics[i].Value * float64(time.Second))
}

func (b *tab) setQuiet(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.quiet = on
}

// fits fails the test when the page can be scrolled sideways. Charts take another width
// a few frames after the page.
func (b *tab) fits(where string) {
	b.Helper()
	wide := eval[[]string](b, `(async () => {
		const page = document.documentElement;
		for (let frame = 0; page.scrollWidth > page.clientWidth && frame < 300; frame++) await new Promise(requestAnimationFrame);
		const w = page.clientWidth;
		if (page.scrollWidth <= w) return [];
		const out = [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > w + 1 && !e.closest('.scroll'));
		return ['page ' + page.scrollWidth + ' of ' + w, ...out.slice(0, 5).map((e) => e.outerHTML.slice(0, 120))];
	})()`)
	if len(wide) > 0 {
		b.Errorf("%s scrolls sideways:\n\t%s", where, strings.Join(wide, "\n\t"))
	}
}

// ordered ranges over a map by its keys: what one page leaves behind, the next always meets.
func ordered[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// expectAll takes every console message that holds part off the notes.
func (b *tab) expectAll(part string) {
	b.Helper()
	b.heed()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.console = slices.DeleteFunc(b.console, func(m string) bool { return strings.Contains(m, part) })
}
