package paper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// TestDingFold: a fold trains on nine tenths of the rest, flips exactly a tenth
// of their labels and leaves what tunes and tests as it was drawn.
func TestDingFold(t *testing.T) {
	in := study.Input{Seed: 3}
	d, err := dingDraw(in, "mease-wyner", 1)
	if err != nil {
		t.Fatal(err)
	}
	judged := map[int]int{}
	for k := range dingFolds {
		s, err := d.fold(t.Context(), in, 1, k, dingFlipped)
		if err != nil {
			t.Fatal(err)
		}
		clean, _ := d.fold(t.Context(), in, 1, k, 0)
		if len(s.tune.Y) != 600 || len(s.train.Y) != 1260 || len(s.test.Y) != 140 {
			t.Fatalf("fold %d has %d, %d, %d rows", k, len(s.train.Y), len(s.tune.Y), len(s.test.Y))
		}
		flipped := 0
		for i, y := range clean.train.Y {
			if s.train.Y[i] != y {
				flipped++
			}
		}
		if flipped != 126 || !slices.Equal(s.test.Y, clean.test.Y) || !slices.Equal(s.tune.Y, clean.tune.Y) {
			t.Errorf("fold %d: %d labels flipped", k, flipped)
		}
		for _, r := range []study.Rows{s.tune, s.test} {
			for i, y := range r.Y { // the rule of the set
				sum := 0.0
				for _, x := range r.X.Row(i)[:5] {
					sum += x
				}
				if (sum >= 2.5) != (y == 1) {
					t.Fatalf("fold %d judges a wrong label", k)
				}
			}
		}
		for _, i := range d.folds[k] {
			judged[d.rest[i]]++
		}
	}
	for _, n := range judged {
		if n != 1 {
			t.Error("a row is judged twice")
		}
	}
	if len(judged) != 1400 {
		t.Errorf("%d rows are judged", len(judged))
	}
}

// TestDingReferences: every number of the figure that we were given was measured with five data seeds.
func TestDingReferences(t *testing.T) {
	for _, r := range dingReferences() {
		if r.N != 5 {
			t.Errorf("%v is of %d seeds", r.Key, r.N)
		}
	}
}

// TestPathsReachOptimum: at every λ of a path the score stands where a single
// certified fit from zero does.
func TestPathsReachOptimum(t *testing.T) {
	in := study.Input{Seed: 5}
	d, err := dingDraw(in, "mease-wyner", 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.fold(t.Context(), in, 0, 0, dingFlipped)
	if err != nil {
		t.Fatal(err)
	}
	x, y, l2s := s.train.X, s.train.Signs(), dingL2s(len(s.train.Y))
	student := func(l2 float64) (*linear.Linear, error) {
		fit, err := linear.TLogistic(t.Context(), x, y, nil, 1.6, l2*float64(len(y)), linear.TOptions{})
		if err != nil {
			return nil, err
		}
		return &fit.Linear, nil
	}
	single := func(l loss.Margin) func(float64) (*linear.Linear, error) {
		return func(l2 float64) (*linear.Linear, error) {
			fit, _, err := linear.Margin(t.Context(), x, y, nil, l, l2, linear.MarginOptions{})
			return fit, err
		}
	}
	for name, c := range map[string]struct {
		path path
		one  func(l2 float64) (*linear.Linear, error)
		unit float64 // score of the path over that of the single fit
	}{
		"logistic":    {logisticPath(), single(loss.Logistic{}), 1},
		"hinge":       {hingePath(), single(loss.Hinge{}), 2 * math.Ln2},
		"t-logistic":  {studentPath(trainer("t-logistic", map[string]any{"t": 1.6})), student, 1},
		"temperature": {marginPath(twoTemperature(0.8, 1.1)), single(loss.Tempered{T1: 0.8, T2: 1.1}), 1},
	} {
		fits, err := c.path.fits(t.Context(), s.train, l2s)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{0, 7, 12} {
			want, err := c.one(l2s[k])
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				f, g := fits[k].Fitted.Score(x.Row(i)), c.unit*want.Score(x.Row(i))
				if !(math.Abs(f-g) <= 0.02*(1+math.Abs(g))) {
					t.Fatalf("%s, λ %g: score %v of row %d, alone %v", name, l2s[k], f, i, g)
				}
			}
		}
	}
}

// TestRoles: the roles of the set come in the shares that it is made of.
func TestRoles(t *testing.T) {
	r, count := study.Draw("long-servedio", 8000, 1, nil), [3]float64{}
	for i, y := range r.Y {
		count[synth.LongServedioRole(r.X.Row(i), y)]++
	}
	for i, share := range []float64{.25, .25, .5} {
		if !(math.Abs(count[i]/8000-share) <= 0.02) {
			t.Errorf("%s: %.3f of the rows, want %.2f", longServedioRoles[i], count[i]/8000, share)
		}
	}
	got := influenceCounts([]float64{1, 0, .0399, .5, .9})
	if got[0] != 2 || got[12] != 1 || got[22] != 1 || got[24] != 1 || got[influenceBins] != .5 {
		t.Error(got)
	}
}

// TestKept: a value is made once; a failure is not kept.
func TestKept(t *testing.T) {
	var k kept[int]
	made := 0
	fail := errors.New("cancelled")
	if _, err := k.get(t.Context(), func(context.Context) (int, error) { return 0, fail }); err != fail {
		t.Fatal(err)
	}
	for range 3 {
		v, err := k.get(t.Context(), func(context.Context) (int, error) { made++; return 7, nil })
		if v != 7 || err != nil {
			t.Fatal(v, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// TestPapersRepeat: presets whose units share what is made once have the same
// numbers on one worker and on many, and after an interruption.
func TestPapersRepeat(t *testing.T) {
	for _, id := range papersRepeat {
		p, ok := Presets.ByID(id)
		if !ok {
			t.Fatalf("no %s", id)
		}
		build := func() study.Plan {
			plan, err := p.Build(study.Input{Size: study.Smoke, Seed: 4})
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
		want := mustRun(t, build(), nil)
		alone, half := build(), study.Values{}
		for i, u := range alone.Units {
			if i%2 == 0 {
				half[u.ID] = want[u.ID]
			}
		}
		alone.OneAtATime = true
		same(t, id, mustRun(t, alone, half), want)
	}
}

// papersRepeat are small presets of each paper that measure no time.
var papersRepeat = []string{"ding-fig4", "ding-fig5", "amid-fig2", "fathony-table4"}

// TestPapersUpload: an uploaded table takes the place of a preset's own data,
// under its own name; an outcome of many values is refused where classes are
// needed.
func TestPapersUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("every preset once on an upload")
	}
	file := cancerTable(t)
	for _, p := range slices.Concat(amid, fathony, ding) {
		if !p.Uploads {
			continue
		}
		data := study.Data{Name: "my file", Table: file, Outcome: "diagnosis", Positive: table.Levels{"malignant"}}
		plan, err := p.Build(study.Input{Size: study.Smoke, Seed: 2, Data: &data})
		if err != nil {
			t.Fatalf("%s: %v", p.ID, err)
		}
		distinct(t, plan)
		cells := study.Summarise(plan, mustRun(t, plan, nil))
		exists(t, p, cells)
		for _, c := range cells {
			if !strings.HasPrefix(c.Data, "my file") {
				t.Fatalf("%s: data are called %q", p.ID, c.Data)
			}
			if c.Metric == "error" && c.N > 0 && *c.Mean > .5 || c.Metric == "accuracy" && *c.Mean < .5 {
				t.Errorf("%s: %+v is no better than chance: %v", p.ID, c.Key, *c.Mean)
			}
		}
		if ordinal := strings.Contains(p.ID, "table4") || strings.Contains(p.ID, "table5"); ordinal && strings.HasPrefix(p.ID, "fathony") {
			continue // they cut it into classes
		}
		data.Outcome = "mean_radius"
		if _, err := p.Build(study.Input{Size: study.Smoke, Data: &data}); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%s: an outcome of many values: %v", p.ID, err)
		}
	}
}
