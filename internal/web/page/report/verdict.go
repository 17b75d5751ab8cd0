package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

func (p Printed) verdictParts() []doc.Node { return []doc.Node{doc.Verdict(p.verdict())} }

// verdict is engine.Verdict where print may say all of it. Where counts are
// masked, the sentences that hold them are said without, and of a band whose
// verdict would tell them, only that it is masked.
func (p Printed) verdict() []string {
	if p.several() {
		return p.classVerdict()
	}
	all := p.withRefits(p.seen())
	if p.c.Origin != nil {
		all = append([]string{p.movedSentence()}, all...)
	}
	return append(p.open(), all[:min(len(all), mostSentences)]...)
}

// open are the harmful questions that nobody answered: a verdict begins with them.
func (p Printed) open() []string {
	var all []string
	for _, text := range engine.Unanswered(p.r) {
		all = append(all, masked(text))
	}
	return all
}

// mostSentences of a verdict about the numbers.
const mostSentences = 5

// withRefits adds what the refits say, where there is room.
func (p Printed) withRefits(all []string) []string {
	b := p.c.checked()
	if b == nil || len(all) >= mostSentences || p.tells(stat.ByID(intervalLoss)) {
		return all
	}
	text := "Corrected for optimism by " + viz.Count(b.Replicates) + " refits:"
	loss, auc := correctedOf(b, intervalLoss).Value, correctedOf(b, "auc").Value
	if loss == nil || auc == nil {
		return all
	}
	return append(all, text+" interval loss "+viz.Number(*loss, 3)+", AUC "+viz.Number(*auc, 3)+".")
}

// seen is the verdict on the rows that judge.
func (p Printed) seen() []string {
	if !p.strata.Hidden() && p.decimals == 3 {
		return engine.Findings(p.r)
	}
	if p.r.NoPredictor {
		return []string{engine.Unused(p.r), p.lossSentence()}
	}
	for _, s := range p.r.Strata {
		if s.N > 0 && s.N == p.r.Flow.Scored { // engine.Findings says so and compares the losses
			return []string{"All rows fall in one band, " + bandWords(s) + ".", p.lossSentence()}
		}
	}
	return append(p.bandSentences(), p.lossSentence())
}

// word is the verdict on band j as print may say it; of a kept run it was
// stored so.
func (p Printed) word(j int) string {
	s, m := p.r.Strata[j], p.strata.Rows[j]
	if s.Masked || m.N.Shown() && m.Events.Shown() {
		return s.Verdict
	}
	return m.Verdict(s.Lower, s.Upper)
}

// bandSentences go through the verdicts of the bands.
func (p Printed) bandSentences() []string {
	all := []string{p.insideSentence()}
	for _, clauses := range [][]string{
		{naming(p.bandsWith(stat.Compatible),
			"The band %s is compatible with its label; its confidence interval reaches beyond it",
			"The bands %s are compatible with their labels; their confidence intervals reach beyond them")},
		{naming(p.bandsWith(stat.Unclear, stat.Outside), "In the band %s the observed rate lies outside the label",
			"In the bands %s the observed rates lie outside the labels")},
		{naming(p.bandsWith(stat.TooFew), "The band %s holds too few rows or events to judge",
			"The bands %s hold too few rows or events to judge"),
			naming(p.bandsWith(stat.Masked), "The verdict on the band %s is masked with its counts",
				"The verdicts on the bands %s are masked with their counts")},
	} {
		if clauses = slices.DeleteFunc(clauses, func(c string) bool { return c == "" }); len(clauses) > 0 {
			for i := range clauses[1:] {
				clauses[1+i] = format.LowerFirst(clauses[1+i])
			}
			all = append(all, strings.Join(clauses, "; ")+".")
		}
	}
	return all
}

// naming words a list of bands; "" of none.
func naming(names []string, one, many string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(one, names[0])
	}
	return fmt.Sprintf(many, format.List(names))
}

// insideSentence names the bands whose rate agrees with them, and says whether
// rates rise where the print shows it.
func (p Printed) insideSentence() string {
	names, rows := p.bandsWith(stat.Inside), mask.Span{}
	for j, m := range p.strata.Rows {
		if p.word(j) == stat.Inside {
			rows = plus(rows, m.N)
		}
	}
	text := "No band has a confidence interval that lies inside its label"
	switch {
	case len(names) > 0 && p.strata.Total.N.Shown() && rows.Shown():
		text = "Of " + format.Count(p.strata.Total.N.Low, "row") + ", " + viz.Count(rows.Low) + " lie in " +
			naming(names, "one band whose observed rate agrees with the band: %s", format.Small(len(names))+
				" bands whose observed rate agrees with the band: %s")
	case len(names) > 0:
		text = naming(names, "The observed rate agrees with the band %s", "The observed rates agree with the bands %s")
	case len(p.bandsWith(stat.Masked)) > 0:
		text = "No band whose verdict is printed has a confidence interval that lies inside its label"
	}
	switch rise, certain := p.strata.Rise(); {
	case !certain:
		return text + "."
	case !rise:
		return text + "; rates do not rise from band to band."
	}
	return text + "; rates rise from band to band."
}

// fallTold reports whether print may say that rates do not rise.
func (p Printed) fallTold() bool {
	rise, certain := p.strata.Rise()
	return certain && !rise
}

// bandsWith names the bands that print gives one of the verdicts.
func (p Printed) bandsWith(verdicts ...string) []string {
	var names []string
	for j, s := range p.r.Strata {
		if slices.Contains(verdicts, p.word(j)) && p.strata.Rows[j].N.High > 0 {
			names = append(names, bandWords(s))
		}
	}
	return names
}

// bandWords names a band in a sentence.
func bandWords(s stat.Stratum) string {
	low, high := viz.Short(100*s.Lower, 4), viz.Short(100*s.Upper, 4)
	switch {
	case s.Lower <= 0:
		return "at most " + high + format.Pc
	case s.Upper >= 1:
		return "above " + low + format.Pc
	}
	return "from " + low + " to " + high + format.Pc
}

// LossText writes the model's own interval loss as exactly as the masked
// counts allow.
func (p Printed) LossText() string {
	return lossText(p.r, p.strata, p.decimals)
}

// lossSentence compares the losses and says which model did better.
func (p Printed) lossSentence() string {
	where := "rows not seen in training"
	if p.r.Apparent {
		where = "the rows trained on"
	}
	text := "Interval loss on " + where + ": " + p.LossText()
	for _, b := range p.r.Beside {
		if b.ID != "logistic" || b.Difference == nil {
			continue
		}
		switch {
		case b.DifferenceSE == nil || !(math.Abs(*b.Difference) > stat.Z95**b.DifferenceSE):
			text += "; logistic regression cut at the same boundaries shows no clear difference"
		case *b.Difference < 0:
			text += "; logistic regression cut at the same boundaries is better"
		default:
			text += "; logistic regression cut at the same boundaries is worse"
		}
	}
	return text + "."
}

// smallCount finds "3 rows" and the like, not the end of "1,203 rows".
var smallCount = regexp.MustCompile(`(^|[^\d.,–−-])([1-9])(\s|\x{00a0})(row|event|value|patient|group|label)s?\b`)

// masked hides small counts in a sentence that was written for the screen.
func masked(text string) string {
	text = smallCount.ReplaceAllString(text, "${1}fewer than 10 ${4}s")
	if strings.HasPrefix(text, "fewer") {
		text = "F" + text[1:]
	}
	return text
}
