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
				at := fmt.Sprintf("/stratify/%s/live?pi=%.4f,.5,.75&lambda=.03&how=auto&held=.03&drag=result,density,pca,r-strata,r-strip", d.ID, 0.05+0.4*float64(i*7919%10007)/10007)
				if r := ask(s, "GET", at, "", script); r.Code != 200 {
					b.Fatalf("%d %s", r.Code, r.Body)
				}
			}
		})
	}
}
