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

// A tab is one page in Chromium that records every foreign host it contacts, every violation of the content
// security policy, and every console message.
type tab struct {
	*testing.T
	ctx  context.Context
	base string // where the program under test listens

	mu      sync.Mutex
	foreign []string // requests that left the machine
	console []string // errors, warnings and policy violations
	marks   int      // messages written to the console for synchronisation
	seen    int
	quiet   bool // axe-core itself tries what the policy refuses
}

// chromium is started once for all tests of the package.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// inBrowser runs a test in parallel with others in Chromium, and skips it with -short.
func inBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("Browser tests are left out with -short.")
	}
	t.Parallel()
}

// ownTab is a tab with a program of its own.
func ownTab(t *testing.T) (*program, *tab) {
	t.Helper()
	inBrowser(t)
	p := start(t, "")
	return p, newTab(t, p.base)
}

// shared is the program for tests that leave nothing in it; TestMain stops it.
var shared struct {
	once sync.Once
	*program
	err error
}

// commonTab is a tab with the shared program.
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

// newTab opens a tab with its own cookies and storage on the program at base. At the end of the test it must have
// recorded nothing.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("Browser tests are left out with -short.")
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
	if err := chromedp.Do(ctx); err != nil { // the tab closes when this context ends
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

// TestMain stops Chromium and the shared program after the last test. With an environment variable it is the
// program itself, for tests that kill it.
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
	// Tabs of other tests may be open, so make each behave as if it were in front.
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

// heed waits until all console messages so far are recorded: messages are ordered among themselves, but not
// relative to the answers to commands.
func (b *tab) heed() {
	b.Helper()
	b.marks++
	mark := b.marks
	if err := chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`console.debug('%s%d')`, markText, mark))); err != nil {
		return // the tab is closed; the test has failed already
	}
	testtime.Until(b, "the console to be read", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.seen >= mark
	})
}

// clean fails the test if the tab has recorded anything.
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

// expect removes a console message from the record: the test caused it deliberately.
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

// run is chromedp.Run with a time limit.
func run[T any](b *tab, action chromedp.Action[T]) (T, error) {
	ctx, stop := context.WithTimeout(b.ctx, testtime.Hang)
	defer stop()
	return chromedp.Run(ctx, action)
}

// do runs actions in sequence. An action finds its element first and acts on it then; if the page replaced it between
// the two, the action is repeated.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	for _, action := range actions {
		var err error
		testtime.Until(b, "an element that stays on the page", func() bool {
			_, err = run(b, action)
			return err == nil || !strings.Contains(err.Error(), "Could not find node with given id")
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// open loads a path of the program.
func (b *tab) open(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// leave opens an empty page. It must be called before the program stops: an open page requests charts and parts
// when they become visible, and the refused requests would be console errors.
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

// wait polls until the page has loaded and an expression is true, across navigations.
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

// standsJS returns where the first matching element can be clicked, or nothing until the page has loaded, the
// element is enabled, has not moved for two frames, and is not covered. It then waits for the click.
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
	// On the document, since an answer may put another element in the place of this one.
	document.addEventListener('click', ({target}) => { window.clickArrived ||= [el, target.closest(selector), ...(el.labels ?? [])].some((x) => x?.contains(target)); }, {once: true, capture: true});
	return at;
})`

// click clicks the first matching element with the mouse, as soon as a person could. If the page moved at that
// moment and the click hit something else, it is repeated.
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
		return err != nil || !missed // after a navigation the result is unknown
	})
}

// hold keeps back the answers to requests whose address contains a part, each until deliver hands it to the page.
func (b *tab) hold(part string) {
	b.Helper()
	b.exec(`((part) => {
		const real = window.fetch;
		window.held = [];
		window.fetch = (url, o) => {
			if (!String(url).includes(part)) return real(url, o);
			return new Promise((ok, no) => {
				const answer = real(url, o);
				const over = new Promise((done) => o?.signal?.addEventListener('abort', done));
				over.then(() => no(o.signal.reason));
				answer.catch(no);
				held.push(async () => {
					const a = await answer.catch(() => {});
					if (!a || o?.signal?.aborted) return;
					const read = new Promise((done) => {
						for (const as of ['json', 'text', 'formData']) {
							const get = a[as].bind(a);
							a[as] = async () => { const v = await get(); setTimeout(done); return v; };
						}
					});
					ok(a);
					await Promise.race([read, over]);
				});
			});
		};
	})(` + quote(part) + `)`)
}

// deliver hands the page a held answer, by the order of the requests, and returns when the page has read it.
func (b *tab) deliver(request int) {
	b.Helper()
	b.wait(fmt.Sprintf(`held.length > %d`, request))
	b.await(fmt.Sprintf(`held[%d]()`, request))
}

// text is the visible text of the first matching element.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ''`, quote(selector)))
}

// follow records every text that the first match of a selector has from now on, since a text that changes again
// soon would be missed.
func (b *tab) follow(selector string) {
	b.Helper()
	b.exec(fmt.Sprintf(`window.said = []; new MutationObserver(() => said.push(document.querySelector(%s)?.textContent))
		.observe(document.body, {subtree: true, childList: true, characterData: true})`, quote(selector)))
}

// look sets the width of the screen and the colour scheme.
func (b *tab) look(width int, scheme string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(width), 900))
}

// drawn waits until the page has its results and fonts, and all its charts are drawn.
func (b *tab) drawn() {
	b.Helper()
	b.wait(`document.fonts.status === 'loaded' && !document.querySelector('[data-progress][data-live-poll]') &&
		[...document.querySelectorAll('[data-chart]')].every((f) => { if (!f.checkVisibility()) return true; /* behind a tab */ if (f.dataset.drawn === undefined) f.scrollIntoView(); return f.dataset.drawn !== undefined; })`)
	b.exec(`scrollTo(0, 0)`)
}

// shots reports whether screenshots are requested.
func shots() bool { return os.Getenv("TAPER_SHOTS") != "" }

// shot saves a screenshot of the whole page in the folder TAPER_SHOTS.
func (b *tab) shot(name string) {
	b.Helper()
	dir := os.Getenv("TAPER_SHOTS")
	if dir == "" {
		return
	}
	size := eval[[]int64](b, `[innerWidth, innerHeight, document.documentElement.scrollHeight]`)
	b.do(chromedp.EmulateViewport(size[0], size[2])) // sticky elements at the bottom are then at the end of the page
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

// axeSource is the file of axe-core from the npm packages.
var axeSource = sync.OnceValues(func() (string, error) {
	src, err := os.ReadFile(filepath.Join("..", "..", "node_modules", "axe-core", "axe.min.js"))
	return string(src), err
})

// axe fails the test for every accessibility violation of any impact. The page must be at rest: without pointer and
// transitions.
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
	if !eval[bool](b, `"axe" in window`) { // half a megabyte to parse, once per page
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

// measured reports whether the tests measure times, on a quiet machine (make bench-browser). Only then can a time
// be a failure.
func measured() bool { return os.Getenv("TAPER_PAIRS") != "" }

// work is the processor time of the program and of the tab's process during f. It depends little on other load, but
// no other test may run at the same time.
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

// fits fails the test if the page can be scrolled sideways. Charts change their width a few frames after the page.
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
	b.namedOnce(where)
}

// namedOnce expects that no two elements of the page have the same id, by which its parts are exchanged, and that
// no id is empty.
func (b *tab) namedOnce(where string) {
	b.Helper()
	if twice := eval[[]string](b, `[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => !id || all.indexOf(id) !== i)`); len(twice) > 0 {
		b.Errorf("%s: two elements have the id %q, or an id is empty", where, twice)
	}
}

// ordered iterates over a map by key, so that pages are visited in the same order each time.
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

// expectAll removes every console message that contains part from the record.
func (b *tab) expectAll(part string) {
	b.Helper()
	b.heed()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.console = slices.DeleteFunc(b.console, func(m string) bool { return strings.Contains(m, part) })
}
