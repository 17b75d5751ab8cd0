package format

import (
	"cmp"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
)

// Statistic writes values of a statistic: shares in per cent, ratios with the
// decimals that their size asks for.
func Statistic(s stat.Statistic) func(float64) string { return doc.Of(s).Write }

// StatisticOf writes *v, or a dash.
func StatisticOf(s stat.Statistic, v *float64) string {
	if v == nil {
		return viz.None
	}
	return Statistic(s)(*v)
}

// WithUnit writes *v in a sentence, with the sign of per cent where it is a share.
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

// better are the sign of a direction and its words.
var better = map[stat.Direction][2]string{
	stat.HigherBetter: {"↑", "higher is better"}, stat.LowerBetter: {"↓", "lower is better"},
	stat.BestAtOne: {"→ 1", "1 is best"}, stat.BestAtZero: {"→ 0", "0 is best"},
}

// Arrow is the sign of a direction, "" for neither.
func Arrow(d stat.Direction) string { return better[d][0] }

// DirectionWords says which of two values is the better one, "" for neither.
func DirectionWords(d stat.Direction) string { return better[d][1] }

// ShortLabel is the label of a statistic in a narrow column.
func ShortLabel(id string) string {
	s := stat.ByID(id)
	return cmp.Or(s.Short, s.Label)
}

// UnitAndDirection is what a table says of a statistic behind its label: the unit, and
// which way is better.
func UnitAndDirection(s stat.Statistic) string {
	var each []string
	for _, text := range []string{s.Unit, DirectionWords(s.Better)} {
		if text != "" {
			each = append(each, text)
		}
	}
	return strings.Join(each, ", ")
}

// Describe says what a statistic is, which way is better, how its interval is made and
// where it comes from.
func Describe(s stat.Statistic) string {
	text := s.Text
	if words := DirectionWords(s.Better); words != "" {
		text += " " + phrase.UpperFirst(words) + "."
	}
	if s.How != "" {
		text += " 95" + Pc + " interval: " + s.How + "."
	}
	if s.Source != "" {
		text += " " + s.Source + "."
	}
	return text
}

// DescribeEach says what each of some statistics is.
func DescribeEach(ids ...string) string {
	var each []string
	for _, id := range ids {
		s := stat.ByID(id)
		each = append(each, s.Label+": "+phrase.LowerFirst(s.Text))
	}
	return strings.Join(each, " ")
}

// Hows says how the intervals of statistics are made, those made alike together.
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
