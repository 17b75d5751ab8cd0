package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"taper/cmd/web/wording"
	"taper/internal/engine/study"
	"taper/internal/engine/train"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// figureName is the short name of what a study redoes.
func (v studyShown) figureName() string {
	if v.known {
		return v.preset.Figure
	}
	return "Grid"
}

// sentence is the answer of a study.
func (v studyShown) sentence(status string) templ.Component {
	if len(v.cells) == 0 {
		return templates.Sentence("This study is "+status+".", "The page fills as its units finish.")
	}
	if status != store.Done {
		return templates.Sentence("This study is "+status+".", "What follows is what there is so far; it is not the final result.")
	}
	strong, rest := v.finding()
	return templates.Sentence(strong, rest)
}

// finding counts the reference numbers that hold, or says what a grid found.
func (v studyShown) finding() (strong, rest string) {
	all := v.verdicts()
	holds := 0
	for _, d := range all {
		if d.Holds {
			holds++
		}
	}
	switch {
	case len(all) == 0 && !v.known:
		if s := robustSentence(v.spec, v.cells, defaultRate(v.spec)); s[0] != "" {
			return s[0], s[1]
		}
	case len(all) == 0:
		if strong, rest = v.extreme(); strong == "" {
			strong = v.preset.Figure + ", redone."
			if f := v.figures(v.drawing.Metrics[0]); len(f) > 0 {
				rest = f[0].Sentence
			}
		}
		return strong, rest
	case holds == len(all) && holds == 1:
		return "The reference number holds.", v.lead()
	case holds == len(all) && holds == 2:
		return "Both reference numbers hold.", v.lead()
	case holds == len(all):
		return wording.UpperFirst("all " + wording.Small(holds) + " reference numbers hold."), v.lead()
	default:
		return fmt.Sprintf("%s of %s reference numbers hold.", wording.UpperFirst(wording.Small(holds)), wording.Small(len(all))), "The table says where ours differ."
	}
	return v.extreme()
}

// lead is the finding of the first figure.
func (v studyShown) lead() string {
	a, b := v.extreme()
	return strings.TrimSpace(a + " " + b)
}

// extreme is the sentence of the first figure without how it was made.
func (v studyShown) extreme() (strong, rest string) {
	for _, f := range v.figures(v.drawing.Metrics[0]) {
		if at := strings.LastIndex(f.Sentence, ". At "); at >= 0 {
			return f.Sentence[at+2:], ""
		}
		if at := strings.LastIndex(f.Sentence, ". From "); at >= 0 {
			return f.Sentence[at+2:], ""
		}
	}
	return "", ""
}

// specFacts lists what a study was asked.
func (v studyShown) specFacts() []templates.Fact {
	s := v.spec
	seed := templates.Fact{Label: "Seed", Value: strconv.FormatUint(s.Seed, 10)}
	if v.known {
		facts := []templates.Fact{{Label: "Redoes", Value: v.preset.Figure}, {Label: "Paper", Value: v.preset.Source}, {Label: "Size", Value: string(s.Size)}, seed}
		if s.Dataset.ID != "" {
			facts = append(facts, templates.Fact{Label: "Data", Value: "dataset " + s.Dataset.ID})
		}
		return facts
	}
	s = s.WithDefaults()
	facts := []templates.Fact{{Label: "Data", Value: sourceWords(s.Dataset)}, {Label: "Noise", Value: noiseKindWords(s.Noise.Kind) + ", " + rateWords(s.Noise.Rates) + wording.Pc}}
	for i, m := range s.Models {
		facts = append(facts, templates.Fact{Label: "Model " + strconv.Itoa(i+1), Value: study.Label(m)})
	}
	return append(facts, templates.Fact{Label: "Replicates", Value: strconv.Itoa(s.Replicates)}, templates.Fact{Label: "Judged on", Value: viz.Percent(s.Test, 0) + wording.Pc + " of the rows, clean"}, seed)
}

func sourceWords(d study.Source) string {
	if d.ID != "" {
		return "dataset " + d.ID
	}
	text := generatorTitle(d.Generator)
	if d.Rows > 0 {
		text += ", " + viz.Count(d.Rows) + " rows"
	}
	return text + ", drawn anew for each replicate"
}

// rateWords lists rates in per cent.
func rateWords(rates []float64) string {
	texts := make([]string, len(rates))
	for i, r := range rates {
		texts[i] = viz.Short(100*r, 4)
	}
	return strings.Join(texts, ", ")
}

// protocol says in words how a study is done.
func (v studyShown) protocol() []string {
	if v.known {
		return []string{v.preset.Protocol}
	}
	s := v.spec.WithDefaults()
	return []string{fmt.Sprintf("In each of %d replicates the rows are split at random, class by class: %s%s judge and stay clean, the others train. %s Every model sees the same rows, the same split and the same noise; columns are standardised by the rows that train. A rate spoils every row that a smaller rate spoils.",
		s.Replicates, viz.Percent(s.Test, 0), wording.Pc, noiseSentence(s.Noise.Kind))}
}

// call is the request that runs the study again.
func (v studyShown) call() string {
	body, err := json.MarshalIndent(v.spec, "", "  ")
	if err != nil {
		return ""
	}
	return "curl -X POST http://" + v.host + "/api/v1/studies \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
}

// studyTime words what is left of a study: of units measured in this sitting.
func studyTime(p train.Progress) string {
	if !(p.Fraction > 0 && p.Fraction < 1) || p.ETA < .5 {
		return ""
	}
	return "about " + duration(time.Duration(p.ETA*float64(time.Second))) + " left"
}

// duration writes a time as people do: 42 s, 3 min 20 s, 1 h 5 min.
func duration(d time.Duration) string {
	s := int(d.Seconds() + .5)
	switch {
	case s < 100:
		return strconv.Itoa(s) + wording.NBSP + "s"
	case s < 3600:
		return strconv.Itoa(s/60) + wording.NBSP + "min " + strconv.Itoa(s%60) + wording.NBSP + "s"
	}
	return strconv.Itoa(s/3600) + wording.NBSP + "h " + strconv.Itoa(s%3600/60) + wording.NBSP + "min"
}
