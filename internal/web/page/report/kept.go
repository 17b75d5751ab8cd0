package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/store"
)

// Kept is a report as it stood when the data of its run were wiped: a masked
// document, stored as JSON and rendered when it is opened. What it says of rows
// cannot be made again.
type Kept struct {
	Document doc.Document
	Verdict  []string
}

// Frozen is the report as text to store.
func (p Printed) Frozen() (string, error) {
	p.Small = MaskSmall // whoever opens it later did not ask for more
	d := p.Report()
	d.Facts = append(d.Facts, wiped(p.run))
	return frozen(d)
}

// wiped says when the data went.
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

// ReadKept reads a report as it was stored. Versions up to 0.1 stored their sections as
// HTML of their own making, and the verdict beside them.
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
	MaskSmall.stamp(&k.Document) // which earlier versions did not write down
	return k, nil
}

// forPrint are sections that no page of a run shows: what it has by itself, what is said
// again in full, and appendices, which earlier versions did not mark.
var forPrint = []string{"Verdict", mainLimits, "TRIPOD+AI", "Do it again"}

// Parts are the sections that a page of the run shows of it, by their titles; some are for print
// alone.
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

// RecalibrationReport is the report to store of a run whose risks are those of a kept
// model, moved. There is nothing left to evaluate it on, and it says so.
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
