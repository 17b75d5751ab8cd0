// Package data makes the pages of datasets: their list, and for each the questions about its file, from the dialect
// to the outcome. It also reads the forms with the answers.
package data

import (
	"fmt"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/testdata"
	"taper/web/templates"
)

// List is a page of the list of datasets, with the samples and forms beside it.
type List struct {
	Datasets      []store.Dataset
	Keep          map[string]store.Keepable // by id: the parts of its runs that can stay
	Samples       map[string]string         // ids of the loaded samples, by file
	Offset, Total int
	Limits        table.Limits
	Loss          Loss // chosen before there was a dataset
}

// Shown is the number of datasets on one page.
const Shown = 50

// View is the page of the list; problem is the error of the last form, nil for none.
func (l List) View(problem *templates.Banner) templates.DataList {
	v := templates.DataList{
		Problem: problem, Loss: l.Loss.Title(), WithoutLoss: "/data", Upload: l.Loss.On("/data"),
		Paste: l.Loss.On("/data/paste"), Generate: l.Loss.On("/data/generate"), Sample: l.Loss.On("/data/sample"),
		Samples: samplesView(l.Samples, l.Loss), Generators: generatorOptions(), GenRows: "400",
		Seed:     "7",
		Limits:   "CSV, TSV or Excel, up to " + format.Limits(l.Limits) + "." + l.rate(),
		MaxBytes: strconv.FormatInt(l.Limits.Bytes, 10), MaxText: format.Megabytes(l.Limits.Bytes) + phrase.NBSP +
			"MB, the limit",
		Newer: l.pageURL(l.Offset-Shown, l.Offset > 0), Older: l.pageURL(l.Offset+Shown, l.Offset+Shown < l.Total),
	}
	for _, d := range l.Datasets {
		v.Datasets = append(v.Datasets, l.item(d))
	}
	return v
}

// rate says how long reading takes, by the largest file of the page that took long enough to tell; "" without one.
func (l List) rate() string {
	var by store.Dataset
	for _, d := range l.Datasets {
		if d.Bytes >= 10<<20 && d.ReadMS > 0 && d.Bytes > by.Bytes {
			by = d
		}
	}
	if by.ReadMS == 0 {
		return ""
	}
	each := time.Duration(float64(by.ReadMS) * (100 << 20) / float64(by.Bytes) * float64(time.Millisecond))
	return fmt.Sprintf(" Reading takes about %s per 100%sMB here, as measured with ‘%s’.", format.Duration(each),
		phrase.NBSP, by.Name)
}

func (l List) pageURL(offset int, there bool) string {
	if !there {
		return ""
	}
	return l.Loss.On("/data?offset=" + strconv.Itoa(max(0, offset)))
}

func samplesView(have map[string]string, l Loss) []templates.DataSample {
	var out []templates.DataSample
	for _, f := range testdata.Samples {
		v := templates.DataSample{Name: f.Name, File: f.File, Description: phrase.UpperFirst(f.Source) + "."}
		if !f.Simulated {
			v.Description += " " + f.Licence + "."
		}
		if id := have[f.File]; id != "" {
			v.URL = l.On("/data/" + id)
		}
		out = append(out, v)
	}
	return out
}

func generatorOptions() []templates.Option {
	var out []templates.Option
	for _, g := range synth.Generators {
		out = append(out, templates.Option{Value: g.ID, Label: g.Title, On: g.ID == "adni-like"})
	}
	return out
}

func (l List) item(d store.Dataset) templates.DataItem {
	v := templates.DataItem{
		ID: d.ID, URL: l.Loss.On("/data/" + d.ID), Name: d.Name, File: d.File, Rows: phrase.Int(d.Rows),
		Size: sizeText(d.Bytes), Outcome: d.Choice.Outcome, Runs: phrase.Int(d.Runs), Chips: kindChips(d),
		Delete: DeleteDialog(d, l.Keep[d.ID]), DeleteURL: "/data/" + d.ID + "/delete",
		Added: d.Created.Local().Format("2006-01-02 15:04"), AddedAt: d.Created.UTC().Format(time.RFC3339), State: "the file",
	}
	switch d.State {
	case store.Draft:
		v.Rows, v.Outcome = viz.None, ""
		v.Chips = append(v.Chips, templates.Chip{Icon: "warn", Label: "not readable yet", Kind: "warn"})
	case store.Kept:
		v.State = phrase.Count(len(d.Profiles), "column")
	}
	if d.State != store.Draft && v.Outcome == "" {
		v.Outcome = viz.None
	}
	return v
}

// kindChips label data that are not a user's own.
func kindChips(d store.Dataset) []templates.Chip {
	var out []templates.Chip
	if d.Sample {
		out = append(out, templates.Chip{Label: "sample"})
	}
	if d.Simulated {
		out = append(out, templates.Chip{Label: "simulated"})
	}
	return out
}

// DeleteDialog asks for confirmation before a dataset is deleted, with the numbers of lost records. Runs whose
// models do not need the rows may stay.
func DeleteDialog(d store.Dataset, keep store.Keepable) templates.Dialog {
	what, button := "The file", "Delete file"
	if d.State == store.Kept {
		what, button = "The kept columns", "Delete columns"
	}
	text := what + " and everything read from it"
	switch {
	case d.Runs > 0:
		text = fmt.Sprintf("%s, its %s and their rows", what, phrase.Count(d.Runs, "run"))
		if d.Runs == 1 {
			text = what + ", its run and the rows of it"
		}
		button += " and " + phrase.Count(d.Runs, "run")
	case d.State == store.Kept:
		text = what
	}
	q := templates.Dialog{
		ID: "delete-" + d.ID, Question: "Delete " + d.Name + "?", Text: text +
			" are wiped from this machine. This cannot be undone.",
		Keep: "Keep", Do: templates.Button{Label: button, Icon: "trash", Kind: "bad", Method: "POST", URL: "/data/" + d.ID +
			"/delete"},
	}
	switch {
	case keep.Models > 0:
		q.Keep, q.More = "Keep everything", keepText(d.Runs, keep)
		q.Other = &templates.Button{Label: "Keep the models, delete the data", Method: "POST", URL: q.Do.URL,
			Fields: []templates.Field{{Name: "models", Value: datasets.ModelsKept}}}
		if keep.Models == 1 {
			q.Other.Label = "Keep the model, delete the data"
		}
	case keep.Kernels > 0:
		q.Text += " A kernel model is a sum over rows and cannot be kept without them."
	}
	return q
}

// keepText says what stays where models are kept, and what is deleted anyway.
func keepText(runs int, keep store.Keepable) string {
	text := "The model of one run can be kept"
	if keep.Models > 1 {
		text = "The models of " + phrase.Int(keep.Models) + " runs can be kept"
	}
	text += " without the rows: settings, report and model.json, which scores new files. Names of columns and levels " +
		"stay in the model; row lists, comparisons, audits and bootstrap results are deleted."
	if n := keep.Kernels; n > 0 {
		text += " A kernel model is a sum over rows and cannot be kept (" + phrase.Count(n, "run") + ")."
	}
	if n := runs - keep.Models - keep.Kernels; n > 0 {
		text += " A run without a result goes (" + phrase.Int(n) + ")."
	}
	return text
}

// sizeText writes a number of bytes.
func sizeText(n int64) string {
	v, units := float64(n), []string{"bytes", "kB", "MB", "GB"}
	for v >= 999.5 && len(units) > 1 {
		v, units = v/1000, units[1:]
	}
	digits := 0
	if units[0] != "bytes" && v < 99.95 {
		digits = 1
	}
	return viz.Number(v, digits) + phrase.NBSP + units[0]
}

// Sentence gives the number of datasets.
func (l List) Sentence() templ.Component {
	switch l.Total {
	case 0:
		return templates.Sentence("No data yet.", "Upload a table with one row per patient: it stays on this machine.")
	case 1:
		return templates.Sentence("One dataset", "is stored on this machine only.")
	}
	return templates.Sentence(phrase.UpperFirst(phrase.Numeral(l.Total))+" datasets",
		"are stored on this machine only.")
}
