package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/a-h/templ"

	"taper/cmd/web/runview"
	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/store"
	"taper/web/templates"
)

// keptReport is a report as it stood when the data of its run were wiped. What
// it says of rows is masked already and cannot be made again.
type keptReport struct {
	Title    string           `json:"title"`
	Verdict  []string         `json:"verdict"`
	Facts    []templates.Fact `json:"facts"`
	Use      string           `json:"use"`
	Sections []keptSection    `json:"sections"`
	Foot     []string         `json:"foot"`
}

// keptSection is a part of it, as this program wrote it.
type keptSection struct {
	Title string `json:"title"`
	HTML  string `json:"html"`
}

// frozen is the report as text to store.
func (p printed) frozen(ctx context.Context) (string, error) {
	var r templates.Report
	var verdict []string
	if p.r.Classes != nil {
		r, verdict = classReport(p.run, p.data), p.classVerdict()
	} else {
		r, verdict = p.report(), p.verdict()
	}
	k := keptReport{Title: r.Title, Verdict: verdict, Use: r.Use, Foot: r.Foot,
		Facts: append(r.Facts, templates.Fact{Label: "Data", Value: "deleted " + store.Day(p.run.Wiped)})}
	if err := k.add(ctx, r.Sections...); err != nil {
		return "", err
	}
	return k.text()
}

// add renders sections into the report.
func (k *keptReport) add(ctx context.Context, sections ...templates.ReportSection) error {
	for _, s := range sections {
		var html bytes.Buffer
		for _, part := range s.Parts {
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
func (k keptReport) text() (string, error) {
	b, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("encode report: %w", err)
	}
	return string(b), nil
}

// classVerdict is the verdict on several classes.
func (p printed) classVerdict() []string {
	strong, rest := runview.ClassHeadline(p.r.Classes)
	return []string{strong + " " + rest}
}

// keptReport reads the report of a run whose data are wiped.
func (s *Server) keptReport(ctx context.Context, id string) (k keptReport, err error) {
	text, err := s.db.KeptReport(ctx, id)
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("read report: %w", err)
	}
	return k, nil
}

// view is the report as the page shows it.
func (k keptReport) view(run string) templates.Report {
	r := templates.Report{Run: run, Title: k.Title, Facts: k.Facts, Use: k.Use, Foot: k.Foot}
	for _, s := range k.Sections {
		r.Sections = append(r.Sections, templates.ReportSection{Title: s.Title, Parts: []templ.Component{templ.Raw(s.HTML)}})
	}
	return r
}

// keptPage shows a run whose data are wiped: what was found, as the report has
// it, and what the model can still do.
func (s *Server) keptPage(ctx context.Context, r store.Run, p *templates.Page, v *templates.Run) error {
	k, err := s.keptReport(ctx, r.ID)
	if err != nil {
		return err
	}
	m, err := s.db.RunModel(ctx, r.ID)
	if err != nil {
		return err
	}
	use, err := s.runUse(ctx, r)
	if err != nil {
		return err
	}
	p.Result = templates.Sentence("The model was kept, its data were deleted", "on "+store.Day(r.Wiped)+".")
	v.Verdict, v.Use = k.Verdict, templates.RunUseView(use)
	v.Kept = &templates.KeptModel{Fact: "No row of the data is left on this machine.",
		Text: "The settings, the model and the report as it stood remain; counts of 1 to 9 are masked in it. Names of columns and levels stay in the model. Anything that needs the rows is gone: the list of rows, comparisons, audits, checks by refits."}
	for i, section := range k.Sections {
		if section.Title == "Verdict" || section.Title == "TRIPOD+AI" || section.Title == "Do it again" {
			continue
		}
		v.Kept.Sections = append(v.Kept.Sections, templates.ClinicalSection{ID: fmt.Sprintf("kept-%d", i), Title: section.Title, Parts: []templ.Component{templ.Raw(section.HTML)}})
	}
	if r.Spec.Several() || m.Link != engine.LinkLogistic && m.Link != engine.LinkScaled || len(m.Trees) > 0 {
		return nil
	}
	say := clinical{run: r, r: r.Result, model: m}
	if say.origin, err = s.db.RunOrigin(ctx, r.ID); err != nil {
		return err
	}
	if say.asked, err = s.askedBy(ctx, say.origin); err != nil {
		return err
	}
	v.Kept.Sections = append(v.Kept.Sections, templates.ClinicalSection{ID: "population", Title: "Another population", Say: say.populationSay(),
		Parts: []templ.Component{templates.RecalibrateView("/runs/" + r.ID + "/recalibrate")}})
	if say.asked != nil {
		v.Kept.Sections = append(v.Kept.Sections, say.askedSection())
	}
	return nil
}

// movedKept stores a run with the risks of a kept model moved to logit P = a + b
// · logit p. There is nothing left to judge it on, and its report says so.
func (s *Server) movedKept(ctx context.Context, r store.Run, m *engine.Model, o store.Origin) (string, error) {
	res, err := engine.RecalibratedModel(r.Result, r.Spec, m, o.Intercept, o.Slope)
	if err != nil {
		return "", err
	}
	k := store.KeptRun{Run: s.db.NewID("r"), Spec: r.Spec, Result: res, Model: res.Model}
	child := store.Run{ID: k.Run, Name: wording.Cut(r.Name, maxName-40) + ", recalibrated", Version: version, DatasetName: r.DatasetName, DatasetSHA: r.DatasetSHA,
		Created: s.now(), Wiped: r.Wiped, Spec: r.Spec, Result: res}
	p := newPrinted(child, store.Dataset{}, clinical{run: child, r: res, model: res.Model, origin: &o})
	report := keptReport{Title: p.title(), Use: "Intended use: research and education. Not a medical device. Contains no row-level data.", Foot: p.foot(),
		Verdict: []string{res.Warnings[0].Message, "An external validation shows how it does elsewhere."}}
	for _, f := range p.facts() {
		if f.Label != "Rows" {
			report.Facts = append(report.Facts, f)
		}
	}
	report.Facts = append(report.Facts, templates.Fact{Label: "Data", Value: "deleted " + store.Day(r.Wiped)})
	err = report.add(ctx,
		templates.ReportSection{Title: "Verdict", Parts: []templ.Component{templates.ReportVerdict(report.Verdict)}},
		templates.ReportSection{Title: "Model", Parts: p.modelParts()},
		templates.ReportSection{Title: "Do it again", Parts: p.redoParts()})
	if err != nil {
		return "", err
	}
	if k.Report, err = report.text(); err != nil {
		return "", err
	}
	return child.ID, s.db.AddKept(ctx, child, k, o)
}
