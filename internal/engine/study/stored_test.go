package study

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/golden"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestStoredGrids: studies of one's own give the units, means, comparisons and exports
// that they gave, on generated and uploaded rows; a context that ends is reported.
func TestStoredGrids(t *testing.T) {
	all := grids()
	all["blobs"] = Spec{Seed: 6, Dataset: Source{Generator: "blobs", Rows: 120}, Replicates: 2, Noise: Noise{Rates: []float64{0, .1}},
		Models: []fit.Spec{{Loss: "softmax", L2: fit.L2{Value: .01}}, {Loss: "al-zero-one", L2: fit.L2{Value: .01}}}}
	all["bands"] = Spec{Seed: 7, Dataset: Source{Generator: "gmm", Rows: 120}, Replicates: 3, Metric: "interval_loss", Boundaries: []float64{.2, .6},
		Models: []fit.Spec{{Loss: "interval", L2: fit.L2{Value: .1}}, {Loss: "logistic", L2: fit.L2{Value: .1}}}}
	all["iris"] = Spec{Seed: 8, Dataset: Source{ID: "i"}, Outcome: "species", Replicates: 2, Test: .4,
		Models: []fit.Spec{{Loss: "ww", L2: fit.L2{Value: .01}}, {Kind: "kernel", Loss: "al-zero-one", Kernel: &fit.Kernel{Name: "rbf", Gamma: .5}, L2: fit.L2{Value: .01}}}}
	all["heart"] = Spec{Seed: 9, Dataset: Source{ID: "h"}, Outcome: "disease", Positive: table.Levels{"yes"}, Replicates: 2,
		Models: []fit.Spec{{Loss: "logistic", L2: fit.L2{Value: .01}}, {Loss: "tempered", L2: fit.L2{Value: .01}}}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		t.Run(name, func(t *testing.T) {
			var data *Data
			switch name {
			case "iris":
				data = irisData(t)
			case "heart":
				data = heartData(t)
				s.Outcome, s.Positive = data.Outcome, data.Positive
			}
			p, err := NewPlan(nil, s, data)
			if err != nil {
				t.Fatal(err)
			}
			cells := Summarise(p, mustRun(t, p, nil))
			var long, short bytes.Buffer
			if err := WriteCSV(&long, cells); err != nil {
				t.Fatal(err)
			}
			if err := WriteSummaryCSV(&short, cells); err != nil {
				t.Fatal(err)
			}
			var units []string
			for _, u := range p.Units {
				units = append(units, fmt.Sprint(u.ID, " ", u.Kind, " ", u.Weight, " ", u.Replicate, " ", u.Keys))
			}
			found := map[string]any{"cells": cells, "units": units, "notes": p.Notes, "totals": golden.Exported(Totals(cells, true)),
				"best": golden.Exported(CompareBest(cells, true)), "pair": golden.Exported(Compare(cells[0], cells[len(cells)-1])),
				"warnings": Warnings(cells), "lines": []int{bytes.Count(long.Bytes(), []byte("\n")), bytes.Count(short.Bytes(), []byte("\n"))}}
			w, err := Weigh(t.Context(), s, data, 0, 0, 1)
			found["weights"], found["weights error"] = golden.Exported(w), fmt.Sprint(err)
			golden.Equal(t, "grids/"+name, found)
			if name == "blobs" || name == "iris" || name == "instance" {
				testtime.EndAtLooks(t, func(ctx context.Context) error {
					_, err := Run(ctx, p)
					return err
				})
			}
		})
	}
}

// heartData is the shipped clinic as an upload.
func heartData(t *testing.T) *Data {
	t.Helper()
	c, err := table.Read(t.Context(), testdata.Read("heart-clinic.csv"), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	y := c.Column("disease")
	return &Data{Name: "heart", Table: c, Outcome: "disease", Positive: table.Levels{y.Levels[1]}}
}
