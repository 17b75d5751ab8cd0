package main

import (
	"fmt"
	"regexp"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/metric"
	"taper/internal/viz"
)

// verdict is engine.Verdict where print may say all of it. Where counts are
// masked the same is said without them: the judgement is the one that the full
// counts gave.
func (p printed) verdict() []string {
	full := engine.Verdict(p.r)
	if !p.strata.Hidden() && p.decimals == 3 {
		return full
	}
	var all []string
	for _, say := range []struct {
		verdict, one, many string
	}{
		{metric.Inside, "In the band %s the observed rate agrees with the band.", "In the bands %s the observed rate agrees with the band."},
		{metric.Compatible, "The band %s is compatible with its label; its confidence interval reaches beyond it.", "The bands %s are compatible with their labels; their confidence intervals reach beyond them."},
		{metric.Unclear, "In the band %s the observed rate lies outside the band; its confidence interval reaches in.", "In the bands %s the observed rates lie outside the bands; their confidence intervals reach in."},
		{metric.Outside, "In the band %s the observed rate lies outside the band.", "In the bands %s the observed rates lie outside the bands."},
		{metric.TooFew, "The band %s holds too few rows or events to judge.", "The bands %s hold too few rows or events to judge."},
	} {
		switch names := p.bandsWith(say.verdict); len(names) {
		case 0:
		case 1:
			all = append(all, fmt.Sprintf(say.one, names[0]))
		default:
			all = append(all, fmt.Sprintf(say.many, enumerated(names)))
		}
	}
	rise := "Rates rise from band to band."
	if !p.r.Monotone {
		rise = "Rates do not rise from band to band."
	}
	all = append(all, rise+" "+p.lossSentence())
	if len(all) > 5 { // unclear and outside are one finding
		all = append(all[:2], append([]string{all[2] + " " + all[3]}, all[4:]...)...)
	}
	return all
}

func (p printed) bandsWith(verdict string) []string {
	var names []string
	for _, s := range p.r.Strata {
		if s.Verdict == verdict && s.N > 0 {
			names = append(names, viz.BandName(s.Lower, s.Upper))
		}
	}
	return names
}

// enumerated writes a list in words.
func enumerated(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// lossText writes the model's own interval loss as exactly as the masked
// counts allow.
func (p printed) lossText() string {
	v := p.r.Metrics.Test.IntervalLoss
	if v == nil {
		return viz.None
	}
	if p.decimals > 0 {
		return viz.Number(*v, p.decimals)
	}
	low, high := viz.LossRange(p.r.Boundaries, p.strata)
	return viz.Range(viz.Number(low, 2), viz.Number(high, 2))
}

// lossSentence compares the losses and says which model did better.
func (p printed) lossSentence() string {
	where := "rows not seen in training"
	if p.r.Apparent {
		where = "the rows trained on"
	}
	text := "Interval loss on " + where + ": " + p.lossText()
	for _, b := range p.r.Beside {
		if b.ID != "logistic" || b.Difference == nil {
			continue
		}
		switch {
		case b.DifferenceSE == nil || !(abs(*b.Difference) > metric.Z95**b.DifferenceSE):
			text += "; logistic regression cut at the same boundaries shows no clear difference"
		case *b.Difference < 0:
			text += "; logistic regression cut at the same boundaries is better"
		default:
			text += "; logistic regression cut at the same boundaries is worse"
		}
	}
	return text + "."
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// smallCount finds "3 rows" and the like, not the end of "1,203 rows".
var smallCount = regexp.MustCompile(`(^|[^\d.,–−-])([1-9])(\s|\x{00a0})(rows?|events?|values?|patients?|people|cells?)\b`)

// masked hides small counts in a sentence that was written for the screen.
func masked(text string) string {
	text = smallCount.ReplaceAllString(text, "${1}fewer than 10 $4")
	if strings.HasPrefix(text, "fewer") {
		text = "F" + text[1:]
	}
	return strings.NewReplacer("than 10 row ", "than 10 rows ", "than 10 event ", "than 10 events ", "than 10 value ", "than 10 values ").Replace(text)
}
