package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/resample"
	"taper/internal/engine/usererr"
)

// cancelEvery is the number of rows between two looks at the context.
const cancelEvery = 1024

// fold says which positions of the cohort train and which are judged: by lists,
// or, in a cross-validation, by the number that the division gives each
// position. Lists of every fold and repeat would take more memory than the data.
type fold struct {
	name            string // "test" or the fold from "1"
	of              resample.Division
	number          uint8 // of the fold that is judged
	trained, tested []int // ascending; nil where of says it
	times           []int // how often each that trains was drawn, by a bootstrap; nil = once
}

// train returns the positions that train, ascending.
func (f fold) train() []int {
	if f.of == nil || f.trained != nil {
		return f.trained
	}
	return f.of.Where(func(k uint8) bool { return k != 0 && k != f.number })
}

// test returns the positions that are judged, ascending.
func (f fold) test() []int {
	if f.of == nil || f.tested != nil {
		return f.tested
	}
	return f.of.Where(func(k uint8) bool { return k == f.number })
}

// Purposes of random numbers: each has its own streams, so that no choice
// shifts another's.
const (
	forSample   = 2 + iota // rows of the PCA; 1 are the folds of package resample
	forNoise               // order in which labels flip
	forResample            // folds inside a bootstrap sample
)

// source returns the generator of one purpose.
func source(seed uint64, purpose, a, b int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<48|uint64(a)<<24|uint64(b)))
}

// outer returns the folds that judge: by repeat, then by fold. Without
// validation there are none.
func (c *cohort) outer(ctx context.Context, s *Spec) ([][]fold, error) {
	all := positions(len(c.rows))
	v := s.Validation
	switch v.Kind {
	case "split":
		dealt, err := c.assign(ctx, all, []float64{1 - v.Test, v.Test}, resample.Folds(s.Seed, 0, 0))
		if err != nil {
			return nil, err
		}
		parts := [][]int{fold{of: dealt, number: 1}.test(), fold{of: dealt, number: 2}.test()}
		if err := c.everyClass(parts[:c.needed()]); err != nil {
			return nil, usererr.BadField("validation.test", "leaves %v: choose a share nearer to one half", err)
		}
		return [][]fold{{{name: "test", trained: parts[0], tested: parts[1]}}}, nil
	case "cv":
		repeats := make([][]fold, v.Repeats)
		for r := range repeats {
			folds, err := c.folds(ctx, all, v.Folds, resample.Folds(s.Seed, r, 0))
			if err != nil {
				return nil, err
			}
			repeats[r] = folds
		}
		return repeats, nil
	}
	return nil, c.everyClass([][]int{all})
}

// folds divides the positions into k folds.
func (c *cohort) folds(ctx context.Context, at []int, k int, rng *rand.Rand) ([]fold, error) {
	if most, lacking := c.most(at); k > most {
		return nil, usererr.BadField("validation.folds", "must be at most %d: only %s", most, lacking)
	}
	dealt, err := c.assign(ctx, at, resample.Even(k), rng)
	if err != nil {
		return nil, err
	}
	folds := make([]fold, k)
	for j := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := fold{name: strconv.Itoa(j + 1), of: dealt, number: uint8(j + 1)}
		folds[j] = f
		if err := c.everyClass([][]int{f.train()}); err != nil || !slices.Contains(dealt, f.number) {
			return nil, usererr.BadField("validation.folds",
				"must be smaller than %d: keeping groups together leaves a fold without %s", k, c.allClasses())
		}
	}
	return folds, nil
}

// needed is how many of the parts of a split must hold every class: both with
// two classes, else the one that trains.
func (c *cohort) needed() int {
	if c.target.Event {
		return 2
	}
	return 1
}

// allClasses names what no training part may lack.
func (c *cohort) allClasses() string {
	if c.target.Event {
		return "both classes"
	}
	return "every class"
}

// most returns the largest number of folds that can hold both classes of an event,
// and what there is too little of. Without an event two rows of each class are enough
// for every part that trains to have it: any number of folds leaves them in all but
// one.
func (c *cohort) most(at []int) (int, string) {
	n := c.units(at)
	least := 0
	for k := range n {
		if n[k] < n[least] || c.target.Event && n[k] == n[least] {
			least = k
		}
	}
	switch {
	case !c.target.Event && n[least] >= 2:
		return maxFolds, ""
	case !c.target.Event:
		return n[least], c.named(n[least], "row", "rows") + " of class " + strconv.Quote(c.target.Levels[least])
	case least == 1:
		return n[1], c.named(n[1], "event", "events")
	}
	return n[0], c.named(n[0], "row without the event", "rows without the event")
}

// units counts what can be dealt to folds: rows, or groups that hold a row, of
// each class.
func (c *cohort) units(at []int) []int {
	n := make([]int, c.classes())
	seen := map[[2]int]bool{}
	for _, i := range at {
		k := c.label[i]
		if c.group != nil {
			key := [2]int{c.group[i], k}
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		n[k]++
	}
	return n
}

func (c *cohort) named(n int, one, many string) string {
	if c.group != nil {
		return phrase.Plural(n, "group", "groups") + " with " + many
	}
	return phrase.Plural(n, one, many)
}

// everyClass reports the class that a part lacks.
func (c *cohort) everyClass(parts [][]int) error {
	for _, at := range parts {
		n := c.units(at)
		switch k := slices.Index(n, 0); {
		case k < 0:
		case !c.target.Event:
			return usererr.New(usererr.Invalid, "a training part without class %q", c.target.Levels[k])
		case n[1] == 0:
			return usererr.New(usererr.Invalid, "a part without events")
		default:
			return usererr.New(usererr.Invalid, "a part with nothing but events")
		}
	}
	return nil
}

// assign deals the positions to parts in proportion to shares.
func (c *cohort) assign(ctx context.Context, at []int, shares []float64, rng *rand.Rand) (resample.Division, error) {
	return resample.Rows{Label: c.label, Classes: c.classes(), Group: c.group}.Deal(ctx, at, shares, rng)
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// without returns the members of all that are not in some; both ascend.
func without(all, some []int) []int {
	rest := make([]int, 0, len(all)-len(some))
	for _, i := range all {
		if len(some) > 0 && some[0] == i {
			some = some[1:]
			continue
		}
		rest = append(rest, i)
	}
	return rest
}

func positions(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// sign is a class of two as ±1.
func sign(class int) float64 { return float64(2*class - 1) }
