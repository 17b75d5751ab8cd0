// Package doctest inspects documents in tests.
package doctest

import (
	"fmt"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
)

// Figures lists the pictures in a document (figures, their substitutes, drawings, and views
// with a picture) by title or kind, and whether each has Reveals. Counted nodes are computed
// from the released counts.
type Figures struct {
	Declared, Undeclared []string

	t        *testing.T
	released mask.Released
}

// Of collects the figures of sections before masking.
func Of(t *testing.T, sections []doc.Section, r mask.Released) *Figures {
	f := &Figures{t: t, released: r}
	for _, s := range sections {
		f.nodes(s.Title, s.Body)
	}
	return f
}

func (f *Figures) add(name string, reveals mask.Ref) {
	if reveals.Declared() {
		f.Declared = append(f.Declared, name)
		return
	}
	f.Undeclared = append(f.Undeclared, name)
}

func (f *Figures) figure(where string, n doc.Figure) {
	name := where + "/" + n.Title
	switch {
	case n.Lines != nil:
		name = where + "/" + n.Lines.Title
	case n.Chart != nil:
		name = where + "/" + n.Chart.Title
	}
	f.add(name, n.Reveals)
	if n.Instead == nil {
		return
	}
	if in := n.Instead(f.released); in.SVG != "" || in.Lines != nil || in.Chart != nil || in.Table != nil {
		f.add(name+" in print", in.Reveals)
	}
}

func (f *Figures) nodes(where string, all []doc.Node) {
	for _, n := range all {
		switch n := n.(type) {
		case doc.Counted:
			f.nodes(where, n(f.released))
		case doc.Guarded:
			if part, is := n.Node.(doc.Part); is {
				f.view(where, part, n.Reveals)
				continue
			}
			f.nodes(where, []doc.Node{n.Node})
		case doc.Part:
			f.view(where, n, mask.Ref{})
		case doc.Figure:
			f.figure(where, n)
		case doc.Figures:
			for _, one := range n {
				f.figure(where, one)
			}
		case doc.Drawing:
			f.add(where+"/a drawing", n.Reveals)
		case doc.Section:
			f.nodes(where+"/"+n.Title, n.Body)
		case doc.Group:
			f.nodes(where, n.Body)
		case doc.Pair:
			for _, side := range n {
				f.nodes(where, side)
			}
		case doc.Block:
			f.nodes(where, n)
		case doc.Curves:
			f.nodes(where, n)
		case nil, doc.Verdict, doc.Note, doc.Say, doc.List, doc.Code, doc.Facts, doc.Highlights, doc.Flow, doc.Icons,
			doc.Table, doc.Form: // these contain no picture
		default:
			f.t.Errorf("%s holds a %T that nobody looks into", where, n)
		}
	}
}

// view adds a view if it draws a figure.
func (f *Figures) view(where string, p doc.Part, reveals mask.Ref) {
	var html strings.Builder
	if err := p.View.Render(f.t.Context(), &html); err != nil {
		f.t.Fatal(err)
	}
	if strings.Contains(html.String(), "<figure") {
		f.add(fmt.Sprintf("%s/a view of %.60q", where, html.String()), reveals)
	}
}

// Check fails for figures without Reveals, and if fewer than least figures were found.
func (f *Figures) Check(least int) {
	f.t.Helper()
	for _, name := range f.Undeclared {
		f.t.Errorf("%s says nothing of what it tells", name)
	}
	if n := len(f.Declared); n < least {
		f.t.Errorf("%d figures were read, want %d: %v", n, least, f.Declared)
	}
}
