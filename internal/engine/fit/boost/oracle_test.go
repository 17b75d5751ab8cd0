package boost

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/testdata/oracle"
)

// oracleCase is a case of the golden files in testdata/oracle (docs/math.md, JSON format of the
// golden files).
type oracleCase struct {
	Name   string
	Params struct {
		Alpha  Alpha
		Theta  string
		Rounds int
	}
	Inputs struct {
		X       [][]float64
		Y       []float64
		Margins []float64
	}
	Expected  json.RawMessage
	Tolerance struct{ Rel, Abs float64 }
}

func (c *oracleCase) near(t *testing.T, what string, got float64, decimal string) {
	t.Helper()
	want, err := strconv.ParseFloat(decimal, 64)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(got-want) <= c.Tolerance.Abs+c.Tolerance.Rel*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %s", what, got, decimal)
	}
}

// oracleRound is a round of a golden trace: D before the stump is chosen, H and the loss after
// the update.
type oracleRound struct {
	D     []string
	Stump struct {
		Feature   int
		Threshold float64
		Polarity  float64
	}
	Eps, Theta, Loss string
	H                []string
}

func TestOracleTraces(t *testing.T) {
	for _, c := range oracle.Read[oracleCase](t, "adaboost-alpha") {
		t.Run(c.Name, func(t *testing.T) {
			var want struct {
				Rounds []oracleRound
				Stop   *string
			}
			if err := json.Unmarshal(c.Expected, &want); err != nil {
				t.Fatal(err)
			}
			x, y := design(c.Inputs.X), c.Inputs.Y
			rounds := 0
			model := mustFit(t, x, y, nil, Options{Alpha: float64(c.Params.Alpha), Rule: c.Params.Theta, Rounds: c.Params.Rounds, Trace: func(s Step) {
				if rounds++; rounds <= len(want.Rounds) {
					c.checkRound(t, &want.Rounds[rounds-1], s, y)
				}
			}})
			if rounds != len(want.Rounds) || len(model.Trees) != rounds {
				t.Fatalf("%d rounds, %d trees, want %d", rounds, len(model.Trees), len(want.Rounds))
			}
			for k := range want.Rounds {
				c.near(t, "loss", model.Trees[k].Loss, want.Rounds[k].Loss)
			}
			stop := StoppedRounds
			if want.Stop != nil {
				stop = *want.Stop
			}
			if model.Stopped != stop {
				t.Errorf("stopped %q, want %q", model.Stopped, stop)
			}
		})
	}
}

func (c *oracleCase) checkRound(t *testing.T, want *oracleRound, s Step, y []float64) {
	t.Helper()
	for i := range y {
		c.near(t, "D", s.D[i], want.D[i])
		c.near(t, "H", y[i]*s.M[i], want.H[i])
	}
	root := s.Tree.Nodes[0]
	got := want.Stump
	got.Feature, got.Threshold, got.Polarity = root.Feature, root.Threshold, s.Tree.Nodes[root.Above].Vote
	if got != want.Stump {
		t.Errorf("round %d: stump %+v, want %+v", s.Round, got, want.Stump)
	}
	c.near(t, "eps", s.Tree.Error, want.Eps)
	c.near(t, "theta", s.Tree.Theta, want.Theta)
}

func TestOracleWeights(t *testing.T) {
	for _, c := range oracle.Read[oracleCase](t, "adaboost-weights") {
		t.Run(c.Name, func(t *testing.T) {
			var want struct{ D []string }
			if err := json.Unmarshal(c.Expected, &want); err != nil {
				t.Fatal(err)
			}
			n := len(c.Inputs.Margins)
			y, shares := make([]float64, n), make([]float64, n)
			for i := range y {
				y[i], shares[i] = float64(1-2*(i%2)), 1/float64(n)
			}
			a := newMass(float64(c.Params.Alpha), y, shares)
			a.move(1, c.Inputs.Margins)
			a.reweigh()
			for i, d := range want.D {
				c.near(t, "D", a.d[i], d)
			}
		})
	}
}

func design(rows [][]float64) linear.Matrix {
	x := linear.Matrix{Rows: len(rows), Cols: len(rows[0])}
	for _, row := range rows {
		x.Data = append(x.Data, row...)
	}
	return x
}

func mustFit(t testing.TB, x linear.Matrix, y, weights []float64, o Options) *Model {
	t.Helper()
	model, err := Fit(context.Background(), x, y, weights, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Check(); err != nil {
		t.Fatal(err)
	}
	return model
}
