package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// frame is a file before it is written: a header and cells.
type frame struct {
	names []string
	cells map[string][]string
	n     int
	bare  bool // written without a header
	rng   *rand.Rand
}

func (f *frame) add(name string, cell func(i int) string) {
	if _, ok := f.cells[name]; !ok {
		// The outcome stays the last column, as in most files.
		f.names = slices.Insert(f.names, max(0, len(f.names)-1), name)
	}
	col := make([]string, f.n)
	for i := range col {
		col[i] = cell(i)
	}
	f.cells[name] = col
}

func (f *frame) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if !f.bare {
		w.Write(f.names)
	}
	for i := range f.n {
		row := make([]string, len(f.names))
		for j, name := range f.names {
			row[j] = f.cells[name][i]
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// drop deletes a share of a column's cells.
func (f *frame) drop(name string, share float64) {
	for i := range f.cells[name] {
		if f.rng.Float64() < share {
			f.cells[name][i] = ""
		}
	}
}

func decimals(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// measure is a kind of clinical measurement with its usual mean, SD and decimals; log measurements are skewed to
// the right.
type measure struct {
	name   string
	mid    float64
	sd     float64 // of the logarithm if log is set
	digits int
	log    bool
}

var measures = []measure{
	{"systolic_bp", 128, 17, 0, false}, {"diastolic_bp", 78, 10, 0, false}, {"cholesterol", 5.2, 1, 2, false},
	{"bmi", 26.5, .17, 1, true}, {"crp", 4, 1.1, 1, true}, {"creatinine", 82, .28, 0, true},
	{"troponin", 12, 1.3, 1, true},
	{"heart_rate", 73, 11, 0, false}, {"haemoglobin", 13.8, 1.5, 1, false}, {"platelets", 251000, .28, 0, true},
	{"bilirubin", 9, .6, 1, true}, {"albumin", 41, 4.2, 1, false}, {"ferritin", 110, 1, 0, true},
	{"sodium", 139, 3, 0, false}, {"income", 31000, .7, 0, true}, {"glucose", 5.6, .16, 1, true},
}

// clean is an ordinary clinical file without a flaw: six to ten measurements, sex, smoking, a site or stage,
// sometimes a count, a record number or values missing at random, and an outcome that depends on some of them.
func clean(seed uint64) *frame {
	rng := rand.New(rand.NewPCG(seed, 12))
	f := &frame{cells: map[string][]string{}, n: 150 + rng.IntN(900), rng: rng}
	f.names, f.cells["diagnosis"] = []string{"diagnosis"}, nil
	risk := make([]float64, f.n)
	f.add("age", func(i int) string {
		v := min(89, max(18, 58+14*rng.NormFloat64()))
		risk[i] += (v - 58) / 20
		return decimals(v, 0)
	})
	f.add("sex", func(int) string { return []string{"f", "m"}[rng.IntN(2)] })
	for _, k := range rng.Perm(len(measures))[:6+rng.IntN(5)] {
		m := measures[k]
		weight := rng.NormFloat64() / 3
		f.add(m.name, func(i int) string {
			z := rng.NormFloat64()
			risk[i] += weight * z
			if m.log {
				return decimals(m.mid*math.Exp(m.sd*z), m.digits)
			}
			return decimals(max(m.mid/10, m.mid+m.sd*z), m.digits)
		})
	}
	f.add("smoker", func(i int) string {
		k := rng.IntN(3)
		risk[i] += float64(k) / 4
		return []string{"never", "former", "current"}[k]
	})
	switch rng.IntN(3) {
	case 0:
		f.add("site", func(int) string { return []string{"Graz", "Linz", "Wien", "Ulm"}[rng.IntN(4)] })
	case 1:
		f.add("stage", func(int) string { return strconv.Itoa(1 + rng.IntN(4)) })
	default:
		f.add("visits", func(int) string { return strconv.Itoa(int(rng.ExpFloat64() * 3)) })
	}
	if rng.IntN(2) == 0 {
		f.add("record_id", func(i int) string { return fmt.Sprintf("R%05d", 10000+7*i) })
	}
	f.add("diagnosis", func(i int) string {
		if 1/(1+math.Exp(1-risk[i])) > rng.Float64() {
			return "disease"
		}
		return "healthy"
	})
	if rng.IntN(2) == 0 {
		f.drop(f.names[2+rng.IntN(4)], .02+.1*rng.Float64())
	}
	return f
}
