package explore

import (
	"context"
	"strings"
	"testing"

	"taper/internal/web/boundary"
)

// BenchmarkExplore computes one state of the loss explorer and the differences to the previous one, as a slider
// move does.
func BenchmarkExplore(b *testing.B) {
	for _, query := range []string{"", "family=t-logistic", "family=alpha", "family=interval", "family=interval&pi=" + boundary.Param(dense()), "family=adversarial", "family=adversarial&metric=squared&rival=softmax", "family=adversarial&k=2", "family=alpha&view=landscape"} {
		name := query
		if len(name) > 40 {
			name = "family=interval&pi=dense"
		}
		b.Run(strings.ReplaceAll(name, "/", "-"), func(b *testing.B) {
			st, _ := Parse(mustQuery(b, query))
			was, err := newAnswer(context.Background(), st)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				next := st
				next.Z = float64(i%100)/100 - 3
				next.T1, next.T, next.Alpha = .3+next.Z/100, 1.5+next.Z/100, 4+next.Z/100
				next.Psi[0] = next.Z / 2
				now, err := newAnswer(context.Background(), next)
				if err != nil {
					b.Fatal(err)
				}
				now.since(was, nil)
				was = now
			}
		})
	}
}
