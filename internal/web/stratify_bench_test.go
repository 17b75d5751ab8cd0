package web

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"taper/internal/app/datasets"
	"taper/internal/store"
)

// BenchmarkMove measures the answer to a move of a boundary in stratify, for the tables of TestMovesInUnits.
func BenchmarkMove(b *testing.B) {
	s := benchServer(b)
	for _, size := range [][2]int{{569, 30}, {411, 93}, {556, 13}} {
		up, err := s.datasets.Upload(bytes.NewReader(simulated(size[0], size[1])))
		if err != nil {
			b.Fatal(err)
		}
		d, err := s.datasets.Create(context.Background(), up, datasets.File{Name: "simulated", File: "simulated.csv", Choice: store.Choice{Outcome: "ill", Positive: []string{"yes"}}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				pi := .05 + .01*float64(i%40) + 1e-5*float64(i/40) // across the range in steps of a fortieth, to a new state each time
				at := fmt.Sprintf("/stratify/%s/live?pi=%.5f,.5,.75&lambda=.03&how=auto&held=.03&drag=result,density,pca,r-strata,r-strip", d.ID, pi)
				if r := ask(s, "GET", at, "", script); r.Code != 200 {
					b.Fatalf("%d %s", r.Code, r.Body)
				}
			}
		})
	}
}
