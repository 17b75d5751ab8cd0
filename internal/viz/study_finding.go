package viz

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
)

// finding is the result of a panel in a sentence; "" if no number summarises it.
func (p *panel) finding() string {
	once := p.replicates() == "1" && len(p.series) > 1
	switch {
	case p.Kind == study.DrawHistogram || p.Kind == study.DrawScatter || once:
		return ""
	case p.labels != nil && !numeric(p.X):
		return p.ranking()
	case len(p.series) == 1:
		return p.fromTo()
	}
	return p.atTheEnd()
}

// fromTo gives the first and the last value of a single line.
func (p *panel) fromTo() string {
	s := p.series[0]
	last := len(s.cells) - 1
	if last < 1 {
		return ""
	}
	return fmt.Sprintf("From %s at %s to %s at %s.", p.write(p.middle(s.cells[0])), p.xUnit(s.x[0]),
		p.write(p.middle(s.cells[last])), p.xUnit(s.x[last]))
}

// atTheEnd names the highest and the lowest series at the last x that all reach, or says that
// the interval of their paired difference includes 0; "" of too few replicates.
func (p *panel) atTheEnd() string {
	at := math.Inf(1)
	for _, s := range p.series {
		at = math.Min(at, s.x[len(s.x)-1])
	}
	var top, low study.Cell
	best, worst := "", ""
	for _, s := range p.series {
		for i, c := range s.cells {
			v := p.middle(c)
			if s.x[i] != at || math.IsNaN(v) {
				continue
			}
			if best == "" || v > p.middle(top) {
				top, best = c, s.name
			}
			if worst == "" || v < p.middle(low) {
				low, worst = c, s.name
			}
		}
	}
	if best == worst || min(top.N, low.N) < FewestBanded {
		return ""
	}
	what := lower(p.metric.Title)
	d := study.Compare(top, low)
	if stat.HigherBetter.Verdict(stat.Estimate{Value: d.Mean, Low: d.Low, High: d.High}) == stat.Unsettled {
		return fmt.Sprintf("%s the replicates do not separate lowest and highest %s (%s; the 95"+phrase.NBSP+
			"%% interval of their paired difference includes 0).", p.where(at), what,
			Range(p.write(p.middle(low)), p.write(p.middle(top))))
	}
	highest, lowest := p.apart(p.middle(top), p.middle(low))
	return fmt.Sprintf("%s the %s is highest %s (%s) and lowest %s (%s).", p.where(at), what, p.of(best), highest,
		p.of(worst), lowest)
}

// apart writes two different values with as many more decimals as keep them from reading alike. Large ones are both
// powers of ten or neither.
func (p *panel) apart(high, low float64) (string, string) {
	a, b := p.write(high), p.write(low)
	if low >= 1e4 && isPower(a) && !isPower(b) {
		b = phrase.Typeset(strconv.FormatFloat(low, 'e', 2, 64))
	}
	for decimals := 1; a == b && high != low && decimals <= 9; decimals++ {
		a, b = Number(high, decimals), Number(low, decimals)
	}
	return a, b
}

// isPower reports whether a number is written as a power of ten.
func isPower(text string) bool { return strings.ContainsAny(text, "⁰¹²³⁴⁵⁶⁷⁸⁹") }

// where describes an x in words: "At α = 3", "At 400 stumps", "At depth 5".
func (p *panel) where(at float64) string {
	title, _, _ := strings.Cut(lower(p.X.Title), " of ")
	switch {
	case p.X.Of == "noise" || title == "":
		return "At " + p.xUnit(at)
	case len([]rune(title)) < 3:
		return "At " + title + " = " + p.xUnit(at)
	case strings.HasSuffix(title, "s"):
		return "At " + p.xUnit(at) + " " + title
	}
	return "At " + title + " " + p.xUnit(at)
}

// of is the name of a series within a sentence; predictions of another program are marked as
// such.
func (p *panel) of(name string) string {
	if p.Series.Of == "noise" {
		return "with " + name + " " + lower(p.Series.Title)
	}
	if other, ok := study.UploadedProgram(name); ok {
		return "for the uploaded predictions of " + other + ", not computed here"
	}
	return "for " + name
}

// fewestRanked is the number of replicates from which a two-sided signed-rank test can reach 5
// %: with five its smallest p is 2/2⁵.
const fewestRanked = 6

// ranking says which methods of a table are best, or not significantly different from the best
// by the signed-rank test, as in the papers; for box plots it compares medians. It names the
// test, because the intervals of paired differences may disagree.
func (p *panel) ranking() string {
	if p.Median {
		return p.medians()
	}
	if !p.metric.Higher && !lowerIsBetter(p.metric) || p.replicates() == "1" {
		return ""
	}
	var cells []study.Cell
	most := 0
	for _, s := range p.series {
		for _, c := range s.cells {
			cells, most = append(cells, c), max(most, c.N)
		}
	}
	var order []string
	counts, settings, all := map[string]int{}, map[study.Key]bool{}, true
	for _, c := range study.CompareBest(cells, p.metric.Higher) {
		k := c.Key
		k.Model = ""
		settings[k] = true
		if all = all && c.Best; !c.Best {
			continue
		}
		if counts[c.Model]++; counts[c.Model] == 1 {
			order = append(order, c.Model)
		}
	}
	const test = "(Wilcoxon signed-rank test, 5" + phrase.NBSP + "%)"
	what := lower(p.metric.Title)
	switch {
	case most < fewestRanked:
		return fmt.Sprintf("%s are too few for a Wilcoxon signed-rank test to rank the methods by %s at 5"+phrase.NBSP+"%%.",
			phrase.Plural(most, "replicate", "replicates"), what)
	case all:
		return fmt.Sprintf("No method differs significantly from the best in %s %s.", what, test)
	}
	slices.SortStableFunc(order, func(a, b string) int { return counts[b] - counts[a] })
	extreme := "Lowest"
	if p.metric.Higher {
		extreme = "Highest"
	}
	if len(settings) == 1 {
		return fmt.Sprintf("%s %s, or not significantly different from it %s: %s.", extreme, what, test,
			strings.Join(order, "; "))
	}
	for i, name := range order {
		of := ""
		if i == 0 {
			of = fmt.Sprintf(" of %d settings", len(settings))
		}
		order[i] = fmt.Sprintf("%s (%d%s)", name, counts[name], of)
	}
	return fmt.Sprintf("%s %s, or not significantly different from it %s, in: %s.", extreme, what, test,
		strings.Join(order, "; "))
}

// lowerIsBetter reports whether a metric is a cost.
func lowerIsBetter(m study.Metric) bool {
	title := strings.ToLower(m.Title)
	return strings.Contains(title, "error") || strings.Contains(title, "loss")
}

// medians lists the medians of the series.
func (p *panel) medians() string {
	var parts []string
	for _, s := range p.series {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, c := range s.cells {
			lo, hi = math.Min(lo, p.middle(c)), math.Max(hi, p.middle(c))
		}
		text := p.write(lo)
		if hi > lo {
			text = Range(text, p.write(hi))
		}
		parts = append(parts, s.name+" "+text)
	}
	return p.metric.Title + ": " + strings.Join(parts, "; ") + "."
}

// Unbroken keeps a number on one line with the symbol before it and with its unit.
func Unbroken(s string) string {
	return strings.NewReplacer(" = ", phrase.NBSP+"="+phrase.NBSP, " %", phrase.NBSP+"%").Replace(s)
}
