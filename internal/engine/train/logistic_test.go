package train

import (
	"context"
	"testing"
)

func TestOracleLogisticFit(t *testing.T) {
	seen := 0
	for _, c := range oracle(t, "margin-fit") {
		if c.Params.Loss != "logistic" {
			continue
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			x, y := c.Inputs.design()
			fit, err := Logistic(context.Background(), x, y, nil, c.Params.Lambda, LogisticOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(fit.Stopped, fit.Iterations, fit.Evaluations, *fit.GradientNorm)
			c.check(t, "objective", fit.Objective)
			for j, w := range fit.W {
				c.checkAt(t, "w", j, w)
			}
			c.check(t, "b", fit.B)
		})
	}
	if seen == 0 {
		t.Fatal("no logistic cases")
	}
}
