package format

import (
	"cmp"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// Statistic writes values of a statistic: shares in per cent, ratios with decimals by their size.
func Statistic(s stat.Statistic) func(float64) string { return doc.Of(s).Write }

// StatisticOf writes *v, or a dash.
func StatisticOf(s stat.Statistic, v *float64) string {
	if v == nil {
		return viz.None
	}
	return Statistic(s)(*v)
}

// WithUnit writes *v for a sentence, shares with a per cent sign.
func WithUnit(s stat.Statistic, v *float64) string {
	text := StatisticOf(s, v)
	if s.Unit == "%" && v != nil {
		text += Pc
	}
	return text
}

// SignedStatistic writes a difference of two values.
func SignedStatistic(s stat.Statistic, v float64) string {
	f := doc.Of(s)
	f.Signed = true
	return f.Write(v)
}

// better are the arrow and the words for each direction.
var better = map[stat.Direction][2]string{
	stat.HigherBetter: {"↑", "higher is better"}, stat.LowerBetter: {"↓", "lower is better"},
	stat.BestAtOne: {"→ 1", "1 is best"}, stat.BestAtZero: {"→ 0", "0 is best"},
}

// Arrow is the arrow of a direction, "" for neither.
func Arrow(d stat.Direction) string { return better[d][0] }

// DirectionWords says whether higher or lower values are better, "" for neither.
func DirectionWords(d stat.Direction) string { return better[d][1] }

// ShortLabel is the label of a statistic in a narrow column.
func ShortLabel(id string) string {
	s := stat.ByID(id)
	return cmp.Or(s.Short, s.Label)
}

// UnitAndDirection is the unit of a statistic and the direction of better values, for a table head.
func UnitAndDirection(s stat.Statistic) string {
	var each []string
	for _, text := range []string{s.Unit, DirectionWords(s.Better)} {
		if text != "" {
			each = append(each, text)
		}
	}
	return strings.Join(each, ", ")
}

// Describe defines a statistic: its meaning, the direction of better values, the method of its interval, and its
// source.
func Describe(s stat.Statistic) string {
	text := s.Text
	if words := DirectionWords(s.Better); words != "" {
		text += " " + phrase.UpperFirst(words) + "."
	}
	if s.How != "" {
		text += " 95" + Pc + " interval: " + s.How + "."
	}
	if s.Source != "" {
		text += " " + phrase.UpperFirst(s.Source) + "."
	}
	return text
}

// DescribeEach defines several statistics.
func DescribeEach(ids ...string) string {
	var each []string
	for _, id := range ids {
		s := stat.ByID(id)
		each = append(each, s.Label+": "+phrase.LowerFirst(s.Text))
	}
	return strings.Join(each, " ")
}

// IntervalOf writes the interval of a statistic or of its difference, between being the text between both limits.
func IntervalOf(s stat.Statistic, e stat.Estimate, difference bool, between string) string {
	switch {
	case e.Low == nil || e.High == nil:
		return viz.None
	case viz.Widthless(*e.Low, *e.High, difference):
		return viz.NoInterval
	}
	return StatisticOf(s, e.Low) + between + StatisticOf(s, e.High)
}

// Hows describes how the intervals of statistics are computed, grouped by method.
func Hows(list []stat.Statistic) string {
	var order []string
	labels := map[string][]string{}
	for _, s := range list {
		if s.How == "" {
			continue
		}
		if labels[s.How] == nil {
			order = append(order, s.How)
		}
		label := s.Label
		if len(labels[s.How]) > 0 {
			label = stat.InSentence(label)
		}
		labels[s.How] = append(labels[s.How], label)
	}
	text := ""
	for _, how := range order {
		text += strings.Join(labels[how], ", ") + ": " + how + ". "
	}
	return strings.TrimSuffix(text, " ")
}
