package runspec

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/resample"
	"taper/internal/engine/table"
)

// Scale says from how many rows on a page evaluates on a hold-out in place of five folds, and how many rows a sample
// has. Zero fields have the defaults below, whose derivation is in docs/clinical.md (Folds or a hold-out).
type Scale struct {
	HoldOut int // rows from which a hold-out is the default
	Class   int // of which the rarest class must have so many
	Sample  int // rows of a preview

	// PerTerm is the number of rows per squared term from which the models of two folds differ by less than a tenth of
	// the interval: rows ≥ PerTerm·terms².
	PerTerm float64
}

// The default scale.
const (
	holdOutRows  = 1_000_000
	holdOutClass = 50_000
	sampleRows   = 12_500
	perTerm      = 8
)

// withDefaults fills in the zero fields.
func (s Scale) withDefaults() Scale {
	return Scale{cmp.Or(s.HoldOut, holdOutRows), cmp.Or(s.Class, holdOutClass), cmp.Or(s.Sample, sampleRows),
		cmp.Or(s.PerTerm, perTerm)}
}

// HoldsOut reports whether a hold-out is the default for a table with so many rows and terms, whose rarest class has
// so many rows.
func (s Scale) HoldsOut(rows, terms, rarest int) bool {
	s = s.withDefaults()
	return rows >= s.HoldOut && float64(rows) >= s.PerTerm*float64(terms)*float64(terms) && rarest >= s.Class
}

// Previews returns the size of the sample that stands for so many rows while a slider moves; 0 where the rows are too
// few for it to be much smaller.
func (s Scale) Previews(rows int) int {
	if s = s.withDefaults(); rows < previewTimes*s.Sample {
		return 0
	}
	return s.Sample
}

// previewTimes is the least ratio of the rows to those of a preview.
const previewTimes = 5

// Sampled returns m of the positions at, ascending: the first m of one random order, so that a larger sample contains
// every smaller one. All of them if they are no more than m.
func Sampled(at []int, m int, rng *rand.Rand) []int {
	if len(at) <= m {
		return at
	}
	sample := resample.Pick(at, resample.First(len(at), m, rng))
	slices.Sort(sample)
	return sample
}

// Preview returns the rows of a preview as a table of their own.
func (s Scale) Preview(t *table.Table, seed uint64) *table.Table {
	m := s.Previews(t.Rows)
	if m == 0 {
		return t
	}
	rows := resample.First(t.Rows, m, resample.Source(seed, resample.PurposePreview, 0, 0))
	slices.Sort(rows)
	return t.Only(rows)
}
