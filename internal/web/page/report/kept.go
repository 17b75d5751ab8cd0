package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/store"
	"taper/internal/web/render"
)

// Kept is a report as it stood when the data of its run were wiped. What
// it says of rows is masked already and cannot be made again.
type Kept struct {
	Title    string        `json:"title"`
	Verdict  []string      `json:"verdict"`
	Facts    []doc.Fact    `json:"facts"`
	Use      string        `json:"use"`
	Sections []keptSection `json:"sections"`
	Foot     []string      `json:"foot"`
}

// keptSection is a part of it, as this program wrote it.
type keptSection struct {
	Title string `json:"title"`
	HTML  string `json:"html"`
}

// Frozen is the report as text to store.
func (p Printed) Frozen(ctx context.Context) (string, error) {
	r, verdict := p.Report(), p.printed().verdict()
	k := Kept{Title: r.Title, Verdict: verdict, Use: r.Use, Foot: r.Foot,
		Facts: append(r.Facts, doc.Fact{Label: "Data", Value: "deleted " + store.Day(p.run.Wiped)})}
	if err := k.add(ctx, r.Sections...); err != nil {
		return "", err
	}
	return k.text()
}

// add renders sections into the report.
func (k *Kept) add(ctx context.Context, sections ...doc.Section) error {
	for _, s := range sections {
		var html bytes.Buffer
		for _, part := range render.Parts(s.Body) {
			if err := part.Render(ctx, &html); err != nil {
				return fmt.Errorf("render report: %w", err)
			}
		}
		if html.Len() > 0 {
			k.Sections = append(k.Sections, keptSection{s.Title, html.String()})
		}
	}
	return nil
}

// text is the report as it is stored.
func (k Kept) text() (string, error) {
	b, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("encode report: %w", err)
	}
	return string(b), nil
}

// Document is the report as it was printed.
func (k Kept) Document() doc.Document {
	r := doc.Document{Title: k.Title, Facts: k.Facts, Use: k.Use, Foot: k.Foot}
	for _, s := range k.Sections {
		r.Sections = append(r.Sections, doc.Section{Title: s.Title, Body: []doc.Node{doc.Part{View: templ.Raw(s.HTML)}}})
	}
	return r
}

// ReadKept reads a report as it was stored.
func ReadKept(text string) (k Kept, err error) {
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("read report: %w", err)
	}
	return k, nil
}

// Parts are the sections that the page of the run shows of it.
func (k Kept) Parts() (all []doc.Section) {
	for i, section := range k.Sections {
		if section.Title == "Verdict" || section.Title == "TRIPOD+AI" || section.Title == "Do it again" {
			continue
		}
		all = append(all, doc.Section{ID: fmt.Sprintf("kept-%d", i), Title: section.Title,
			Body: []doc.Node{doc.Part{View: templ.Raw(section.HTML)}}})
	}
	return all
}

// Moved is the report to store of a run whose risks are those of a kept
// model, moved. There is nothing left to judge it on, and it says so.
func Moved(ctx context.Context, child store.Run, o store.Origin) (string, error) {
	res := child.Result
	p := New(child, store.Dataset{}, Clinical{Model: res.Model, Origin: &o}).printed()
	report := Kept{Title: p.title(), Use: "Intended use: research and education. Not a medical device. Contains no " +
		"row-level data.", Foot: p.foot(),
		Verdict: append(p.open(), res.Warnings[0].Message, "An external validation shows how it does elsewhere.")}
	for _, f := range p.facts() {
		if f.Label != "Rows" {
			report.Facts = append(report.Facts, f)
		}
	}
	report.Facts = append(report.Facts, doc.Fact{Label: "Data", Value: "deleted " + store.Day(child.Wiped)})
	err := report.add(ctx,
		doc.Section{Title: "Verdict", Body: []doc.Node{doc.Verdict(report.Verdict)}},
		doc.Section{Title: "Model", Body: p.modelParts()},
		doc.Section{Title: "Do it again", Body: p.redoParts()})
	if err != nil {
		return "", err
	}
	return report.text()
}
