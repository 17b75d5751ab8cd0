package web

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPages opens every page of the navigation, the API's and that of an error
// in both themes on a wide and a narrow screen.
func TestPages(t *testing.T) {
	_, b := ownTab(t)
	b.open("/api")
	paths := eval[[]string](b, `[...document.querySelectorAll('.nav a')].map((a) => a.getAttribute('href'))`)
	for _, path := range append(paths, "/api", "/no-such-page") {
		everyLook(b, strings.TrimPrefix(path, "/"), path)
	}
	b.expectAll("404")
}

// everyLook opens a page in both themes on a wide and a narrow screen and checks the rules for all pages. The rules
// are checked in two of the four looks, which cover each width and each theme, since axe takes most of the time.
// The other two are for screenshots.
func everyLook(b *tab, name, path string) {
	b.Helper()
	for _, look := range []struct {
		width         int
		scheme, other string
	}{{1280, "light", "dark"}, {360, "dark", "light"}} {
		where := fmt.Sprintf("%s-%d-%s", name, look.width, look.scheme)
		b.look(look.width, look.scheme)
		b.open(path)
		b.drawn()
		b.fits(where)
		b.axe(where)
		if shots() {
			b.shot(where)
			b.look(look.width, look.other)
			b.open(path)
			b.drawn()
			b.shot(fmt.Sprintf("%s-%d-%s", name, look.width, look.other))
		}
	}
}

// TestSignInLook opens the two pages that need a password, under a base path, from which scripts and styles are
// loaded too.
func TestSignInLook(t *testing.T) {
	inBrowser(t)
	s, _ := testServer(t, Config{PasswordHash: testHash, BasePath: "/taper"})
	web := httptest.NewServer(s)
	defer web.Close()
	b := newTab(t, web.URL+"/taper")
	everyLook(b, "login", "/login")
	b.look(1280, "light")
	b.open("/login")
	b.exec(`document.querySelector('#password').value = '` + testPassword + `'; document.querySelector('.login button').click()`)
	b.wait(`location.pathname === '/taper/' && document.querySelector('.top [href="/taper/sessions"]')`)
	everyLook(b, "sessions", "/sessions")
	if wide := eval[int](b, `((e) => e.scrollWidth - e.clientWidth)(document.querySelector('.scroll'))`); wide > 0 {
		t.Errorf("on a small screen the sessions are %d px wider than their place", wide)
	}
	b.open("/")
	b.wait(`document.querySelector('.top a[href^="/taper/help"]')`)
	b.click(`.top a[href^="/taper/help"]`)
	b.wait(`document.querySelector('dialog[open] [data-help-here]')?.textContent.length > 100`)
	b.clean()
}
