package linear

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

// oracleCase is a case of the golden files in testdata/oracle (docs/math.md, JSON format of the
// golden files). Expected numbers are decimal strings, {lo, hi} ranges, integers, or null for
// "skip".
type oracleCase struct {
	Name   string
	Params struct {
		Pi     []float64
		Lambda float64
		Loss   string
		Alpha  float64
		T1, T2 float64
		T      float64
	}
	Inputs    oracleInputs
	Expected  map[string]json.RawMessage
	Tolerance struct {
		tolerance
		Fields map[string]tolerance
	}
}

type tolerance struct{ Rel, Abs float64 }

type oracleInputs struct {
	X [][]float64
	Y []float64
}

func (in oracleInputs) design() (Matrix, []float64) {
	x := Matrix{Rows: len(in.X), Cols: len(in.X[0])}
	for _, row := range in.X {
		x.Data = append(x.Data, row...)
	}
	return x, in.Y
}

func (c oracleCase) check(t *testing.T, field string, got float64) {
	t.Helper()
	if raw, ok := c.Expected[field]; ok {
		c.compare(t, field, raw, got)
	}
}

func (c oracleCase) checkAt(t *testing.T, field string, i int, got float64) {
	t.Helper()
	raw, ok := c.Expected[field]
	if !ok {
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	c.compare(t, field, list[i], got)
}

func (c oracleCase) compare(t *testing.T, field string, raw json.RawMessage, got float64) {
	t.Helper()
	if string(raw) == "null" {
		return
	}
	tol, ok := c.Tolerance.Fields[field]
	if !ok {
		tol = c.Tolerance.tolerance
	}
	lo, hi := bounds(t, raw)
	if got < lo-tol.Abs-tol.Rel*math.Abs(lo) || got > hi+tol.Abs+tol.Rel*math.Abs(hi) {
		t.Errorf("%s = %.17g, want %s", field, got, raw)
	}
}

func bounds(t *testing.T, raw json.RawMessage) (lo, hi float64) {
	t.Helper()
	var span struct{ Lo, Hi json.RawMessage }
	if json.Unmarshal(raw, &span) == nil && span.Lo != nil {
		return number(t, span.Lo), number(t, span.Hi)
	}
	v := number(t, raw)
	return v, v
}

func number(t *testing.T, raw json.RawMessage) float64 {
	t.Helper()
	s := string(raw)
	if s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
