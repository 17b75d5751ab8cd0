package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/odds"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table/tabletest"
)

// prepared prepares a spec of the clinic under noise.
func prepared(t *testing.T, s runspec.Spec) *Prepared {
	t.Helper()
	p, err := Prepare(context.Background(), tabletest.FromRecords(tabletest.Clinic(240, 41)), s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNoiseIsTold: a test row and its metrics are clean, and the result says which
// rows trained with noise.
func TestNoiseIsTold(t *testing.T) {
	records := tabletest.Clinic(240, 41)
	for _, v := range []runspec.Validation{{Kind: "cv", Folds: 4, Repeats: 2}, {Kind: "split", Test: 0.4}, {Kind: "none"}} {
		s := clinicSpec()
		s.Validation, s.Noise = v, runspec.Noise{Kind: "random", Rate: 0.15}
		p := prepared(t, s)
		flips := p.about.flow.Flipped
		r, err := p.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		right, judged, flagged := 0, 0, 0
		for _, row := range r.Rows {
			if row.Flipped {
				flagged++
			}
			if v.Kind == "split" && row.Split == "train" {
				continue
			}
			if row.Flipped && v.Kind == "split" {
				t.Errorf("row %d never trains and is flagged", row.Row)
			}
			judged++
			if row.Outcome != records[row.Row+1][5] {
				t.Errorf("row %d is shown as %q", row.Row, row.Outcome)
			}
			if (row.Score > odds.Logit(r.Cut)) == (row.Outcome == "died") {
				right++
			}
		}
		if flagged != flips || v.Repeats < 2 && !(math.Abs(*r.Metrics.Test.Accuracy-float64(right)/float64(judged)) <= 1e-12) {
			t.Errorf("%s: %d rows flagged of %d; accuracy %v, on clean labels %v", v.Kind, flagged, flips, *r.Metrics.Test.Accuracy, float64(right)/float64(judged))
		}
		if !slices.ContainsFunc(r.Warnings, func(w Warning) bool {
			return w.Code == WarnNoise && strings.HasPrefix(w.Message, "Label noise was added: ")
		}) {
			t.Errorf("no warning of noise: %v", r.Warnings)
		}
	}
}

// TestNoiseOfOneSeed: a larger rate keeps what a smaller one flips; another
// seed flips others; a rate of 0 changes no bit.
func TestNoiseOfOneSeed(t *testing.T) {
	s := clinicSpec()
	clean := mustFit(t, tabletest.FromRecords(tabletest.Clinic(240, 41)), s)
	for _, kind := range synth.NoiseKinds[1:] {
		at := func(rate float64, seed uint64) *Prepared {
			s := clinicSpec()
			s.Seed, s.Noise = seed, runspec.Noise{Kind: kind, Rate: rate}
			if kind == synth.NoiseClass {
				s.Noise = runspec.Noise{Kind: kind, RatePositive: rate, RateNegative: rate / 3}
			}
			return prepared(t, s)
		}
		few, many, other := at(0.1, 7), at(0.3, 7), at(0.3, 8)
		n := 0
		for i, is := range few.Noise.Rows {
			if is {
				n++
				if !many.Noise.Rows[i] {
					t.Errorf("%s: position %d is spoilt at .1 and not at .3", kind, i)
				}
			}
		}
		if n == 0 || many.Noise.Count <= n {
			t.Errorf("%s: %d positions spoilt, then %d", kind, n, many.Noise.Count)
		}
		if byMargin := strings.HasSuffix(kind, "margin"); slices.Equal(many.Noise.Rows, other.Noise.Rows) != byMargin {
			t.Errorf("%s: the seed is without effect, or of too much", kind)
		}
		s.Noise = runspec.Noise{Kind: kind}
		none := mustFit(t, tabletest.FromRecords(tabletest.Clinic(240, 41)), s)
		none.Warnings = slices.DeleteFunc(none.Warnings, func(w Warning) bool { return w.Code == WarnNoise })
		same(t, kind+" at rate 0", clean, none)
	}
}

// TestInstanceNoise: a corrupted row trains with the features of a row of the
// other class of the same training part, keeps its label, and is evaluated as it
// came.
func TestInstanceNoise(t *testing.T) {
	records := tabletest.Clinic(240, 41)
	s := clinicSpec()
	s.Noise = runspec.Noise{Kind: "instance", Rate: 0.25}
	p := prepared(t, s)
	for _, q := range append(p.Parts[0], p.Final) {
		rows, replaced := p.Features(q.Train())
		if !replaced {
			t.Fatal("nothing is replaced")
		}
		for i, at := range q.Train() {
			own := p.Cohort.Rows[at]
			if (rows[i] != own) != p.Noisy(at) || p.LabelOf(at) != p.Cohort.Label[at] {
				t.Fatalf("position %d trains with row %d as %v", at, rows[i], p.LabelOf(at))
			}
			if donor := rows[i]; donor != own {
				if records[donor+1][5] == records[own+1][5] || !slices.ContainsFunc(q.Train(), func(k int) bool { return p.Cohort.Rows[k] == donor }) {
					t.Fatalf("position %d got row %d: same class, or not in training", at, donor)
				}
			}
		}
	}
	r, err := p.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := r.Model.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	s.Validation.Kind = "none"
	apparent := mustFit(t, tabletest.FromRecords(records), s)
	for i, row := range apparent.Rows {
		if got := scorer.Score(cells(records[0], records[i+1])); !(math.Abs(got.Score-row.Score) <= 1e-12) {
			t.Fatalf("row %d scores %v where its own features score %v", i, row.Score, got.Score)
		}
	}
}

// TestNoiseLeavesAClass: noise that takes the last event from the training
// rows ends in a sentence.
func TestNoiseLeavesAClass(t *testing.T) {
	s := clinicSpec()
	s.Noise = runspec.Noise{Kind: "class", RatePositive: 1}
	_, err := Fit(context.Background(), tabletest.FromRecords(tabletest.Clinic(120, 42)), s, nil)
	if fields(t, err); err == nil || !strings.Contains(err.Error(), "without the event") {
		t.Errorf("all events flipped: %v", err)
	}
}
