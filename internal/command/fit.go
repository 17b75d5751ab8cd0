package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"taper/internal/app/datasets"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/strict"
	"taper/internal/web/api"
	"taper/internal/web/format"
)

// Fit is a request to train. Spec holds fields of POST /api/v1/runs, from a file and from
// flags.
type Fit struct {
	Data   Data
	Spec   map[string]any
	Report string // a file, .html or .pdf; "" = none
	Counts string // of 1 to 9 in the report: "masked", "shown"

	// predictions to evaluate instead of training: columns, with a run for each (with several
	// classes one run for all), or a formula, "@FILE" for one in a file
	Predictions []string
	Formula     string
	Model       string // a file, model.json
}

// SpecFile reads the fields of a run from a file and keeps numbers as they are written.
func SpecFile(file string) (spec map[string]any, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&spec); err != nil {
		why, _ := usererr.As(strict.Explain(file, text, err))
		return nil, usererr.New(usererr.Invalid, "%s It must hold fields of POST /api/v1/runs or /api/v1/studies.",
			why.Detail)
	}
	return spec, nil
}

// Fit trains on a file or a dataset, waits, prints the result and writes the report.
func (s *Session) Fit(ctx context.Context, f Fit) error {
	if err := reportChoices(f.Report, f.Counts); err != nil {
		return err
	}
	d, _, err := s.load(ctx, f.Data)
	if err != nil {
		return flagged(err)
	}
	specs, err := f.judged()
	// So that none of the predictions becomes a predictor of the comparison regression.
	if err == nil && d.brought && len(f.Predictions) > 0 {
		err = s.predictions(ctx, &d, f.Predictions)
	}
	if err != nil && d.brought {
		return errors.Join(err, s.remove(ctx, d.ID))
	}
	for i := 0; err == nil && i < len(specs); i++ {
		f.Spec = specs[i]
		if err = s.fitOne(ctx, f, &d); err == nil && i+1 < len(specs) {
			fmt.Fprintln(s.Out)
		}
	}
	return err
}

// judged returns the specs of the runs: one, or one per column of predictions.
func (f *Fit) judged() ([]map[string]any, error) {
	model, _ := f.Spec["model"].(map[string]any)
	if f.Model != "" {
		b, err := os.ReadFile(f.Model)
		if err != nil {
			return nil, fileError(f.Model, err)
		}
		if !json.Valid(b) {
			return nil, usererr.New(usererr.Invalid, "%s is not JSON: -model names a model.json, as Taper writes it.", f.Model)
		}
		model["file"] = json.RawMessage(b)
	}
	if len(f.Predictions) == 0 && f.Formula == "" {
		return []map[string]any{f.Spec}, nil
	}
	if f.Formula != "" {
		text := f.Formula
		if file, named := strings.CutPrefix(text, "@"); named {
			b, err := os.ReadFile(file)
			if err != nil {
				return nil, fileError(file, err)
			}
			text = string(b)
		}
		model["formula"] = text
		return []map[string]any{f.Spec}, nil
	}
	if t, _ := f.Spec["task"].(string); t != "" && t != "interval" && t != "binary" { // one column per class
		model["columns"] = f.Predictions
		return []map[string]any{f.Spec}, nil
	}
	if f.Report != "" && len(f.Predictions) > 1 {
		return nil, NewMisuse("-o writes one report, and %d predictions are as many runs: leave -o out, and write each by "+
			"taper report RUN.", len(f.Predictions))
	}
	var all []map[string]any
	for _, column := range f.Predictions {
		spec, own := maps.Clone(f.Spec), maps.Clone(model)
		own["columns"] = []string{column}
		spec["model"] = own
		if spec["name"] == nil {
			spec["name"] = column
		}
		all = append(all, spec)
	}
	return all, nil
}

// predictions gives columns of a dataset the role prediction. A missing column is left for the
// run's error.
func (s *Session) predictions(ctx context.Context, d *loaded, columns []string) error {
	var p datasets.Patch
	for _, name := range columns {
		if !slices.ContainsFunc(d.Columns, func(c table.Profile) bool { return c.Name == name }) {
			continue
		}
		spec, err := json.Marshal(table.ColumnSpec{Name: name, Role: table.Prediction})
		if err != nil {
			return err
		}
		p.Columns = append(p.Columns, spec)
	}
	if len(p.Columns) == 0 {
		return nil
	}
	d.Dataset = api.Dataset{ID: d.ID}
	_, err := s.call(ctx, "PATCH", "/api/v1/datasets/"+d.ID, p, &d.Dataset)
	return err
}

// fitOne starts one run on a dataset, waits, prints the result and writes the report.
func (s *Session) fitOne(ctx context.Context, f Fit, d *loaded) error {
	queued, err := s.start(ctx, f, *d)
	if err != nil {
		if d.brought { // the file still exists
			err = errors.Join(err, s.remove(ctx, d.ID))
		}
		return err
	}
	d.brought = false // from here on the dataset has a run
	status, sentence, err := s.progress(ctx, "/api/v1/runs/"+queued.ID+"/events")
	if err != nil {
		return err
	}
	if status != store.Done {
		return usererr.New(usererr.Conflict, "The run %s is %s. %s", queued.ID, status, sentence)
	}
	if err := s.Run(ctx, queued.ID); err != nil {
		return err
	}
	if len(open(d.Dataset)) > 0 {
		s.say("Questions about the data are open, and the report says so. taper import FILE -ask settings.json writes them " +
			"into a file; -settings settings.json answers them from it.")
	}
	if f.Report == "" {
		return nil
	}
	return s.Report(ctx, queued.ID, f.Report, f.Counts)
}

// start queues the run. Outcome and event are from flags or settings, or from a dataset where a
// person chose the event; a suggested event is not used.
func (s *Session) start(ctx context.Context, f Fit, d loaded) (queued struct{ ID string }, err error) {
	if f.Spec["outcome"] == nil && d.Outcome == "" {
		return queued, whichOutcome(d.Dataset)
	}
	spec := map[string]any{"dataset": d.ID}
	given(spec, "outcome", d.Outcome, d.Outcome != "")
	if d.eventChosen {
		given(spec, "positive", d.Positive, len(d.Positive) > 0)
		given(spec, "negative", d.Negative, len(d.Negative) > 0)
		given(spec, "score_only", d.ScoreOnly, len(d.ScoreOnly) > 0)
	}
	given(spec, "group", d.Group, d.Group != "")
	given(spec, "weights", d.Weights, d.Weights != "")
	maps.Copy(spec, f.Spec)
	_, err = s.call(ctx, "POST", "/api/v1/runs", spec, &queued)
	return queued, flagged(err)
}

func given(spec map[string]any, field string, value any, there bool) {
	if there {
		spec[field] = value
	}
}

// whichOutcome is the question asked when no outcome was chosen.
func whichOutcome(d api.Dataset) error {
	likely := []string{}
	for _, w := range d.Warnings {
		for _, c := range w.Choices {
			if c.Outcome != nil && !slices.Contains(likely, c.Outcome.Column) {
				likely = append(likely, c.Outcome.Column)
			}
		}
	}
	of := "Likely: "
	if len(likely) == 0 {
		of = "Its columns: "
		for _, c := range d.Columns {
			likely = append(likely, c.Name)
		}
	}
	return &OpenQuestion{fmt.Sprintf("Which column of %s is the outcome? Name it with -outcome COLUMN. %s%s.", d.Name, of,
		format.Names(likely, 12))}
}

// flags maps fields of a run or a dataset to the flags that set them.
var flags = map[string]string{"outcome": "-outcome", "positive": "-event", "negative": "-other",
	"boundaries": "-boundaries", "predictors": "-predictors", "group": "-group", "weights": "-weights",
	"validation.folds": "-folds", "validation.repeats": "-repeats", "validation.test": "-test", "seed": "-seed",
	"task": "-task", "model.loss": "-loss", "model.kind": "-kind", "model.l2": "-l2",
	"model.columns": "-prediction", "model.scale": "-scale", "model.direction": "-direction",
	"model.formula": "-formula", "model.file": "-model", "name": "-name", "data": "-data"}

// flagged names fields by the flags that set them. A missing event becomes a question, and so does a non-event that
// could be several levels.
func flagged(err error) error {
	e, ok := usererr.As(err)
	if !ok {
		return err
	}
	for _, f := range e.Fields {
		field, place, _ := strings.Cut(f.Field, "[")
		name := flags[field]
		if name == "" {
			continue
		}
		if place != "" {
			name += "[" + place
		}
		if levels, ok := strings.CutPrefix(f.Message, "must name the event, "); ok {
			return &OpenQuestion{fmt.Sprintf("Which level of the outcome is the event? Name it with %s LEVEL, %s.", name,
				strings.TrimSuffix(levels, ", or a list of several"))}
		}
		if levels, ok := strings.CutPrefix(f.Message, "must name the other class, one of "); ok {
			levels, _, _ = strings.Cut(levels, ", or a list of several")
			return &OpenQuestion{fmt.Sprintf("Which level of the outcome is the non-event? Name it with %s LEVEL, one of %s; "+
				"with several such flags, all of them.", name, levels)}
		}
		sentence := fmt.Sprintf("%s %s.", name, f.Message)
		if strings.HasPrefix(f.Message, "must name ") {
			return &OpenQuestion{sentence}
		}
		return usererr.New(usererr.Invalid, "%s", sentence)
	}
	return err
}

// found is the printed part of a run.
type found struct {
	api.Run
	Metrics json.RawMessage `json:"metrics"`
}

// Run prints a run.
func (s *Session) Run(ctx context.Context, id string) error {
	var r found
	text, err := s.get(ctx, "/api/v1/runs/"+id, &r)
	if err != nil {
		return err
	}
	var of struct {
		Performance stat.Performance `json:"judged"`
	}
	if r.Result != nil && r.Classes == nil && !s.JSON {
		if _, err := s.get(ctx, "/api/v1/runs/"+id+"/statistics", &of); err != nil {
			return err
		}
	}
	return s.print(text, func(w *tabwriter.Writer) { runTables(w, r, of.Performance) })
}

// reportChoices refuses a report that cannot be written before anything is computed.
func reportChoices(file, counts string) error {
	if counts != "" && counts != "masked" && counts != "shown" {
		return usererr.New(usererr.Invalid, "-counts must be masked or shown (got %q).", counts)
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".html", ".htm":
		return nil
	case ".pdf":
		_, err := chromium()
		return err
	}
	if file == "" || file == "-" {
		return nil
	}
	return NewMisuse("-o names a file that ends in .html or .pdf (got %q).", file)
}

// Report writes the report of a run as one HTML file, or as PDF if Chromium is installed.
func (s *Session) Report(ctx context.Context, run, file, counts string) error {
	if err := reportChoices(file, counts); err != nil {
		return err
	}
	path := "/api/v1/runs/" + run + "/report?download=1"
	if counts != "" {
		path += "&counts=" + counts
	}
	return s.document(ctx, path, file)
}

// document writes a self-contained page, as HTML or PDF.
func (s *Session) document(ctx context.Context, path, file string) error {
	if strings.ToLower(filepath.Ext(file)) != ".pdf" {
		return s.save(ctx, file, path)
	}
	program, err := chromium()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "taper-print-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	page, printed := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.pdf")
	quiet := *s
	quiet.Err = io.Discard
	if err := quiet.save(ctx, page, path); err != nil {
		return err
	}
	// The page is self-contained; network access is switched off.
	args := []string{"--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--no-pdf-header-footer", "--print-to-pdf=" + printed, "file://" + page}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium needs it when run as root
	}
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("print by %s: %w: %s", program, err, out)
	}
	f, err := os.Open(printed)
	if err != nil {
		return fmt.Errorf("%s printed nothing: %w", program, err)
	}
	defer f.Close()
	return s.write(file, f)
}

// chromium finds an installed browser for printing.
func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", usererr.New(usererr.Invalid,
		"A PDF needs Chromium, which is not installed. Write .html, and print that from any browser.")
}
