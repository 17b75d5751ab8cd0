package linear

import (
	"math"
	"testing"

	"taper/testdata/oracle"
)

// The coefficients against other programs' of the same rows and objective
// (bench/reference): R 4.2.2, stats glm(y ~ x1 + x2 + x3 + x4, binomial) and
// statsmodels 0.13.5 Logit, without penalty, which is λ = 1e-15 here; glmnet 4.1-6 glmnet(x, y, "binomial", alpha =
// 0, lambda = 0.05, standardize = FALSE) and scikit-learn 1.2.1
// LogisticRegression(C = 1/(0.05·n), solver = "newton-cholesky") at λ = 0.05.
func TestLogisticReference(t *testing.T) {
	for program, plain := range map[string]string{"statistics-r": "glm", "statistics-python": "logit"} {
		stored := oracle.Statistics(t, program)
		for _, r := range oracle.Read[oracle.Rows](t, "statistics-data") {
			of := stored[r.Name]
			holdFit(t, r, 1e-15, of[plain].Value[:5], 1e-12)
			holdFit(t, r, 0.05, of["ridge"].Value, 1e-11) // the tolerance of glmnet's coordinate descent
		}
	}
}

// holdFit compares intercept and weights with want.
func holdFit(t *testing.T, r oracle.Rows, l2 float64, want []float64, tol float64) {
	t.Helper()
	y := make([]float64, len(r.Y))
	for i, v := range r.Y {
		y[i] = float64(2*v - 1)
	}
	fit, err := Logistic(t.Context(), Matrix{Rows: len(y), Cols: 4, Data: r.X(false)}, y, nil, l2, LogisticOptions{GradTol: 1e-14})
	if err != nil {
		t.Fatal(err)
	}
	for j, got := range append([]float64{fit.B}, fit.W...) {
		if d := math.Abs(got - want[j]); !(d <= tol*(1+math.Abs(want[j]))) {
			t.Errorf("%s at λ = %v, coefficient %d: %.15g, elsewhere %.15g: off by %.1g", r.Name, l2, j, got, want[j], d)
		}
	}
}
