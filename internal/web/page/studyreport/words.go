package studyreport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/page/studyform"
	"taper/web/templates"
)

// FigureName is the short name of the figure that a study reproduces.
func (v Report) FigureName() string {
	if v.known {
		return v.preset.Figure
	}
	return "Own study"
}

// Sentence is the summary of a study.
func (v Report) Sentence(status string) templ.Component {
	if len(v.cells) == 0 {
		return templates.Sentence("This study is "+status+".", "Results appear as they finish.")
	}
	if status != store.Done {
		return templates.Sentence("This study is "+status+".", "These are the results so far, not the final ones.")
	}
	strong, rest := v.finding()
	return templates.Sentence(strong, rest)
}

// finding counts the numbers that replicated, or sums up a grid.
func (v Report) finding() (strong, rest string) {
	all := v.verdicts()
	all = slices.DeleteFunc(all, func(d study.Verdict) bool { return d.Allowed == nil }) // too few replicates
	holds := 0
	for _, d := range all {
		if d.Holds {
			holds++
		}
	}
	switch {
	case len(all) == 0 && !v.known:
		if s := Robustness(v.spec, v.cells, DefaultRate(v.spec)); s[0] != "" {
			return s[0], s[1]
		}
	case len(all) == 0:
		if strong = v.extreme(); strong == "" && v.spec.Size == study.Smoke {
			return v.preset.Figure + ", reproduced once:", "it runs. One replicate cannot rank methods."
		}
		if strong == "" {
			return v.preset.Figure + ", reproduced:", "no single number sums up this figure."
		}
		return strong, ""
	case holds == len(all) && holds == 1:
		return "The reference number replicated.", v.extreme()
	case holds == len(all) && holds == 2:
		return "Both reference numbers replicated.", v.extreme()
	case holds == len(all):
		return phrase.UpperFirst("all " + phrase.Numeral(holds) + " reference numbers replicated."), v.extreme()
	default:
		return fmt.Sprintf("%d of %d reference numbers replicated.", holds, len(all)), "The table shows which differ."
	}
	return v.extreme(), ""
}

// extreme is the finding of the first figure that has one.
func (v Report) extreme() string {
	for _, f := range v.figures(v.drawing.Metrics[0]) {
		if f.Finding != "" {
			return f.Finding
		}
	}
	return ""
}

// SpecFacts lists the settings of a study.
func (v Report) SpecFacts() []templates.Fact {
	s := v.spec
	seed := templates.Fact{Label: "Seed", Value: strconv.FormatUint(s.Seed, 10)}
	if v.known {
		facts := []templates.Fact{{Label: "Reproduces", Value: v.preset.Figure}, {Label: "Paper", Value: v.preset.Source},
			{Label: "Size", Value: string(s.Size)}, seed}
		if s.Dataset.ID != "" {
			facts = append(facts, templates.Fact{Label: "Data", Value: v.source()})
		}
		return facts
	}
	s = s.WithDefaults()
	facts := []templates.Fact{{Label: "Data", Value: v.source()},
		{Label: "Noise", Value: studyform.NoiseKind(s.Noise.Kind) + ", " + studyform.Rates(s.Noise.Rates) + format.Pc}}
	if len(s.Boundaries) > 0 {
		facts = append(facts, templates.Fact{Label: "Boundaries", Value: studyform.Rates(s.Boundaries) + format.Pc})
	}
	for i, m := range s.Models {
		facts = append(facts, templates.Fact{Label: "Model " + strconv.Itoa(i+1), Value: study.Label(m)})
	}
	return append(facts, templates.Fact{Label: "Replicates", Value: strconv.Itoa(s.Replicates)},
		templates.Fact{Label: "Test set", Value: viz.Percent(s.Test, 0) + format.Pc + " of the rows, clean labels"}, seed)
}

// source names the data.
func (v Report) source() string {
	d := v.spec.Dataset
	if d.ID != "" {
		return cmp.Or(v.Data, "dataset "+d.ID+", which is gone")
	}
	text := studyform.GeneratorTitle(d.Generator)
	if d.Rows > 0 {
		text += ", " + phrase.Int(d.Rows) + " rows"
	}
	return text + ", newly drawn for each replicate"
}

// protocol describes how a study is run.
func (v Report) protocol() []string {
	if v.known && v.spec.Dataset.ID != "" {
		_, words := v.preset.ForUpload()
		return []string{"The rows are those of " + v.source() + ".", viz.Unbroken(words)}
	}
	if v.known {
		return []string{viz.Unbroken(v.preset.Protocol)}
	}
	s := v.spec.WithDefaults()
	return []string{fmt.Sprintf("In each of %d replicates the rows are split at random, stratified by class: %s%s form "+
		"the test set and stay clean, the others train. %s Every model gets the same rows, split and noise; columns are "+
		"standardised by the training rows. Lower noise rates affect a subset of the rows of higher ones.",
		s.Replicates, viz.Percent(s.Test, 0), format.Pc, studyform.NoiseSentence(s.Noise.Kind))}
}

// again says how exactly a repetition agrees.
func (v Report) again() string {
	what, on := "numbers", ""
	if v.preset.MeasuresTime() {
		what = "counts"
	}
	if v.spec.Dataset.ID != "" {
		on = " on the same data"
	}
	say := "The same request" + on + " gives bit-identical " + what + " on any number of cores."
	if v.preset.MeasuresTime() {
		say += " Times are measured: they differ from run to run."
	}
	if len(v.Sets) > 0 {
		say += " For datasets that do not ship, upload the file first: see ‘Data’ above."
	}
	for _, c := range v.cells {
		if program, ok := study.UploadedProgram(c.Model); ok {
			return say + " The predictions of " + program + " were uploaded and are no part of it."
		}
	}
	return say
}

// call is the request that repeats the study.
func (v Report) call() string {
	body, err := json.MarshalIndent(v.spec, "", "  ")
	if err != nil {
		return ""
	}
	return "curl -X POST http://" + v.Host + "/api/v1/studies \\\n  -H 'Content-Type: application/json' \\\n  -d '" +
		strings.ReplaceAll(string(body), "'", `'\''`) + "'"
}
