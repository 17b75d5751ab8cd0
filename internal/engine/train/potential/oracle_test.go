package potential

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/engine/train"
)

// oracleCase is a case of testdata/oracle (docs/math.md §10).
type oracleCase struct {
	Name   string
	Params struct {
		Loss, Kernel, Features string
		Lambda, Gamma, Alpha   float64
		Pi                     []float64
	}
	Inputs struct {
		X        [][]float64
		Label    []int
		Y        []float64
		K        int
		Sequence []int
	}
	Expected  json.RawMessage
	Tolerance struct {
		tolerance
		Fields map[string]tolerance
	}
	Flags map[string]any
}

type tolerance struct{ Rel, Abs float64 }

func (t tolerance) holds(got, want float64) bool {
	return math.Abs(got-want) <= t.Abs+t.Rel*math.Abs(want)
}

func oracle(t *testing.T, path string) []oracleCase {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []oracleCase }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	return file.Cases
}

// tolerance of a field.
func (c oracleCase) tolerance(field string) tolerance {
	if t, ok := c.Tolerance.Fields[field]; ok {
		return t
	}
	return c.Tolerance.tolerance
}

// decimal is a number written as a string.
type decimal float64

func (d *decimal) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*d = decimal(v)
	return err
}

func design(rows [][]float64) train.Matrix {
	x := train.Matrix{Rows: len(rows), Cols: len(rows[0])}
	for _, r := range rows {
		x.Data = append(x.Data, r...)
	}
	return x
}

// spec of a case; labels ±1 become classes.
func (c oracleCase) spec(t *testing.T) (Spec, []int) {
	s := Spec{Family: family(t, c.Params.Loss), Classes: c.Inputs.K, L2: c.Params.Lambda, NoConstant: true}
	s.Params = s.Family.Defaults()
	if c.Params.Loss == "al-abstain" {
		s.Params["alpha"] = loss.Value{Number: c.Params.Alpha}
	}
	if c.Params.Features == "th" {
		s.Features = Thresholds
	}
	switch c.Params.Kernel {
	case "rbf":
		s.Kernel = &Kernel{Name: KernelRBF, Gamma: c.Params.Gamma}
	case "linear":
		s.Kernel = &Kernel{Name: KernelLinear}
	}
	y := c.Inputs.Label
	if y == nil {
		s.Classes = 2
		for _, v := range c.Inputs.Y {
			y = append(y, side(v))
		}
	}
	return s, y
}

func family(t testing.TB, id string) loss.Family {
	t.Helper()
	f, ok := loss.FamilyByID(id)
	if !ok {
		t.Fatalf("no family %s", id)
	}
	return f
}

// parameters are θ as the oracle lists it: the weights, then the offsets that
// the form adds.
func parameters(m *Model) []float64 {
	var theta []float64
	for _, w := range m.Weights {
		theta = append(theta, w...)
	}
	if m.Form != FormClasses {
		theta = append(theta, m.Offsets...)
	}
	return theta
}

func TestOracleFit(t *testing.T) {
	for _, c := range oracle(t, "testdata/oracle/al-fit.json") {
		t.Run(c.Name, func(t *testing.T) {
			s, y := c.spec(t)
			var want struct {
				Objective decimal
				Theta, W  []decimal
				B         json.RawMessage
			}
			if err := json.Unmarshal(c.Expected, &want); err != nil {
				t.Fatal(err)
			}
			fit, err := Fit(context.Background(), design(c.Inputs.X), y, nil, s, Options{Gap: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			if !c.tolerance("objective").holds(fit.Objective, float64(want.Objective)) {
				t.Errorf("objective %.17g, want %.17g (gap %g, %s after %d)", fit.Objective, want.Objective, *fit.Gap, fit.Stopped, fit.Iterations)
			}
			t.Logf("gap %.1e after %d sweeps", *fit.Gap, fit.Iterations)
			theta := parameters(fit.Model)
			for j, v := range append(want.Theta, want.W...) {
				if !c.tolerance("theta").holds(theta[j], float64(v)) {
					t.Errorf("θ[%d] = %.10g, want %.10g", j, theta[j], v)
				}
			}
		})
	}
}
