package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"taper/cmd/web/wording"
	"taper/internal/engine"
	"taper/internal/engine/metric"
	"taper/internal/viz"
)

// verdict is engine.Verdict where print may say all of it. Where counts are
// masked, the sentences that hold them are said without; the judgement is the
// one that the full counts gave.
func (p Printed) verdict() []string {
	if p.several() {
		return p.classVerdict()
	}
	return p.withRefits(p.seen())
}

// mostSentences of a verdict.
const mostSentences = 5

// withRefits adds what the refits say, where there is room.
func (p Printed) withRefits(all []string) []string {
	b := p.c.checked()
	if b == nil || len(all) >= mostSentences || p.tells("interval_loss") {
		return all
	}
	text := "Corrected for optimism by " + viz.Count(b.Replicates) + " refits:"
	loss, auc := correctedOf(b, "interval_loss").Value, correctedOf(b, "auc").Value
	if loss == nil || auc == nil {
		return all
	}
	return append(all, text+" interval loss "+viz.Number(*loss, 3)+", AUC "+viz.Number(*auc, 3)+".")
}

// seen is the verdict on the rows that judge.
func (p Printed) seen() []string {
	full := engine.Verdict(p.r)
	if !p.Strata.Hidden() && p.decimals == 3 || len(full) == 0 {
		return full
	}
	for _, s := range p.r.Strata {
		if s.N == p.r.Flow.Scored { // engine.Verdict says so and compares the losses
			return []string{"All rows fall in one band, " + bandWords(s) + ".", p.lossSentence()}
		}
	}
	return append(p.bandSentences(full[0]), p.lossSentence())
}

// bandSentences go through the verdicts of the bands; first is what the full
// counts say of those inside, which holds row counts only.
func (p Printed) bandSentences(first string) []string {
	inside, compatible := p.bandsWith(metric.Inside), p.bandsWith(metric.Compatible)
	off, few := p.bandsWith(metric.Unclear, metric.Outside), p.bandsWith(metric.TooFew)
	if !p.sizesShown() {
		rise := "rates rise from band to band."
		if !p.r.Monotone {
			rise = "rates do not rise from band to band."
		}
		first = "No band has a confidence interval that lies inside its label; " + rise
		if len(inside) > 0 {
			first = "The observed rate agrees with the band " + wording.List(inside) + "; " + rise
		}
	}
	all := []string{first}
	for _, say := range []struct {
		names     []string
		one, many string
	}{
		{compatible, "The band %s is compatible with its label; its confidence interval reaches beyond it.", "The bands %s are compatible with their labels; their confidence intervals reach beyond them."},
		{off, "In the band %s the observed rate lies outside the label.", "In the bands %s the observed rates lie outside the labels."},
		{few, "The band %s holds too few rows or events to judge.", "The bands %s hold too few rows or events to judge."},
	} {
		switch len(say.names) {
		case 0:
		case 1:
			all = append(all, fmt.Sprintf(say.one, say.names[0]))
		default:
			all = append(all, fmt.Sprintf(say.many, wording.List(say.names)))
		}
	}
	return all
}

// sizesShown reports whether print gives the rows of every band.
func (p Printed) sizesShown() bool {
	for _, m := range p.Strata.Rows {
		if !m.N.Shown() {
			return false
		}
	}
	return p.Strata.Total.N.Shown()
}

func (p Printed) bandsWith(verdicts ...string) []string {
	var names []string
	for _, s := range p.r.Strata {
		if slices.Contains(verdicts, s.Verdict) && s.N > 0 {
			names = append(names, bandWords(s))
		}
	}
	return names
}

// bandWords names a band in a sentence.
func bandWords(s metric.Stratum) string {
	low, high := viz.Short(100*s.Lower, 4), viz.Short(100*s.Upper, 4)
	switch {
	case s.Lower <= 0:
		return "at most " + high + wording.Pc
	case s.Upper >= 1:
		return "above " + low + wording.Pc
	}
	return "from " + low + " to " + high + wording.Pc
}

// LossText writes the model's own interval loss as exactly as the masked
// counts allow.
func (p Printed) LossText() string {
	v := p.r.Metrics.Test.IntervalLoss
	if v == nil {
		return viz.None
	}
	if p.decimals > 0 {
		return viz.Number(*v, p.decimals)
	}
	low, high := viz.LossRange(p.r.Boundaries, p.Strata)
	return viz.Range(viz.Number(low, 2), viz.Number(high, 2))
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
		case b.DifferenceSE == nil || !(math.Abs(*b.Difference) > metric.Z95**b.DifferenceSE):
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
