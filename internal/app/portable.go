package app

import (
	"context"
	"strings"

	"taper/internal/calculator"
	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// Portable returns the model of a finished run for export: without data of single rows, as when
// data are deleted. Its error says why a model cannot be exported.
func (a *App) Portable(ctx context.Context, run string) (store.Run, *portable.Model, error) {
	r, err := a.db.Run(ctx, run)
	if err != nil {
		return r, nil, err
	}
	if err := r.RequireResult(); err != nil {
		return r, nil, err
	}
	if r.Result.Given != nil {
		fact, reason := r.Result.Given.NoModel()
		return r, nil, usererr.New(usererr.Conflict, "%s %s", fact, reason)
	}
	m, err := a.db.RunModel(ctx, run)
	if err != nil {
		return r, nil, err
	}
	if err := portable.Check(m); err != nil { // before loading the rows
		return r, nil, err
	}
	if r.Wiped.IsZero() {
		r, m = a.WithoutRows(r, m)
	}
	p, err := portable.New(m)
	return r, p, err
}

// Calculator returns the offline calculator for the model of a run.
func (a *App) Calculator(ctx context.Context, run string) (calculator.File, error) {
	r, m, err := a.Portable(ctx, run)
	if err != nil {
		return calculator.File{}, err
	}
	elsewhere, err := a.db.Evaluations(ctx, run)
	if err != nil {
		return calculator.File{}, err
	}
	return calculator.Make(m, aboutModel(r, m.Model, len(elsewhere)))
}

// aboutModel describes the origin of a model for the recipient of a copy; elsewhere is the number of files with the
// outcome on which it was evaluated later.
func aboutModel(r store.Run, m *model.Model, elsewhere int) calculator.About {
	about := calculator.About{Title: r.Name, Use: phrase.IntendedUse}
	add := func(label, text string) {
		if text != "" {
			about.Facts = append(about.Facts, [2]string{label, text})
		}
	}
	made := r.Finished
	if made.IsZero() {
		made = r.Created
	}
	if m.Multiclass() {
		about.Lead = "The class of " + m.Outcome + ": " + phrase.Join(m.Levels) + "."
		add("Outcome", m.Outcome+", "+strings.Join(m.Levels, " / "))
	} else {
		about.Lead = "The risk of " + m.Outcome + " = " + m.Levels[1] + ", in bands."
		add("Outcome", m.Outcome+", event = "+m.Positive.String())
	}
	add("Intended use", strings.TrimPrefix(phrase.IntendedUse, "Intended use: "))
	kind := "linear"
	if len(m.Trees) > 0 {
		kind = "trees" // the title has their number
	}
	add("Model", kind+", "+r.Spec.Title()+"; link: "+model.LinkName(m.Link))
	add("Fitted", made.UTC().Format("2 January 2006")+", Taper "+r.Version)
	data := r.DatasetName
	if len(r.DatasetSHA) >= 8 {
		data += ", SHA-256 " + r.DatasetSHA[:8] + "…"
	}
	if r.Result != nil && r.Result.Flow.Trained >= prep.MinRows {
		data += ", " + phrase.Count(r.Result.Flow.Trained, "row") + " trained on"
	}
	add("Data", data)
	add("Evaluated", evaluated(r.Spec.Validation, elsewhere))
	if r.Result != nil {
		if open := check.LeftOpen(r.Result.Warnings); open != "" {
			add("Limits", open+". The report of the run lists every question and what follows from it.")
		}
	}
	add("Outside the data", "There is no answer for a number that lies outside its training range, rounded outwards "+
		"here, by more than a quarter of that range, or for a level that is not in the training data.")
	add("Run", r.ID)
	return about
}

// Code returns the model of a run as a program in another language, or as an equation.
func (a *App) Code(ctx context.Context, run, language string) (portable.Code, error) {
	r, m, err := a.Portable(ctx, run)
	if err != nil {
		return portable.Code{}, err
	}
	return m.Code(language, "Taper "+r.Version+", run "+r.ID+", "+r.Name+": "+m.Outcome+". "+phrase.IntendedUse)
}

// evaluated says on which rows a model was tested.
func evaluated(v runspec.Validation, elsewhere int) string {
	own := phrase.Int(v.Folds) + "-fold cross-validation on these data"
	switch v.Kind {
	case "split":
		own = "on rows of these data that were held out"
	case "none":
		own = "on the rows it was trained on, which is too favourable"
	}
	if elsewhere == 0 {
		return own + "; on no other data"
	}
	return own + "; on " + phrase.Count(elsewhere, "other file")
}
