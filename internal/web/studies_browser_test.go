package web

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"taper/internal/engine/job"
)

// TestStudyPagesLook opens every page of studies and of robustness in both
// themes, wide and narrow.
func TestStudyPagesLook(t *testing.T) {
	_, b := ownTab(t)
	for _, page := range []struct{ name, path string }{
		{"studies", "/studies"},
		{"studies-filtered", "/studies?paper=fathony&verdict=differs"},
		{"not-replicated", "/studies/not-replicated"},
		{"study-line", "/studies/preset/sypherd-fig5"},
		{"study-box", "/studies/preset/sypherd-fig4"},
		{"study-table", "/studies/preset/sypherd-fig3"},
		{"study-scatter", "/studies/preset/sypherd-fig12"},
		{"study-panels", "/studies/preset/sypherd-fig7"},
		{"study-pairs", "/studies/preset/kimes-fig6a"},
		{"study-forest", "/studies/preset/sypherd-fig8-forest"},
		{"study-new", "/studies/new"},
		{"study-preset-form", "/studies/new?preset=sypherd-fig6"},
		{"robustness", "/robustness"},
		{"robustness-convex", "/robustness?rate=0.4&model=0"},
		{"scene-1", "/robustness?present=1"},
		{"scene-3", "/robustness?present=1&scene=3"},
		{"scene-4", "/robustness?present=1&scene=4"},
	} {
		everyLook(b, page.name, page.path)
	}
}

// TestStudyByHand runs a study of the smallest size from the list to its figure, and deletes it in the dialog.
func TestStudyByHand(t *testing.T) {
	_, b := ownTab(t)
	b.open("/studies")
	b.wait(`[...document.querySelectorAll('.st-table img')].slice(0, 3).every((i) => i.complete && i.naturalWidth === 104)`)
	choose := func(name, value, search string) {
		b.exec(`(() => { const s = document.querySelector('select[name="` + name + `"]'); s.value = '` + value +
			`'; s.dispatchEvent(new Event('change', {bubbles: true})); })()`)
		b.wait("location.search === '" + search + "' && document.readyState === 'complete'")
	}
	choose("paper", "sypherd", "?paper=sypherd")
	choose("verdict", "replicated", "?paper=sypherd&verdict=replicated")
	b.click(`a[href="/studies/preset/sypherd-fig4"]`)
	b.click(`a[href="/studies/new?preset=sypherd-fig4"]`)
	b.wait(`document.querySelector('input[name="size"][value="smoke"]')`)
	b.click(`input[name="size"][value="smoke"]`)
	b.click(`main form .btn-1`)
	b.wait(`/^\/studies\/s/.test(location.pathname)`)
	b.wait(`document.querySelector('#study-0[data-drawn]') && !document.querySelector('[data-progress]')`)
	if got := b.text("#result"); got == "" {
		t.Error("the page says nothing")
	}
	if rows := eval[int](b, `document.querySelectorAll('.st-cells tbody tr').length`); rows != 20 {
		t.Errorf("%d cells", rows)
	}
	b.click(`.head .btn-bad`)
	b.wait(`(document.querySelector('dialog[open]') || location.pathname.endsWith('/delete'))`)
	b.click(`main .btn-bad, dialog .btn-bad`)
	b.wait(`location.pathname === '/studies' && !document.querySelector('.st-own')`)
}

// partly computes so many units of a job each time it starts or goes on, and then none, so that the job cannot end.
type partly int

func (partly) Hold(string) (release func()) { return func() {} }

func (n partly) Work(ctx context.Context, _ string, s job.Shared) error {
	s.Staff(1, "here") // the program leaves all units to it
	for range n {
		i, ok := s.Take()
		if !ok {
			return errors.New("the job has too few units")
		}
		body, err := s.Session().Unit(ctx, nil, i, func(job.Progress) {})
		if err == nil {
			err = s.Keep(ctx, []job.Kept{{Number: i, Body: body}})
		}
		if err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// TestStudyPause starts a grid from the form, sees partial results, pauses it, resumes it and cancels it. However slow
// the clicks are, the grid does not end before them.
func TestStudyPause(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	s.app.Jobs.Here.Crew, s.app.Jobs.Here.Maker = partly(30), s.app.Here() // else its units would be those of others
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	b := newTab(t, web.URL)
	b.open("/studies/new")
	b.do(chromedp.SetValue("#data", "g:long-servedio"), chromedp.SetValue("#rates", "0 5 10 15 20 25 30 35 40"), chromedp.SetValue("#replicates", "10"))
	b.click(`input[value="linear t-logistic t=1.9 l2=0.5"]`)
	b.click(`main form .btn-1`)
	b.wait(`/^\/studies\/s/.test(location.pathname) && document.querySelector('[data-progress]')`)
	b.wait(`document.querySelector('#study-0[data-drawn]') && document.querySelector('[data-progress]')`)
	b.look(1280, "light")
	b.shot("study-running-1280-light")
	b.click(`form[action$="/pause"] button`)
	b.wait(`document.querySelector('.banner form[action$="/resume"]')`)
	if got := b.text(".banner"); !strings.Contains(got, "Paused after") || !strings.Contains(got, "of 90 jobs") {
		t.Errorf("the banner says %q", got)
	}
	b.axe("paused study")
	b.shot("study-paused-1280-light")
	kept := eval[int](b, `Number(document.querySelector('.banner').innerText.match(/after (\d+)/)[1])`)
	b.do(chromedp.Focus(`form[action$="/resume"] button`), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelector('[data-progress]')`)
	done := eval[int](b, `fetch('/api/v1' + location.pathname).then((r) => r.json()).then((s) => s.units_done)`)
	if kept < 1 || done < kept {
		t.Errorf("paused with %d units, went on with %d", kept, done)
	}
	b.click(`form[action$="/cancel"] button`)
	b.wait(`document.querySelector('.banner')?.innerText.includes('Cancelled')`)
}

// TestRobustnessByHand: the page opens with charts drawn, another rate changes the histogram, and arrow keys switch
// between the four scenes.
func TestRobustnessByHand(t *testing.T) {
	_, b := commonTab(t)
	b.open("/")
	b.click(`.door[value="/robustness"]`)
	b.wait(`location.pathname === '/robustness' && document.querySelector('#robust')`)
	b.drawn()
	if got := b.text("#result"); !strings.HasPrefix(got, "With 20\u00a0% of training labels flipped, logistic regression retains") {
		t.Errorf("the sentence is %q", got)
	}
	before := b.text("#weights-say")
	b.click(`#row-weights a[href*="rate=0.1#"]`)
	b.wait(`location.search.includes('rate=0.1')`)
	if after := b.text("#weights-say"); after == before || after == "" {
		t.Errorf("at another rate the histogram still says %q", after)
	}
	b.open("/robustness?present=1")
	for scene := 2; scene <= 4; scene++ {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
		b.wait(fmt.Sprintf(`location.search.includes('scene=%d') && document.querySelector('[data-scene]')`, scene))
		if eval[bool](b, `Boolean(document.querySelector('#rb-form')) || document.querySelector('.top').getClientRects().length > 0`) {
			t.Errorf("scene %d shows controls", scene)
		}
	}
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
	b.wait(`location.search.includes('scene=3')`)
	b.do(chromedp.Focus("#noise-range"))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`document.querySelector('#rb-form') && !location.search.includes('present')`)
}

// TestScenes: each scene fills a lecture-hall screen, and its slider changes two accuracies, which are those of the
// address.
func TestScenes(t *testing.T) {
	_, b := commonTab(t)
	b.hall()
	for scene := 1; scene <= 4; scene++ {
		where := fmt.Sprintf("scene %d", scene)
		b.open(fmt.Sprintf("/robustness?present=1&scene=%d", scene))
		b.fills(where)
		before := b.text("#scene-numbers")
		if n := eval[int](b, `[...document.querySelectorAll('#scene-numbers strong')].filter((e) => /^[0-9.]+\u00a0%$/.test(e.innerText)).length`); n != 2 {
			t.Errorf("%s shows %q, want two accuracies", where, before)
		}
		b.steer("noise", kb.ArrowRight, kb.ArrowRight)
		b.wait(`location.search.includes('rate=0.3')`)
		if got := b.text("#scene-numbers"); got == before || !strings.Contains(got, "30\u00a0%") {
			t.Errorf("%s: at another rate the numbers are %q", where, got)
		}
		for _, way := range []string{"[data-end]", "[rel=prev]", "[rel=next]"} {
			if to := eval[string](b, `document.querySelector('[data-scene] `+way+`')?.search ?? 'rate=0.3'`); !strings.Contains(to, "rate=0.3") {
				t.Errorf("%s: %s leads to %s, which forgets the noise", where, way, to)
			}
		}
		live := b.text("#scene-numbers")
		b.open(eval[string](b, `location.pathname + location.search`))
		if got := b.text("#scene-numbers"); got != live {
			t.Errorf("%s: the address says %q, the page said %q", where, got, live)
		}
	}
	b.open("/playground?present=1")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.wait(`location.pathname === '/playground' && !location.search.includes('present')`)
}

// TestLastSlideFills: the table and the notes of the last slide reach down to the slider, on a laptop's screen too.
func TestLastSlideFills(t *testing.T) {
	_, b := commonTab(t)
	for _, screen := range [][2]int64{{1280, 900}, {1280, 720}, {1920, 1080}, {1024, 768}, {1000, 900}} {
		b.do(chromedp.EmulateViewport(screen[0], screen[1]))
		b.open("/robustness?present=1&scene=4")
		b.drawn()
		if tall := eval[int](b, `document.documentElement.scrollHeight - innerHeight`); tall > 0 {
			t.Errorf("%d × %d: %d px higher than the screen", screen[0], screen[1], tall)
		}
		if wide := eval[int](b, `((e) => e.scrollWidth - e.clientWidth)(document.querySelector('.scene-notes .scroll'))`); wide > 0 {
			t.Errorf("%d × %d: the table is %d px wider than its place", screen[0], screen[1], wide)
		}
		if screen[0] < 1100 {
			continue // with text of the usual size the table need not reach down
		}
		for part, gap := range eval[map[string]float64](b, `((end) => Object.fromEntries(['.scene-notes table', '.scene-notes li:last-child']
			.map((part) => [part, end - document.querySelector(part).getBoundingClientRect().bottom])))(document.querySelector('.scene-noise').getBoundingClientRect().top)`) {
			if gap < 0 || gap > 100 {
				t.Errorf("%d × %d: %.0f px between %s and the slider", screen[0], screen[1], gap, part)
			}
		}
	}
}
