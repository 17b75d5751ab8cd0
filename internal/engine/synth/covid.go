package synth

import (
	"fmt"

	"taper/internal/engine/odds"
	"taper/internal/engine/table"
)

// CovidIntercept gives a prevalence of 14 %; a test solves for it.
const CovidIntercept = -2.821769

// Age brackets with proportions and log-odds; symptoms with the intercept of their frequency
// and their log-odds (docs/generators.md).
var (
	covidAges = []struct {
		level       string
		share, odds float64
	}{{"18-24", .10, 0}, {"25-34", .17, .05}, {"35-44", .18, .10}, {"45-54", .17, .10}, {"55-64", .17, .05},
		{"65-74", .14, -.05}, {"75+", .07, -.10}}

	covidSymptoms = []struct {
		name    string
		a, odds float64
	}{{"smell_taste_loss", -3.2, 2.16}, {"short_breath", -2.4, .25}, {"aches", -1.2, .45}, {"tired", -.6, .30},
		{"cough", -1.4, .55}, {"fever", -2.2, .80}}
)

const (
	covidMale     = .45
	covidMaleOdds = .10
	covidIllness  = 1.2 // effect of latent illness on the log-odds of every symptom
)

var covidSurvey = Generator{
	ID: "covid-survey", Title: "Symptom survey (COVID-19-like, simulated)",
	Source: "Sypherd et al. 2023, section 6.3", Rows: 20_000, cols: 9,
	make: func(d draw) (*table.Table, Meta) {
		age := &table.Column{Name: "age", Code: make([]int32, d.rows)}
		for _, a := range covidAges {
			age.Levels = append(age.Levels, a.level)
		}
		gender := yesNo("gender", d.rows, "female", "male")
		positive := yesNo("covid", d.rows, "no", "yes")
		cols := []*table.Column{age, gender}
		for _, s := range covidSymptoms {
			cols = append(cols, yesNo(s.name, d.rows, "no", "yes"))
		}
		for i := range d.rows {
			if d.rng.Float64() < odds.Sigmoid(covidRow(d, cols, i)) {
				positive.Code[i] = 1
			}
		}
		return finish(append(cols, positive)), Meta{
			Outcome: "covid", Positive: "yes", Negative: "no",
			Notes: []string{fmt.Sprintf("Intercept %.6f: 14 %% are positive in expectation.", CovidIntercept)},
		}
	},
}

func yesNo(name string, rows int, no, yes string) *table.Column {
	return &table.Column{Name: name, Code: make([]int32, rows), Levels: []string{no, yes}}
}

// covidRow draws one respondent's answers and returns the log-odds of a positive test.
func covidRow(d draw, cols []*table.Column, i int) float64 {
	f, share := CovidIntercept, d.rng.Float64()
	k := 0
	for k < len(covidAges)-1 && share >= covidAges[k].share {
		share -= covidAges[k].share
		k++
	}
	cols[0].Code[i] = int32(k)
	f += covidAges[k].odds
	if d.rng.Float64() < covidMale {
		cols[1].Code[i] = 1
		f += covidMaleOdds
	}
	u := d.rng.NormFloat64()
	for j, s := range covidSymptoms {
		if d.rng.Float64() < odds.Sigmoid(s.a+covidIllness*u) {
			cols[2+j].Code[i] = 1
			f += s.odds
		}
	}
	return f
}
