// Package static holds the style sheets, the ES modules and the third-party
// browser code, embedded in the program.
//
// All files are served under one hash of the whole tree, /static/<hash>/…, so that they can be cached for ever,
// relative imports between modules stay inside one version, and no page mixes two builds.
//
// A page loads one style sheet and one module: the sheets are joined here, the modules by make assets. Fifty small
// files made a first visit 60 ms slower.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed css js img all:vendor
var files embed.FS

// Sheets lists the style sheets in cascade order.
var Sheets = []string{
	"css/tokens.css", "css/base.css", "css/shell.css", "css/controls.css",
	"css/figures.css", "css/tables.css", "css/messages.css", "css/pages.css", "css/result.css", "css/data.css",
	"css/runs.css", "css/explore.css", "css/play.css", "css/compare.css", "css/studies.css", "css/audit.css",
	"css/report.css", "css/narrow.css", "css/media.css",
}

// Style is all of Sheets as one file.
const Style = "css/taper.css"

const (
	entry  = "js/app.js"         // the module of every page; it imports the others
	joined = "vendor/app.js"     // the entry joined with its imports
	charts = "vendor/echarts.js" // the chart library; chart.js loads it when it is needed
)

// Tree is the embedded files with their hash. Its zero value is not usable; call New once per program.
type Tree struct {
	prefix string            // "/static/<hash>/"
	assets map[string]*asset // by path inside the tree
	entry  string            // the module of every page
	module []string          // ES modules, for preloading
}

// asset is one file. It was embedded as it is, or compressed as name.gz; the other form is made on first use.
type asset struct {
	embedded []byte
	packed   bool // embedded is compressed
	kind     string
	raw, gz  func() []byte // gz: nil if compressing would not make it smaller
}

func newAsset(embedded []byte, packed bool, kind string) *asset {
	a := &asset{embedded: embedded, packed: packed, kind: kind}
	a.raw, a.gz = sync.OnceValue(a.unpack), sync.OnceValue(a.pack)
	return a
}

// New reads the embedded tree and hashes it.
func New() (*Tree, error) { return read(files) }

func read(files fs.FS) (*Tree, error) {
	t := &Tree{assets: map[string]*asset{}, entry: entry}
	whole, source := sha256.New(), sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		whole.Write([]byte(name))
		whole.Write(raw)
		switch path.Dir(name) {
		case "css":
			return nil // part of Style
		case "js":
			source.Write([]byte(name))
			source.Write(raw)
			t.module = append(t.module, name)
		}
		name, packed := strings.CutSuffix(name, ".gz")
		t.assets[name] = newAsset(raw, packed, kind(name))
		return nil
	})
	if err != nil {
		return nil, err
	}
	style, err := css(files)
	if err != nil {
		return nil, err
	}
	t.assets[Style] = newAsset([]byte(style), false, kind(Style))
	// The joined modules start with the hash of their sources. If it differs, a module was changed and make assets
	// was not run: then the modules are served separately.
	if a := t.assets[joined]; a != nil && bytes.HasPrefix(a.raw(), fmt.Appendf(nil, "/*%x*/", source.Sum(nil))) {
		t.entry, t.module = joined, []string{joined}
	}
	t.prefix = "/static/" + hex.EncodeToString(whole.Sum(nil)[:6]) + "/"
	return t, nil
}

// Complete reports whether the third-party code is part of this build (make assets).
func (t *Tree) Complete() bool { return t.assets[charts] != nil }

// Prefix is the path under which the tree is served, with a slash at its end.
func (t *Tree) Prefix() string { return t.prefix }

// Entry is the module that pages load.
func (t *Tree) Entry() string { return t.entry }

// Modules lists the ES modules of a page, including the entry.
func (t *Tree) Modules() []string { return t.module }

// ServeHTTP serves /static/<hash>/name. Addresses of another build are not found, because they would mix versions.
func (t *Tree) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, t.prefix)
	a := t.assets[name]
	if !ok || a == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.kind)
	h.Set("Vary", "Accept-Encoding")
	body := a.gz()
	if len(body) > 0 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		body = a.raw()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// pack returns the compressed file. Compressing all files at start would take longer than everything else together.
func (a *asset) pack() []byte {
	if a.packed {
		return a.embedded
	}
	if !strings.HasPrefix(a.kind, "text/") && !strings.HasPrefix(a.kind, "image/svg") {
		return nil
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	z.Write(a.embedded)
	z.Close()
	if b.Len() >= len(a.embedded) {
		return nil
	}
	return b.Bytes()
}

// unpack returns the file as it was before it was compressed, for clients that do not take gzip.
func (a *asset) unpack() []byte {
	if !a.packed {
		return a.embedded
	}
	z, err := gzip.NewReader(bytes.NewReader(a.embedded))
	if err == nil {
		var raw []byte
		if raw, err = io.ReadAll(z); err == nil {
			return raw
		}
	}
	panic(fmt.Sprintf("static: an embedded file is damaged: %v", err)) // make assets wrote it
}

// kind is the media type by file name extension; the system's own table differs between machines and is not used.
func kind(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	}
	if k := mime.TypeByExtension(path.Ext(name)); k != "" {
		return k
	}
	return "application/octet-stream"
}
