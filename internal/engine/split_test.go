package engine

import (
	"context"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"testing"
)

// dealt returns the cohort and the outer folds of a spec.
func dealt(t *testing.T, records [][]string, s Spec) (*cohort, [][]fold) {
	t.Helper()
	s = s.WithDefaults()
	var bad fieldErrors
	c := bad.columns(tableOf(records), &s)
	if err := bad.err(); err != nil {
		t.Fatal(err)
	}
	folds, err := c.outer(context.Background(), &s)
	if err != nil {
		t.Fatal(err)
	}
	return c, folds
}

func TestFoldsAreStratified(t *testing.T) {
	s := clinicSpec()
	for _, k := range []int{2, 3, 5, 10} {
		s.Validation = Validation{Kind: "cv", Folds: k, Repeats: 2}
		c, repeats := dealt(t, clinic(203, 2), s)
		for r, folds := range repeats {
			seen := make([]int, len(c.label))
			for _, f := range folds {
				var n [2]int
				for _, i := range f.test() {
					seen[i]++
					n[c.label[i]]++
				}
				for k2, total := range c.units(positions(len(c.label))) {
					if share := float64(total) / float64(k); math.Abs(float64(n[k2])-share) >= 1 {
						t.Errorf("%d folds: %d rows of class %d, the share is %.2f", k, n[k2], k2, share)
					}
				}
				if !slices.Equal(f.train(), without(positions(len(c.label)), f.test())) {
					t.Errorf("%d folds: training rows are not the rest", k)
				}
			}
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("%d folds, repeat %d: row %d judged %d times", k, r, i, n)
				}
			}
		}
		if slices.Equal(repeats[0][0].test(), repeats[1][0].test()) {
			t.Error("the repeats have the same folds")
		}
	}
}

// TestFoldsStayTheSame: a seed gives the folds that it gave to stored runs.
func TestFoldsStayTheSame(t *testing.T) {
	for _, c := range []struct {
		v     Validation
		group string
		want  uint64
	}{
		{Validation{Kind: "cv", Folds: 7, Repeats: 3}, "", 0x99641ec2d11fe75d},
		{Validation{Kind: "cv", Folds: 7, Repeats: 3}, "ward", 0xe9ecbbe94db807b5},
		{Validation{Kind: "split", Test: 0.3}, "", 0x9899d335b27853e1},
		{Validation{Kind: "split", Test: 0.3}, "ward", 0x20315005bdf9d75d},
	} {
		s := clinicSpec()
		s.Group, s.Validation, s.Seed = c.group, c.v, 11
		_, repeats := dealt(t, clinic(400, 4), s)
		h := fnv.New64a()
		for _, f := range slices.Concat(repeats...) {
			for _, at := range [][]int{f.train(), f.test()} {
				for _, i := range at {
					h.Write([]byte{byte(i), byte(i >> 8)})
				}
				h.Write([]byte{255, 255})
			}
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s by %q: %#x, want %#x", c.v.Kind, c.group, got, c.want)
		}
	}
}

// TestFoldsAreSmall: validated folds hold a byte for each row and repeat, not
// the numbers of the rows of every fold.
func TestFoldsAreSmall(t *testing.T) {
	s := clinicSpec()
	s.Validation = Validation{Kind: "cv", Folds: 10, Repeats: 10}
	const rows = 5000
	data := tableOf(clinic(rows, 2))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v, err := s.validate(context.Background(), data)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int(after.HeapAlloc) - int(before.HeapAlloc); held > 50*rows {
		t.Errorf("%d bytes held for %d folds of %d rows", held, len(slices.Concat(v.repeats...)), rows)
	}
	runtime.KeepAlive(data)
}

func TestSplitHoldsItsShare(t *testing.T) {
	s := clinicSpec()
	for _, share := range []float64{0.1, 0.3, 0.5, 0.77} {
		s.Validation = Validation{Kind: "split", Test: share}
		c, folds := dealt(t, clinic(211, 3), s)
		var n [2]int
		for _, i := range folds[0][0].test() {
			n[c.label[i]]++
		}
		for k, total := range c.units(positions(len(c.label))) {
			if math.Abs(float64(n[k])-share*float64(total)) >= 1 {
				t.Errorf("share %v: %d of %d rows of class %d", share, n[k], total, k)
			}
		}
	}
}

func TestGroupsStayTogether(t *testing.T) {
	s := clinicSpec()
	s.Group = "ward"
	for _, v := range []Validation{{Kind: "cv", Folds: 5}, {Kind: "split", Test: 0.3}} {
		s.Validation = v
		records := clinic(400, 4)
		c, repeats := dealt(t, records, s)
		rate, judged := 0.0, 0
		for _, y := range c.label {
			rate += float64(y) / float64(len(c.label))
		}
		for _, f := range repeats[0] {
			trains := map[string]bool{}
			for _, i := range f.train() {
				trains[records[c.rows[i]+1][4]] = true
			}
			events := 0.0
			for _, i := range f.test() {
				if trains[records[c.rows[i]+1][4]] {
					t.Fatalf("%s: a ward trains and is judged", v.Kind)
				}
				events += float64(c.label[i])
			}
			judged += len(f.test())
			if got := events / float64(len(f.test())); math.Abs(got-rate) > 0.05 {
				t.Errorf("%s: fold %s has an event rate of %.3f, all rows %.3f", v.Kind, f.name, got, rate)
			}
		}
		if v.Kind == "cv" && judged != len(c.label) {
			t.Errorf("%d of %d rows judged", judged, len(c.label))
		}
	}
}

func TestFoldsDependOnTheSeedAlone(t *testing.T) {
	base := clinicSpec()
	_, want := dealt(t, clinic(150, 5), base)
	other := base
	other.Predictors, other.Boundaries = []string{"site"}, []float64{0.9}
	other.Model = ModelSpec{Loss: "logistic"}
	if _, got := dealt(t, clinic(150, 5), other); !slices.Equal(got[0][0].test(), want[0][0].test()) {
		t.Error("predictors or boundaries move the folds")
	}
	base.Seed++
	if _, got := dealt(t, clinic(150, 5), base); slices.Equal(got[0][0].test(), want[0][0].test()) {
		t.Error("another seed gave the same folds")
	}
}

func TestSortedFileIsShuffled(t *testing.T) {
	records := clinic(200, 6)
	slices.SortFunc(records[1:], func(a, b []string) int { return len(a[5]) - len(b[5]) }) // died, then alive
	_, folds := dealt(t, records, clinicSpec())
	runs := 0
	for i, at := range folds[0][0].test()[1:] {
		if at != folds[0][0].test()[i]+1 {
			runs++
		}
	}
	if runs < 20 {
		t.Errorf("fold 1 of a sorted file has %d breaks in 40 rows", runs)
	}
}

// TestInnerFoldsKeepGroups: no ward stands on both sides of a fold that
// chooses λ, and a ward that is judged outside takes no part in it.
func TestInnerFoldsKeepGroups(t *testing.T) {
	records := clinic(400, 4)
	s := clinicSpec()
	s.Group, s.Model.L2 = "ward", L2{Mode: "cv"}
	p, err := Prepare(context.Background(), tableOf(records), s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.baseline(&p.spec, L2{Mode: "cv"}, "")
	if err != nil {
		t.Fatal(err)
	}
	pl, err := p.newPlan(context.Background(), c, "")
	if err != nil {
		t.Fatal(err)
	}
	wards := func(at []int) map[int]bool {
		seen := map[int]bool{}
		for _, i := range at {
			seen[p.cohort.group[i]] = true
		}
		return seen
	}
	if len(pl.curves) != 6 {
		t.Fatalf("%d curves", len(pl.curves))
	}
	for k, outer := range p.parts[0] {
		judged := wards(outer.test())
		for _, inner := range pl.of[0][k].parts {
			trains := wards(inner.train())
			for g := range wards(inner.test()) {
				if trains[g] || judged[g] {
					t.Fatalf("ward %d of fold %d trains and is judged", g, k+1)
				}
			}
			for g := range trains {
				if judged[g] {
					t.Fatalf("ward %d is judged in fold %d and helps to choose its λ", g, k+1)
				}
			}
		}
	}
}
