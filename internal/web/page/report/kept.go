package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/store"
)

// Kept is a report stored when the data of its run were deleted: a masked document, stored as JSON and rendered on
// demand. The parts made from rows cannot be recomputed.
type Kept struct {
	Document doc.Document
	Verdict  []string
}

// Frozen is the report as JSON, for storing.
func (p Printed) Frozen() (string, error) {
	p.Small = MaskSmall // later readers did not ask for small counts
	d := p.Report()
	d.Facts = append(d.Facts, wiped(p.run))
	return frozen(d)
}

// wiped gives the date when the data were deleted.
func wiped(run store.Run) doc.Fact {
	return doc.Fact{Label: "Data", Value: "deleted " + store.Day(run.Wiped)}
}

func frozen(d doc.Document) (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode report: %w", err)
	}
	return string(text), nil
}

// ReadKept reads a stored report. Versions up to 0.1 stored the verdict and the sections as HTML.
func ReadKept(text string) (k Kept, err error) {
	var older struct {
		Verdict  []string
		Sections []struct{ HTML string }
	}
	for _, into := range []any{&k.Document, &older} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return k, fmt.Errorf("read report: %w", err)
		}
	}
	k.Verdict = older.Verdict
	for i, s := range k.Document.Sections {
		if html := older.Sections[i].HTML; html != "" {
			k.Document.Sections[i].Body = doc.Nodes{doc.Part{View: templ.Raw(html)}}
		}
		for _, n := range s.Body {
			if v, ok := n.(doc.Verdict); ok {
				k.Verdict = v
			}
		}
	}
	MaskSmall.stamp(&k.Document) // earlier versions did not store this line
	return k, nil
}

// forPrint are sections that only the printed report has: the page of the run has its own, and earlier versions did
// not mark appendices.
var forPrint = []string{"Verdict", mainLimits, "TRIPOD+AI", "Do it again"}

// Parts are the stored sections whose titles belong to a page of the run, without those that are only for print.
func (k Kept) Parts(page func(title string) bool) (all []doc.Section) {
	for i, s := range k.Document.Sections {
		if slices.Contains(forPrint, s.Title) || s.Level == doc.Appendix || !page(s.Title) {
			continue
		}
		s.ID = fmt.Sprintf("kept-%d", i)
		all = append(all, s)
	}
	return all
}

// RecalibrationReport makes the stored report of a run that recalibrates a kept model. No rows are left to evaluate
// it on, and the report says so.
func RecalibrationReport(child store.Run, o store.Origin) (string, error) {
	res := child.Result
	p := New(child, store.Dataset{}, Clinical{Model: res.Model, Origin: &o})
	d := p.document()
	d.Facts = append(slices.DeleteFunc(d.Facts, func(f doc.Fact) bool { return f.Label == "Rows" }), wiped(child))
	d.Sections = []doc.Section{
		{Title: "Verdict", Body: doc.Nodes{doc.Verdict(append(p.open(), res.Warnings[0].Message,
			"An external validation shows how it does elsewhere."))}},
		{Title: "Model", Body: p.counted(Printed.modelParts)},
		{Title: "Reproduce this run", Level: doc.Appendix, Body: p.redoParts()},
	}
	MaskSmall.stamp(&d)
	return frozen(doc.Mask(d, p.release))
}
