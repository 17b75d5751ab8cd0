package web

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// partServer serves one fragment in a page at /part; more routes may be added.
func partServer(t *testing.T, part templ.Component, more func(*Server)) string {
	t.Helper()
	inBrowser(t)
	s, _ := testServer(t, Config{})
	s.echo.GET("/part", func(c echo.Context) error {
		page := templates.Layout(s.page(c, "Part"))
		return s.render(c, http.StatusOK, templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			return page.Render(templ.WithChildren(ctx, part), w)
		}))
	})
	s.echo.GET("/end", func(c echo.Context) error {
		return s.render(c, http.StatusOK, templates.Failure(s.page(c, "The end"), c.QueryParam("name"), "", templates.Link{Label: "Back to the start", URL: "/"}))
	})
	more(s)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

// TestProgressModule follows a job until its page reloads.
func TestProgressModule(t *testing.T) {
	reports := make(chan job.Progress)
	b := newTab(t, partServer(t, templates.ProgressView(templates.Progress{Job: "job", Step: "Queued", Detail: "20 refits"}), func(s *Server) {
		reported(t, s, "job", reports)
	}))
	b.open("/part")
	reports <- job.Progress{Fraction: .41, Message: "Fold 3 of 5", ETA: 9}
	b.wait(`document.querySelector('#job-step').textContent === 'Fold 3 of 5'`)
	if got := b.text("#job"); !strings.Contains(got, "41\u00a0%") || !strings.Contains(got, "20 refits") || !strings.Contains(got, "6\u00a0s so far") {
		t.Errorf("the page says %q", got)
	}
	if got := eval[float64](b, `document.querySelector('#job progress').value`); got != 41 {
		t.Errorf("the bar stands at %v, want 41", got)
	}
	reports <- job.Progress{Fraction: .5}
	b.wait(`document.querySelector('#job progress').value === 50`)
	if got := b.text("#job-step"); got != "Fold 3 of 5" {
		t.Errorf("a report without words made the step %q", got)
	}
	close(reports)
	b.wait(`performance.getEntriesByType('navigation')[0].type === 'reload'`)
}

const dropForm = `<form data-dropzone class="empty" method="post" action="/take" enctype="multipart/form-data" data-max-bytes="20" data-max-text="20 bytes">
<label class="lab">File <input type="file" name="file"></label><progress hidden></progress>
<p role="status" data-status></p><button type="button" data-stop hidden>Stop</button><p data-problem role="alert" hidden></p></form>`

// TestDropzoneModule picks, drops and pastes a file, and exceeds the limit.
func TestDropzoneModule(t *testing.T) {
	left := make(chan struct{})
	b := newTab(t, partServer(t, fragment(dropForm), func(s *Server) {
		s.echo.POST("/take", func(c echo.Context) error {
			f, err := c.FormFile("file")
			if err != nil {
				return err
			}
			if f.Filename == "broken.csv" {
				return echo.NewHTTPError(http.StatusBadRequest)
			}
			return httpio.Watched(c, http.StatusCreated, func(report func(string, float64)) (any, error) {
				if f.Filename == "long.csv" {
					report("Reading the rows", .5)
					<-c.Request().Context().Done()
					close(left)
					return nil, c.Request().Context().Err()
				}
				return map[string]string{"url": "/end?name=" + f.Filename}, nil
			})
		})
	}))
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pick := func(path string) {
		b.open("/part")
		b.do(chromedp.SetUploadFiles(`[data-dropzone] input[type=file]`, []string{path}))
	}
	pick(file("picked.csv", "a,b\n1,2\n"))
	b.wait(`location.search === '?name=picked.csv'`)

	pick(file("large.csv", strings.Repeat("1,2\n", 10)))
	b.wait(`document.querySelector('[data-problem]').textContent === 'large.csv is larger than 20 bytes, the limit. Leave out columns or rows, or start Taper with a higher -max-bytes.'`)

	pick(file("broken.csv", "x"))
	b.wait(`document.querySelector('[data-problem]').textContent === 'The request cannot be read.'`)
	b.expectAll("422")

	pick(file("long.csv", "a,b\n1,2\n"))
	b.wait(`document.querySelector('progress').value === .5`)
	if got := b.text("[data-status]"); got != "Reading the rows of long.csv" {
		t.Errorf("while it is read: %q", got)
	}
	b.click("[data-stop]")
	b.wait(`document.querySelector('[data-problem]').textContent === 'Stopped. Nothing was stored.'`)
	<-left // the request ends with it
	if eval[bool](b, `document.querySelector('[data-stop]').checkVisibility()`) {
		t.Error("a stopped upload can be stopped")
	}

	for _, how := range []string{"drop", "paste"} {
		b.open("/part")
		b.exec(`(() => { const d = new DataTransfer(); d.items.add(new File(['a\n1\n'], '` + how + `.csv'));
			document.body.dispatchEvent(new ` + map[string]string{"drop": "DragEvent('drop', {dataTransfer: d,", "paste": "ClipboardEvent('paste', {clipboardData: d,"}[how] + ` bubbles: true, cancelable: true})); })()`)
		b.wait(`location.search === '?name=` + how + `.csv'`)
	}
	b.open("/part")
	b.exec(`(() => { const d = new DataTransfer(); d.setData('text/plain', 'a\tb\n1\t2\n');
		document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true})); })()`)
	b.wait(`location.search === '?name=pasted.csv'`)
}

const scoreForm = `<form data-score method="post" action="/take" data-max-bytes="20" data-max-text="20 bytes">
<label class="lab">File <input type="file" name="file"></label><progress hidden></progress>
<p role="alert" data-problem hidden></p></form>
<div id="score-answer"></div>`

// TestScoreModule chooses a file that is too large while another one is scored, and a file twice.
func TestScoreModule(t *testing.T) {
	b := newTab(t, partServer(t, fragment(scoreForm), func(s *Server) {
		s.echo.POST("/take", func(c echo.Context) error {
			f, err := c.FormFile("file")
			if err != nil {
				return err
			}
			w := multipart.NewWriter(c.Response())
			c.Response().Header().Set("Content-Type", w.FormDataContentType())
			_ = w.WriteField("html", "<p>Scored "+f.Filename+"</p><a data-save>Save</a>")
			_, _ = w.CreateFormFile("file", "scored.csv")
			return w.Close()
		})
	}))
	b.open("/part")
	b.hold("/take")
	dir := t.TempDir()
	choose := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		b.do(chromedp.SetUploadFiles(`[data-score] input`, []string{path}))
	}
	choose("first.csv", "a\n1\n")
	choose("large.csv", strings.Repeat("1,2\n", 10))
	b.wait(`document.querySelector('[data-problem]').textContent.startsWith('large.csv is larger')`)
	b.deliver(0)
	b.await(twoFrames)
	if got := b.text("main"); !strings.Contains(got, "large.csv is larger") || strings.Contains(got, "Scored") {
		t.Errorf("after the answer to the file before, the page says %q", got)
	}
	if eval[bool](b, `document.querySelector('progress').checkVisibility()`) {
		t.Error("nothing is scored, and the page shows progress")
	}
	for request := range 2 {
		choose("first.csv", "a\n2\n")
		b.deliver(1 + request)
	}
	b.wait(`document.querySelector('#score-answer').innerText.includes('Scored first.csv')`)
}

// The text is sent by its button, the choice at once.
const dataForms = `<form method="post" action="/take" data-whole>
<label class="lab"><span>Column</span> <select name="column"><option>age</option><option>sex</option></select></label>
<label class="lab" for="codes">Codes</label> <input id="codes" name="codes"><button class="btn">Set</button></form>
<form method="post" action="/take">
<label class="lab"><span>Role</span> <select name="role"><option>in</option><option>out</option><option>refused</option></select></label></form>`

// TestDatasetModule fills a form in while another choice is answered: it stays as it is until it is accepted, also when
// the choice is refused.
func TestDatasetModule(t *testing.T) {
	page := `<p id="result">Read.</p><div data-dataset><div id="ds-problem"></div>
<div id="ds-forms" data-live-part>` + dataForms + `</div></div>`
	b := newTab(t, partServer(t, fragment(page), func(s *Server) {
		s.echo.POST("/take", func(c echo.Context) error {
			if c.FormValue("role") == "refused" {
				return usererr.New(usererr.Invalid, "Not this role.")
			}
			return c.JSON(http.StatusOK, map[string]any{"stamps": map[string]string{},
				"parts": map[string]string{"ds-forms": dataForms}})
		})
	}))
	b.open("/part")
	b.hold("/take")
	shows := func(when, want string) {
		t.Helper()
		got := eval[string](b, `[...document.querySelectorAll('[data-dataset] [name]')].map((el) => el.value).join()`)
		if got != want {
			t.Errorf("%s, the fields show %q, want %q", when, got, want)
		}
	}
	set := func(name, value string) {
		b.exec(`(() => { const el = document.getElementsByName(` + quote(name) + `)[0]; el.value = ` + quote(value) + `;
			el.dispatchEvent(new Event('change', {bubbles: true})); })()`)
	}
	set("column", "sex")
	set("codes", "-9")
	set("role", "out")
	b.deliver(0)
	shows("after another choice", "sex,-9,in")
	set("role", "refused")
	b.deliver(1)
	b.expect("422")
	shows("after a refusal", "sex,-9,in")
	b.click("[data-whole] button")
	b.deliver(2)
	shows("once accepted", "age,,in")
}

const swapForm = `<form method="post" action="/take" data-swap="answer">
<label class="lab">Age <input name="age" value="40"></label><button class="btn">Ask</button><button type="reset" class="btn">Start over</button>
</form><div id="answer" aria-live="polite"></div>`

// TestSwapModule sends a form twice and starts over: an answer that comes late is not shown, and with the values their
// answer goes.
func TestSwapModule(t *testing.T) {
	b := newTab(t, partServer(t, fragment(swapForm), func(s *Server) {
		s.echo.POST("/take", func(c echo.Context) error {
			return c.JSON(http.StatusOK, map[string]any{"parts": map[string]string{"answer": "<p>Of age " + c.FormValue("age") + "</p>"}})
		})
	}))
	b.open("/part")
	b.hold("/take")
	ask := func(age string) {
		b.exec(`document.querySelector('[name=age]').value = ` + quote(age))
		b.click(`form[data-swap] .btn`)
	}
	ask("50")
	ask("60")
	b.deliver(1)
	b.deliver(0)
	if got := b.text("#answer"); got != "Of age 60" {
		t.Errorf("two requests, the first answered last: the page says %q", got)
	}
	ask("70")
	b.exec(`document.querySelector('[name=age]').setAttribute('aria-invalid', 'true')`)
	b.click(`[type=reset]`)
	if got := b.text("#answer"); got != "" {
		t.Errorf("started over, the page says %q", got)
	}
	if eval[bool](b, `!!document.querySelector('[aria-invalid]')`) {
		t.Error("started over, a field is marked as wrong")
	}
	b.deliver(2)
	if got := b.text("#answer"); got != "" {
		t.Errorf("an answer after starting over: the page says %q", got)
	}
	ask("80")
	b.exec(`document.querySelector('form[data-swap]').outerHTML += ''; document.querySelector('#answer').textContent = 'Another'`)
	b.deliver(3)
	if got := b.text("#answer"); got != "Another" {
		t.Errorf("an answer to a form that was replaced: the page says %q", got)
	}
}

// TestCopyModule copies a text; the button confirms it.
func TestCopyModule(t *testing.T) {
	b := newTab(t, partServer(t, templates.ButtonView(templates.Button{Label: "Copy link", Icon: "link", Copy: "here"}), func(*Server) {}))
	b.open("/part?a=b")
	b.exec(`Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (t) => { window.copied = t; }}})`)
	b.follow("[data-copy] span")
	b.click("[data-copy]")
	b.wait(`said.includes('Copied')`)
	if got := eval[string](b, `copied`); got != b.base+"/part?a=b" {
		t.Errorf("copied %q", got)
	}
	b.wait(`document.querySelector('[data-copy] span').textContent === 'Copy link'`)
}

// TestPolicyHolds inserts what a hostile name could contain if escaping failed; the policy must prevent it from
// running or loading anything.
func TestPolicyHolds(t *testing.T) {
	b := newTab(t, partServer(t, fragment(`<img src="x" onerror="document.title='hit'"><script>document.title='hit'</script><p style="color:red">x</p>`), func(*Server) {}))
	b.open("/part")
	b.wait(`document.readyState === 'complete'`)
	if got := eval[string](b, `document.title`); got == "hit" {
		t.Error("an inline script ran")
	}
	b.expect("policy: script-src-attr")
	b.expect("policy: script-src-elem")
	b.expect("policy: style-src-attr")
	b.expectAll("") // messages of Chromium about this
}

func fragment(html string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, html)
		return err
	})
}
