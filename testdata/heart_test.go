package testdata_test

import (
	"taper/internal/engine/odds"
	"taper/internal/engine/synth"

	"math"
	"math/rand/v2"
	"time"
)

// heartRows, heartReturns: visits in the file, and how many of them are by
// patients who were there before.
const (
	heartRows    = 600
	heartReturns = 44
)

// visit is one row of the simulated heart clinic, before it is soiled.
type visit struct {
	patient  int // from 0, in order of first visit
	first    bool
	day      time.Time
	age      int
	male     bool
	height   int
	pain     int // type of chest pain, 1–4
	pressure int
	chol     int
	sugar    bool
	rate     int
	angina   bool
	st       float64 // ST depression, 0.1 mm
	troponin float64 // 0.01 ng/mL; 0 stands for below the limit of detection
	smoker   bool
	disease  bool
}

// heartVisits draws the visits in order of their dates.
func heartVisits(seed uint64) []visit {
	rng := rand.New(rand.NewPCG(seed, synth.Stream("heart-clinic")))
	day := time.Date(2025, 1, 8, 0, 0, 0, 0, time.UTC)
	var visits []visit
	patients := 0
	for len(visits) < heartRows {
		day = day.AddDate(0, 0, rng.IntN(2))
		left := heartReturns - (len(visits) - patients)
		if rng.IntN(heartRows-len(visits)) < left && patients > 0 {
			visits = append(visits, visits[rng.IntN(len(visits))].again(day, rng))
			continue
		}
		v := newVisit(rng)
		v.patient, v.day, v.first = patients, day, true
		visits = append(visits, v)
		patients++
	}
	return visits
}

func newVisit(rng *rand.Rand) visit {
	v := visit{male: rng.Float64() < .6, smoker: rng.Float64() < .35, sugar: rng.Float64() < .14}
	v.age = int(clamp(54+10*rng.NormFloat64(), 28, 79))
	v.height = int(clamp(165+8*rng.NormFloat64(), 145, 198))
	if v.male {
		v.height += 8
	}
	v.pain = 1 + choose(rng, .07, .3, .28, .35)
	v.measure(rng)
	v.disease = rng.Float64() < odds.Sigmoid(v.risk())
	return v
}

// measure draws what differs from visit to visit.
func (v *visit) measure(rng *rand.Rand) {
	age := float64(v.age - 54)
	v.pressure = 2 * int(clamp(66+.15*age+8*rng.NormFloat64(), 45, 100))
	v.chol = int(clamp(240+48*rng.NormFloat64(), 110, 480))
	v.rate = int(clamp(148-.8*age+19*rng.NormFloat64(), 80, 202))
	v.angina = rng.Float64() < odds.Sigmoid(-1.8+.6*float64(v.pain-2))
	v.st = math.Round(10*max(0, 1.1*rng.NormFloat64()+.4)) / 10
	v.troponin = math.Floor(100*math.Exp(-3+.9*rng.NormFloat64())) / 100
}

// risk is the log-odds of disease.
func (v *visit) risk() float64 {
	f := -2.45 + .045*float64(v.age-54) + .8*float64(v.pain-3) + .01*float64(v.pressure-132) +
		.006*float64(v.chol-240) - .025*float64(v.rate-148) + .7*v.st + 4*min(v.troponin, .3)
	for _, extra := range []struct {
		on   bool
		odds float64
	}{{v.male, .9}, {v.angina, .9}, {v.smoker, .4}} {
		if extra.on {
			f += extra.odds
		}
	}
	return f
}

// again is a later visit of the same patient.
func (v visit) again(day time.Time, rng *rand.Rand) visit {
	v.measure(rng)
	v.day, v.first = day, false
	return v
}

func clamp(v, lo, hi float64) float64 { return min(hi, max(lo, v)) }

// choose returns i with probability share[i].
func choose(rng *rand.Rand, share ...float64) int {
	u := rng.Float64()
	for i, s := range share {
		if u < s {
			return i
		}
		u -= s
	}
	return len(share) - 1
}
