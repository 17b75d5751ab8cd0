package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestPages opens every page of the navigation, the API's and that of an error
// in both themes on a wide and a narrow screen.
func TestPages(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	b.open("/api")
	paths := eval[[]string](b, `[...document.querySelectorAll('.nav a')].map((a) => a.getAttribute('href'))`)
	for _, path := range append(paths, "/api", "/no-such-page") {
		everyLook(b, strings.TrimPrefix(path, "/"), path)
	}
	b.expectAll("404")
}

// everyLook opens a page in both themes at both widths, keeps a picture of
// each and holds it to the rules that hold for all pages.
func everyLook(b *tab, name, path string) {
	b.Helper()
	for _, width := range []int{1280, 360} {
		for _, scheme := range []string{"light", "dark"} {
			where := fmt.Sprintf("%s-%d-%s", name, width, scheme)
			b.look(width, scheme)
			b.open(path)
			b.drawn()
			b.shot(where)
			b.fits(where)
			b.axe(where)
		}
	}
}
