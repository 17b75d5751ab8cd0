package main

import (
	"fmt"
	"testing"
)

// TestPages opens every page in both themes on a wide and a narrow screen.
func TestPages(t *testing.T) {
	p := start(t, "")
	b := newTab(t, p.base)
	for name, path := range map[string]string{"api": "/api", "missing": "/no-such-page"} {
		everyLook(b, name, path)
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
