package compare

import (
	"context"
	"maps"
	"math"
	"slices"

	"taper/internal/engine/stat"
)

// Methods for intervals of paired differences.
const (
	DeLong    = "delong"    // DeLong, DeLong and Clarke-Pearson 1988
	Bootstrap = "bootstrap" // percentiles over rows resampled with replacement, jointly for both runs
	Newcombe  = "newcombe"  // Newcombe 1998, method 10 for paired proportions
	Squares   = "squares"   // square-and-add method for the limits of two parts (Zou and Donner 2008)
)

// measure computes every difference that the rows allow. Bootstrap draws depend only on the
// seed and the number of rows, so pairs of the same rows share them.
func (p *pair) measure(ctx context.Context, seed uint64) error {
	p.found = map[string]Difference{}
	if p.n < 2 {
		return nil
	}
	draws := stat.PairedDraws(p.n, seed)
	if p.label != nil {
		return p.classes(ctx, draws)
	}
	if p.scores[0].Event == nil {
		return nil
	}
	c, err := stat.Compare(ctx, p.scores[1], p.scores[0], draws)
	if err != nil {
		return err
	}
	p.add("auc", p.n, c.AUC.Difference, DeLong, 0)
	for _, s := range stat.All {
		p.add(s.ID, p.n, c.Of(s.ID).Difference, Bootstrap, c.Draws)
	}
	p.shares()
	return nil
}

// classes compares the means of metrics of several classes.
func (p *pair) classes(ctx context.Context, draws stat.Draws) error {
	ids := slices.Sorted(maps.Keys(p.losses))
	var pairs []stat.Pair
	for _, id := range ids {
		pairs = append(pairs, p.losses[id])
	}
	list, err := stat.PairedLosses(ctx, pairs, draws)
	for k, l := range list {
		p.add(ids[k], p.n, l.Difference, Bootstrap, draws.Replicates)
	}
	return err
}

// add stores a difference unless it is undefined.
func (p *pair) add(id string, n int, e stat.Estimate, method string, draws int) {
	if e.Value != nil {
		p.found[id] = Difference{n, e.Value, e.Low, e.High, method, draws}
	}
}

// difference is the paired difference of a metric, nil if it has none.
func (p pair) difference(id string) *Difference {
	if d, ok := p.found[id]; ok {
		return &d
	}
	return nil
}

// shares computes the differences of sensitivity, specificity, accuracy and balanced accuracy.
func (p *pair) shares() {
	if p.correct[0] == nil {
		return
	}
	event := p.scores[0].Event
	all, _ := p.shareRight(func(int) bool { return true })
	a, events := p.shareRight(func(i int) bool { return event[i] })
	b, others := p.shareRight(func(i int) bool { return !event[i] })
	p.add("accuracy", p.n, all, Newcombe, 0)
	p.add("sensitivity", events, a, Newcombe, 0)
	p.add("specificity", others, b, Newcombe, 0)
	if a.Low != nil && b.Low != nil { // based on different rows, so independent
		value := (*a.Value + *b.Value) / 2
		low := value - math.Hypot(*a.Value-*a.Low, *b.Value-*b.Low)/2
		high := value + math.Hypot(*a.High-*a.Value, *b.High-*b.Value)/2
		p.add("balanced_accuracy", p.n, stat.Estimate{Value: &value, Low: &low, High: &high}, Squares, 0)
	}
}

// shareRight is the difference in the proportion predicted correctly among rows of a kind, and
// the number of such rows.
func (p pair) shareRight(among func(i int) bool) (stat.Estimate, int) {
	var both, base, own, neither int
	for i := range p.n {
		switch x, y := p.correct[0][i], p.correct[1][i]; {
		case !among(i):
		case x && y:
			both++
		case x:
			base++
		case y:
			own++
		default:
			neither++
		}
	}
	return stat.PairedDifference(both, own, base, neither), both + base + own + neither
}
