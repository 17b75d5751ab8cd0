package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestEverySheetIsListed: the joined style sheet contains each sheet.
func TestEverySheetIsListed(t *testing.T) {
	entries, err := fs.ReadDir(files, "css")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, "css/"+e.Name())
	}
	listed := slices.Sorted(slices.Values(Sheets))
	if !slices.Equal(names, listed) {
		t.Errorf("the folder has %q, the list %q", names, listed)
	}
}

// TestJoinedModules: pages load the joined modules if these were made from the present sources, otherwise the
// separate modules.
func TestJoinedModules(t *testing.T) {
	tree := func(change func(fstest.MapFS)) *Tree {
		t.Helper()
		m := fstest.MapFS{"js/app.js": {Data: []byte("import './b.js';")}, "js/b.js": {Data: []byte("1;")}}
		for _, name := range Sheets {
			m[name] = &fstest.MapFile{Data: []byte("/* " + name + " */")}
		}
		sum := sha256.Sum256([]byte("js/app.jsimport './b.js';js/b.js1;"))
		m["vendor/app.js"] = &fstest.MapFile{Data: fmt.Appendf(nil, "/*%x*/\n1;", sum)}
		change(m)
		got, err := read(m)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	fresh := tree(func(fstest.MapFS) {})
	if fresh.Entry() != "vendor/app.js" || !slices.Equal(fresh.Modules(), []string{"vendor/app.js"}) {
		t.Errorf("fresh: a page loads %q, and before it %q", fresh.Entry(), fresh.Modules())
	}
	for name, change := range map[string]func(fstest.MapFS){
		"changed module": func(m fstest.MapFS) { m["js/b.js"] = &fstest.MapFile{Data: []byte("2;")} },
		"new module":     func(m fstest.MapFS) { m["js/c.js"] = &fstest.MapFile{} },
		"not joined":     func(m fstest.MapFS) { delete(m, "vendor/app.js") },
	} {
		got := tree(change)
		if got.Entry() != "js/app.js" || slices.Contains(got.Modules(), "vendor/app.js") || len(got.Modules()) < 2 {
			t.Errorf("%s: a page loads %q, and before it %q", name, got.Entry(), got.Modules())
		}
		if name != "not joined" && got.Prefix() == fresh.Prefix() {
			t.Errorf("%s: the same address %s", name, got.Prefix())
		}
	}
	style := string(fresh.assets[Style].raw())
	if at := strings.Index(style, Sheets[0]); at < 0 || at > strings.Index(style, Sheets[1]) {
		t.Errorf("the style sheet begins %.60q", style)
	}
}

// TestBuilt: pages load what make assets made.
func TestBuilt(t *testing.T) {
	tree, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if !tree.Complete() {
		t.Skip("The browser code is not built: run make assets.")
	}
	if tree.Entry() != joined {
		t.Errorf("pages load %s: the joined modules are older than the modules, run make assets", tree.Entry())
	}
}

// TestServe requests existing and missing files as a browser does.
func TestServe(t *testing.T) {
	tree, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		tree.Prefix() + entry:           200,
		"/static/0123456789ab/" + entry: 404, // another build
		tree.Prefix() + Style:           200,
		tree.Prefix() + Sheets[0]:       404, // part of Style
		tree.Prefix():                   404,
		tree.Prefix() + "js":            404,
		tree.Prefix() + "static.go":     404,
		"/static/" + entry:              404,
	} {
		w := httptest.NewRecorder()
		tree.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	tree.ServeHTTP(w, httptest.NewRequest("HEAD", tree.Prefix()+entry, nil))
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("HEAD: %d, %d bytes, %q", w.Code, w.Body.Len(), w.Header().Get("Content-Type"))
	}
}

// TestPacked: a file that is embedded compressed reaches clients with and without gzip, under its own name and type.
func TestPacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("export const a = 1;"))
	z.Close()
	m := fstest.MapFS{"vendor/echarts.js.gz": {Data: packed.Bytes()}}
	for _, name := range Sheets {
		m[name] = &fstest.MapFile{}
	}
	tree, err := read(m)
	if err != nil {
		t.Fatal(err)
	}
	for accepts, want := range map[string]struct{ encoding, body string }{
		"gzip, br": {"gzip", packed.String()}, "": {"", "export const a = 1;"},
	} {
		r, w := httptest.NewRequest("GET", tree.Prefix()+charts, nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", accepts)
		tree.ServeHTTP(w, r)
		got := w.Result().Header
		if w.Code != 200 || w.Body.String() != want.body || got.Get("Content-Encoding") != want.encoding ||
			got.Get("Content-Type") != "text/javascript; charset=utf-8" || got.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %d, %v, %q", accepts, w.Code, got, w.Body)
		}
	}
	if !tree.Complete() {
		t.Error("the chart library is not found")
	}
}

// TestWeight: everything a first visit can load fits the limit of 450 kB.
func TestWeight(t *testing.T) {
	tree, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if !tree.Complete() {
		t.Skip("The chart code is not built: run make assets.")
	}
	total := 0
	for name, a := range tree.assets {
		if (strings.HasSuffix(name, ".css") || strings.HasSuffix(name, ".js")) && (tree.Entry() != joined || !strings.HasPrefix(name, "js/")) {
			total += len(a.gz())
		}
	}
	if total == 0 || total > 450_000 {
		t.Errorf("sheets and modules weigh %d bytes compressed, want 450,000 at most", total)
	}
}

// TestColours: raw colours occur in tokens.css only, and its two dark blocks are equal.
func TestColours(t *testing.T) {
	raw := regexp.MustCompile(`(?i)#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(`)
	for _, name := range Sheets[1:] {
		css, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if at := raw.FindString(string(css)); at != "" {
			t.Errorf("%s holds the raw colour %s", name, at)
		}
	}
	css, err := files.ReadFile(Sheets[0])
	if err != nil {
		t.Fatal(err)
	}
	token := regexp.MustCompile(`--[a-z0-9-]+:[^;]+;`)
	var dark []string
	for _, block := range regexp.MustCompile(`(?s):root(?:\[data-theme="dark"\]|:not\(\[data-theme="light"\]\)) \{(.*?)\}`).FindAllStringSubmatch(string(css), -1) {
		dark = append(dark, strings.Join(token.FindAllString(block[1], -1), "\n"))
	}
	if len(dark) != 2 || dark[0] == "" || dark[0] != dark[1] {
		t.Errorf("%d dark blocks, or they differ", len(dark))
	}
}

// TestNothingAroundEveryPageAsksWhatItHolds: if a style of html, body, main or a slider depends on any of its
// descendants, the browser recomputes the style of everything inside after each change: 1,400 elements for a move
// on the playground. Conditions on children and siblings are allowed.
func TestNothingAroundEveryPageAsksWhatItHolds(t *testing.T) {
	around := regexp.MustCompile(`(?:^|[\s,}>])((?:html|body|main|:root|\.slider)(?:[^-\s,{}][^\s,{}]*)?:has\((?:[^>+~][^)]*)\))`)
	if !around.MatchString("\nbody:has(.x) .y {}") || around.MatchString(".slider:has(> :disabled) {}") {
		t.Fatal("the expression finds nothing")
	}
	for _, name := range Sheets {
		css, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range around.FindAllStringSubmatch(string(css), -1) {
			t.Errorf("%s: %s", name, found[1])
		}
	}
}
