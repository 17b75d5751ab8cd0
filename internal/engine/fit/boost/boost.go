// Package boost fits AdaBoost.α (Sypherd et al. 2023, Algorithm 1; docs/math.md, Margin
// alpha-loss): a sum of θ_t·h_t, where h_t is a tree with votes −1 and +1, grown on rows
// weighted by the gradient of the α-loss at their margin. α = ½ is AdaBoost, α = 1 is
// LogAdaBoost; a larger α down-weights rows that stay far on the wrong side.
//
// Conventions: labels are ±1, H is the score and m = y·H the margin. Columns are sorted once.
// Splits are exact, and ties are broken in the same way whatever the order of the sums, so a
// fit is bit-identical on any number of cores.
package boost

import (
	"cmp"
	"context"
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Rules for the coefficient θ_t of a tree with weighted error ε.
const (
	HalfLog    = "half-log"    // ½ log((1−ε)/ε)
	AlphaLog   = "alpha-log"   // α log((1−ε)/ε)
	LineSearch = "line-search" // the smallest minimum of the loss along the tree
)

// Limits of a fit.
const (
	MaxRounds = 10_000
	MaxDepth  = 16
)

// mostAlphaLog is the largest α of AlphaLog. The factor α is recovered as 1/(1 − e) from e =
// (α−1)/α, which rounds to 1 from α = 2⁵³ on. Coefficients would then be infinite, and their
// sums NaN.
const mostAlphaLog = 1e15

const (
	defaultAlpha  = 0.5
	defaultRounds = 100
)

// Options control a fit; the zero value is AdaBoost with 100 stumps.
type Options struct {
	Alpha  float64               // (0, ∞]; 0 = ½
	Rule   string                // for θ; "" = HalfLog
	Rounds int                   // most trees; 0 = 100
	Depth  int                   // of each tree; 0 = 1, a stump
	Trace  func(Step)            // called after each round; nil = none
	Report func(linear.Progress) // called occasionally; nil = none
}

// Step is one round of a fit. Its slices have one entry per row; they belong to the fit and are
// valid until Trace returns.
type Step struct {
	Round int       // from 1
	D     []float64 // normalised weights that the tree was grown on
	U     []float64 // y·h: −1 where the tree is wrong
	M     []float64 // margins y·H after the round
	Tree  *Tree
	Error float64 // weighted error ε, clipped
}

// Fit grows a model. y is ±1; nil weights mean 1 for every row.
func Fit(ctx context.Context, x linear.Matrix, y, weights []float64, o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	shares, err := linear.Shares(x, y, weights)
	if err != nil {
		return nil, err
	}
	f := newFit(ctx, x, y, shares, o)
	if err := f.order.sort(ctx, x, shares); err != nil {
		return nil, err
	}
	return f.run()
}

// Check reports invalid settings.
func (o Options) Check() error { return o.check() }

// check fills in the defaults.
func (o *Options) check() error {
	o.Alpha = cmp.Or(o.Alpha, defaultAlpha)
	o.Rule = cmp.Or(o.Rule, HalfLog)
	o.Rounds = cmp.Or(o.Rounds, defaultRounds)
	o.Depth = cmp.Or(o.Depth, 1)
	switch {
	case !(o.Alpha > 0):
		return usererr.BadField("alpha", "must be greater than 0, or inf (got %v)", o.Alpha)
	case o.Rule != HalfLog && o.Rule != AlphaLog && o.Rule != LineSearch:
		return usererr.BadField("theta_rule", "must be %q, %q or %q (got %q)", HalfLog, AlphaLog, LineSearch, o.Rule)
	case o.Rule == AlphaLog && math.IsInf(o.Alpha, 1):
		return usererr.BadField("theta_rule", "must not be %q where alpha is inf; take %q", AlphaLog, HalfLog)
	case o.Rule == AlphaLog && o.Alpha > mostAlphaLog:
		return usererr.BadField("theta_rule", "must not be %q where alpha is above %.0e (got %g): "+
			"α log((1−ε)/ε) is then too large for double precision; take %q, or a smaller alpha", AlphaLog, mostAlphaLog,
			o.Alpha, HalfLog)
	case o.Rounds < 1 || o.Rounds > MaxRounds:
		return usererr.BadField("rounds", "must be from 1 to %d (got %d)", MaxRounds, o.Rounds)
	case o.Depth < 1 || o.Depth > MaxDepth:
		return usererr.BadField("depth", "must be from 1 to %d (got %d)", MaxDepth, o.Depth)
	}
	return nil
}
