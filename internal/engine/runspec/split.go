package runspec

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/resample"
	"taper/internal/engine/usererr"
)

// Fold is the split of the cohort's positions into training and test rows. It is given by
// lists, or in cross-validation by the fold number of each position: lists for all folds and
// repeats would take more memory than the data.
type Fold struct {
	Name            string // "test" or the fold from "1"
	of              resample.Division
	number          uint8 // of the fold that is tested
	Trained, Tested []int // ascending; nil = from the fold numbers
	Times           []int // bootstrap: how often each training position was drawn; nil = once
}

// Train returns the training positions, ascending.
func (f Fold) Train() []int {
	if f.of == nil || f.Trained != nil {
		return f.Trained
	}
	return f.of.Where(func(k uint8) bool { return k != 0 && k != f.number })
}

// Test returns the test positions, ascending.
func (f Fold) Test() []int {
	if f.of == nil || f.Tested != nil {
		return f.Tested
	}
	return f.of.Where(func(k uint8) bool { return k == f.number })
}

// outer returns the evaluation folds by repeat, then by fold; none without validation.
func (c *Cohort) outer(ctx context.Context, s *Spec) ([][]Fold, error) {
	all := resample.Positions(len(c.Rows))
	v := s.Validation
	switch v.Kind {
	case "split":
		dealt, err := c.assign(ctx, all, []float64{1 - v.Test, v.Test}, resample.Folds(s.Seed, 0, 0))
		if err != nil {
			return nil, err
		}
		parts := [][]int{Fold{of: dealt, number: 1}.Test(), Fold{of: dealt, number: 2}.Test()}
		if err := c.EveryClass(parts[:c.needed()]); err != nil {
			return nil, usererr.BadField("validation.test", "leaves %v: choose a share nearer to one half", err)
		}
		return [][]Fold{{{Name: "test", Trained: parts[0], Tested: parts[1]}}}, nil
	case "cv":
		repeats := make([][]Fold, v.Repeats)
		for r := range repeats {
			folds, err := c.Folds(ctx, all, v.Folds, resample.Folds(s.Seed, r, 0))
			if err != nil {
				return nil, err
			}
			repeats[r] = folds
		}
		return repeats, nil
	}
	return nil, c.EveryClass([][]int{all})
}

// Folds divides the positions at into k folds.
func (c *Cohort) Folds(ctx context.Context, at []int, k int, rng *rand.Rand) ([]Fold, error) {
	if most, lacking := c.MostFolds(at); k > most {
		return nil, usererr.BadField("validation.folds", "must be at most %d: only %s", most, lacking)
	}
	dealt, err := c.assign(ctx, at, resample.Even(k), rng)
	if err != nil {
		return nil, err
	}
	folds := make([]Fold, k)
	for j := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := Fold{Name: strconv.Itoa(j + 1), of: dealt, number: uint8(j + 1)}
		folds[j] = f
		if err := c.EveryClass([][]int{f.Train()}); err != nil || !slices.Contains(dealt, f.number) {
			return nil, usererr.BadField("validation.folds",
				"must be smaller than %d: keeping groups together leaves a fold without %s", k, c.allClasses())
		}
	}
	return folds, nil
}

// needed is how many parts of a split must contain every class: both parts for an event,
// otherwise the training part.
func (c *Cohort) needed() int {
	if c.Target.Event {
		return 2
	}
	return 1
}

// allClasses is the phrase for the classes that no training part may lack.
func (c *Cohort) allClasses() string {
	if c.Target.Event {
		return "both classes"
	}
	return "every class"
}

// MostFolds returns the largest number of folds that can all contain both classes of an event,
// and the name of what is scarcest. Without an event, two rows per class are enough for any
// number of folds, because a training part then lacks at most one of them.
func (c *Cohort) MostFolds(at []int) (int, string) {
	n := c.units(at)
	least := 0
	for k := range n {
		if n[k] < n[least] || c.Target.Event && n[k] == n[least] {
			least = k
		}
	}
	switch {
	case !c.Target.Event && n[least] >= 2:
		return maxFolds, ""
	case !c.Target.Event:
		return n[least], c.named(n[least], "row", "rows") + " of class " + phrase.Verbatim(c.Target.Levels[least])
	case least == 1:
		return n[1], c.named(n[1], "event", "events")
	}
	return n[0], c.named(n[0], "row without the event", "rows without the event")
}

// units counts, per class, what is dealt to folds: rows, or groups that contain such a row.
func (c *Cohort) units(at []int) []int {
	n := make([]int, c.Classes())
	seen := map[[2]int]bool{}
	for _, i := range at {
		k := c.Label[i]
		if c.Group != nil {
			key := [2]int{c.Group[i], k}
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		n[k]++
	}
	return n
}

func (c *Cohort) named(n int, one, many string) string {
	if c.Group != nil {
		return phrase.Plural(n, "group", "groups") + " with " + many
	}
	return phrase.Plural(n, one, many)
}

// EveryClass returns an error if a part lacks a class.
func (c *Cohort) EveryClass(parts [][]int) error {
	for _, at := range parts {
		n := c.units(at)
		switch k := slices.Index(n, 0); {
		case k < 0:
		case !c.Target.Event:
			return usererr.New(usererr.Invalid, "a training part without class %q", c.Target.Levels[k])
		case n[1] == 0:
			return usererr.New(usererr.Invalid, "a part without events")
		default:
			return usererr.New(usererr.Invalid, "a part with nothing but events")
		}
	}
	return nil
}

// assign deals the positions to parts with sizes in proportion to shares. After a review all positions go where the
// parent run has them: folds by the changed labels would be other folds, and the difference between the two runs
// would be one of folds too.
func (c *Cohort) assign(ctx context.Context, at []int, shares []float64, rng *rand.Rand) (resample.Division, error) {
	if was := c.before; was != nil && len(at) == len(c.Rows) {
		dealt, err := was.assign(ctx, resample.Positions(len(was.Rows)), shares, rng)
		if err != nil {
			return nil, err
		}
		here, k := make(resample.Division, len(c.Rows)), 0
		for i, row := range c.Rows { // a review leaves rows out, and adds none
			for was.Rows[k] < row {
				k++
			}
			here[i] = dealt[k]
		}
		return here, nil
	}
	return resample.Rows{Label: c.Label, Classes: c.Classes(), Group: c.Group}.Deal(ctx, at, shares, rng)
}
