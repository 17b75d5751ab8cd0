package runspec

import (
	"context"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// dealt returns the cohort and the outer folds of a spec.
func dealt(t *testing.T, records [][]string, s Spec) (*Cohort, [][]Fold) {
	t.Helper()
	s = s.WithDefaults()
	c, err := NewCohort(tabletest.FromRecords(records), &s)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := c.outer(context.Background(), &s)
	if err != nil {
		t.Fatal(err)
	}
	return c, folds
}

// TestDrawnFold: explicit lists of training and test positions override the fold numbers.
func TestDrawnFold(t *testing.T) {
	s := clinicSpec()
	s.Validation = Validation{Kind: "cv", Folds: 4, Repeats: 1}
	_, repeats := dealt(t, tabletest.Clinic(60, 2), s)
	f := repeats[0][0]
	if n := len(f.Train()) + len(f.Test()); n != 60 || len(f.Train()) < 40 {
		t.Fatalf("%d positions, %d train", n, len(f.Train()))
	}
	f.Trained, f.Tested = []int{2, 5}, []int{7}
	if !slices.Equal(f.Train(), []int{2, 5}) || !slices.Equal(f.Test(), []int{7}) {
		t.Errorf("train %v, test %v", f.Train(), f.Test())
	}
}

func TestFoldsAreStratified(t *testing.T) {
	s := clinicSpec()
	for _, k := range []int{2, 3, 5, 10} {
		s.Validation = Validation{Kind: "cv", Folds: k, Repeats: 2}
		c, repeats := dealt(t, tabletest.Clinic(203, 2), s)
		for r, folds := range repeats {
			seen := make([]int, len(c.Label))
			for j, f := range folds {
				if f.Name != strconv.Itoa(j+1) {
					t.Errorf("fold %d is called %s", j+1, f.Name)
				}
				var n [2]int
				for _, i := range f.Test() {
					seen[i]++
					n[c.Label[i]]++
				}
				for k2, total := range c.units(resample.Positions(len(c.Label))) {
					if share := float64(total) / float64(k); math.Abs(float64(n[k2])-share) >= 1 {
						t.Errorf("%d folds: %d rows of class %d, the share is %.2f", k, n[k2], k2, share)
					}
				}
				if !slices.Equal(f.Train(), without(resample.Positions(len(c.Label)), f.Test())) {
					t.Errorf("%d folds: training rows are not the rest", k)
				}
			}
			for i, n := range seen {
				if n != 1 {
					t.Fatalf("%d folds, repeat %d: row %d judged %d times", k, r, i, n)
				}
			}
		}
		if slices.Equal(repeats[0][0].Test(), repeats[1][0].Test()) {
			t.Error("the repeats have the same folds")
		}
	}
}

// TestFoldsStayTheSame: a seed gives the same folds as in stored runs of earlier versions.
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
		_, repeats := dealt(t, tabletest.Clinic(400, 4), s)
		h := fnv.New64a()
		for _, f := range slices.Concat(repeats...) {
			for _, at := range [][]int{f.Train(), f.Test()} {
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

// TestFoldsAreSmall: cross-validation folds take one byte per row and repeat, instead of lists
// of rows.
func TestFoldsAreSmall(t *testing.T) {
	s := clinicSpec()
	s.Validation = Validation{Kind: "cv", Folds: 10, Repeats: 10}
	const rows = 5000
	data := tabletest.FromRecords(tabletest.Clinic(rows, 2))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v, err := s.Select(context.Background(), data)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int(after.HeapAlloc) - int(before.HeapAlloc); held > 50*rows {
		t.Errorf("%d bytes held for %d folds of %d rows", held, len(slices.Concat(v.Repeats...)), rows)
	}
	runtime.KeepAlive(data)
}

func TestSplitHoldsItsShare(t *testing.T) {
	s := clinicSpec()
	for _, share := range []float64{0.1, 0.3, 0.5, 0.77} {
		s.Validation = Validation{Kind: "split", Test: share}
		c, folds := dealt(t, tabletest.Clinic(211, 3), s)
		var n [2]int
		for _, i := range folds[0][0].Test() {
			n[c.Label[i]]++
		}
		for k, total := range c.units(resample.Positions(len(c.Label))) {
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
		records := tabletest.Clinic(400, 4)
		c, repeats := dealt(t, records, s)
		rate, judged := 0.0, 0
		for _, y := range c.Label {
			rate += float64(y) / float64(len(c.Label))
		}
		for _, f := range repeats[0] {
			trains := map[string]bool{}
			for _, i := range f.Train() {
				trains[records[c.Rows[i]+1][4]] = true
			}
			events := 0.0
			for _, i := range f.Test() {
				if trains[records[c.Rows[i]+1][4]] {
					t.Fatalf("%s: a ward trains and is judged", v.Kind)
				}
				events += float64(c.Label[i])
			}
			judged += len(f.Test())
			if got := events / float64(len(f.Test())); !(math.Abs(got-rate) <= 0.05) {
				t.Errorf("%s: fold %s has an event rate of %.3f, all rows %.3f", v.Kind, f.Name, got, rate)
			}
		}
		if v.Kind == "cv" && judged != len(c.Label) {
			t.Errorf("%d of %d rows judged", judged, len(c.Label))
		}
	}
}

// Rows that agree in every predictor stay in one fold if asked for, with and without a group
// column.
func TestCopiesStayTogether(t *testing.T) {
	records := tabletest.Clinic(200, 6)
	for i := 1; i <= 60; i++ { // copies of every second row, in other wards
		r := slices.Clone(records[2*i])
		r[4] = records[i][4]
		records = append(records, r)
	}
	for _, group := range []string{"", "ward"} {
		s := clinicSpec()
		s.Group, s.Validation = group, Validation{Kind: "cv", Folds: 5}
		s.Predictors = []string{records[0][0], records[0][1], records[0][2]}
		d := s.WithDefaults()
		tab := tabletest.FromRecords(records)
		tab.Dialect.Copies = table.CopiesTogether
		c, err := NewCohort(tab, &d)
		if err != nil {
			t.Fatal(err)
		}
		if group == "" && c.Groups > len(c.Rows)-60 {
			t.Errorf("%d groups of %d rows, 60 of which are copies", c.Groups, len(c.Rows))
		}
		of := map[string]int{}
		for i, row := range c.Rows {
			key := strings.Join(records[row+1][:3], "|")
			if g, seen := of[key]; seen && g != c.Group[i] {
				t.Fatalf("group %q: row %d is in group %d, its copy in %d", group, row, c.Group[i], g)
			}
			of[key] = c.Group[i]
		}
	}
}

func TestFoldsDependOnTheSeedAlone(t *testing.T) {
	base := clinicSpec()
	_, want := dealt(t, tabletest.Clinic(150, 5), base)
	other := base
	other.Predictors, other.Boundaries = []string{"site"}, []float64{0.9}
	other.Model = fit.Spec{Loss: "logistic"}
	if _, got := dealt(t, tabletest.Clinic(150, 5), other); !slices.Equal(got[0][0].Test(), want[0][0].Test()) {
		t.Error("predictors or boundaries move the folds")
	}
	base.Seed++
	if _, got := dealt(t, tabletest.Clinic(150, 5), base); slices.Equal(got[0][0].Test(), want[0][0].Test()) {
		t.Error("another seed gave the same folds")
	}
}

func TestSortedFileIsShuffled(t *testing.T) {
	records := tabletest.Clinic(200, 6)
	slices.SortFunc(records[1:], func(a, b []string) int { return len(a[5]) - len(b[5]) }) // died before alive
	_, folds := dealt(t, records, clinicSpec())
	runs := 0
	for i, at := range folds[0][0].Test()[1:] {
		if at != folds[0][0].Test()[i]+1 {
			runs++
		}
	}
	if runs < 20 {
		t.Errorf("fold 1 of a sorted file has %d breaks in 40 rows", runs)
	}
}

// without returns the members of all that are not in some; both are ascending.
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
