package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTabOrder presses Tab through pages on a narrow screen, where the layout has one column: the focus never goes
// back up to a control that stands above the one it leaves. Controls beside each other may start at any height.
func TestTabOrder(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	clinic := heart(t, s)
	run := trained(t, s, heartSpec(clinic, "Risk", "interval", .25, .5, .75)).ID
	outcome := "?outcome=disease&positive=yes"
	b := newTab(t, web.URL)
	for _, path := range []string{"/", "/playground", "/robustness", "/data", "/data/" + clinic.ID,
		"/stratify/" + clinic.ID + outcome, "/stratify/" + clinic.ID + "/flips" + outcome, "/runs", "/runs/" + run,
		"/runs/" + run + "/performance", "/runs/" + run + "/model", "/runs/" + run + "/patients", "/audit/" + run,
		"/report/" + run, "/studies", "/help"} {
		b.look(360, "light")
		b.open(path)
		b.drawn()
		b.tabsDown(path + " at 360 px")
	}

	b.open("/")
	b.drawn()
	b.click(`#pin-add`)
	b.wait(`location.search.includes("pin")`)
	b.tabsDown("after a visit")

	// A wider screen has the controls beside the result again.
	b.open("/stratify/" + clinic.ID + outcome)
	b.drawn()
	first := `document.querySelector('.work-lead').firstElementChild.className`
	b.exec(`document.querySelector('.lead [tabindex="0"], .lead button').focus(); window.kept = document.activeElement`)
	if got := eval[string](b, first); !strings.Contains(got, "lead") {
		t.Errorf("at 360 px the page starts with %q", got)
	}
	b.look(1280, "light")
	b.wait(first + ` === 'side'`)
	if !eval[bool](b, `document.activeElement === kept`) {
		t.Error("the focus is lost when the screen becomes wider")
	}
}

// tabsDown presses Tab from the top of the page to its end.
func (b *tab) tabsDown(where string) {
	b.Helper()
	b.exec(`window.scrollTo(0, 0); document.activeElement.blur(); document.body.focus()`)
	type place struct {
		Name                     string
		Left, Top, Right, Bottom float64
		End                      bool
	}
	var last place
	for i := range 200 {
		b.do(chromedp.KeyEvent(kb.Tab))
		p := eval[place](b, `(() => {
			const e = document.activeElement
			if (!e || e === document.body) return {End: true}
			const r = (e.closest('label') ?? e).getBoundingClientRect()
			const name = e.tagName + ' ' + (e.ariaLabel ?? e.name ?? '') + ' ' + e.textContent.trim().slice(0, 30)
			return {Name: name, Left: r.left, Right: r.right, Top: r.top + scrollY, Bottom: r.bottom + scrollY}
		})()`)
		if p.End {
			if i == 0 {
				b.Errorf("%s: nothing takes the focus", where)
			}
			return
		}
		if p.Bottom <= last.Top && p.Left < last.Right && last.Left < p.Right {
			b.Errorf("%s: from %q at %.0f up to %q at %.0f", where, last.Name, last.Top, p.Name, p.Top)
		}
		last = p
	}
}
