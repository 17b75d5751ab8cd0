package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
)

// Prediction is one scored row. Probability is nil for interval models, which
// promise bands and no percentages.
type Prediction struct {
	Score       float64
	Probability *float64
	Stratum     int          // 0…K: the model's own, for a row outside the data too
	Band        string       // its label, "25 – 50 %", or check.OutsideData
	OutsideData []prep.Issue // those of Doubts that put the row outside the data; none: it has a band
	Warnings    []string     // clauses: what was missing, unseen or out of range
	Issues      []prep.Issue // the same by kind and column

	Classes *ClassPrediction // several classes, in place of score and stratum
}

// WarningText joins the warnings into the one text of a CSV cell.
func (p Prediction) WarningText() string { return strings.Join(p.Warnings, "; ") }

// MarshalJSON writes the fields of the API. A row outside the data has its score
// and neither stratum nor probability, so that nobody acts on them by mistake.
func (p Prediction) MarshalJSON() ([]byte, error) {
	if p.Classes != nil {
		return p.Classes.json(p.WarningText(), len(p.OutsideData) > 0)
	}
	out := struct {
		Score       float64  `json:"score"`
		Probability *float64 `json:"probability"`
		Stratum     *int     `json:"stratum"`
		Band        string   `json:"band"`
		Warning     string   `json:"warning"`
	}{p.Score, p.Probability, &p.Stratum, p.Band, p.WarningText()}
	if len(p.OutsideData) > 0 {
		out.Probability, out.Stratum = nil, nil
	}
	return json.Marshal(out)
}

// appended are the columns that PredictCSV adds.
func (m *Model) appended() []string {
	if !m.Multiclass() {
		return m.appendedBands()
	}
	return append(classColumns(m.Levels, m.Link != loss.LinkNone), "warning")
}

// appendedBands are the columns that PredictCSV adds for two classes: no
// probability where the link has none.
func (m *Model) appendedBands() []string {
	if m.Link == loss.LinkNone {
		return []string{"score", "stratum", "band", "warning"}
	}
	return []string{"score", "probability", "stratum", "band", "warning"}
}

// cells are the texts for appendedBands. A row outside the data has its score
// and neither stratum nor probability, so that nobody acts on them by mistake.
func (p Prediction) cells(number func(float64) string) []string {
	probability, stratum := "", strconv.Itoa(p.Stratum)
	if p.Probability != nil {
		probability = number(*p.Probability)
	}
	if len(p.OutsideData) > 0 {
		probability, stratum = "", ""
	}
	if p.Probability == nil {
		return []string{number(p.Score), stratum, p.Band, p.WarningText()}
	}
	return []string{number(p.Score), probability, stratum, p.Band, p.WarningText()}
}

// ClassPrediction is what a multiclass model says of a row.
type ClassPrediction struct {
	Levels        []string
	Scores        []float64
	Probabilities []float64 // nil without
	// Mixture is p*, the mixture of answers that an adversarial loss predicts
	// by, abstaining last where that is one; not an estimate of probabilities.
	// Nil for other losses.
	Mixture []float64
	Class   int // metric.Abstained for none
}

// AbstainText stands for no answer in files.
const AbstainText = "(abstain)"

// Answer names the class, or says that there is none.
func (p *ClassPrediction) Answer() string {
	if p.Class == stat.Abstained {
		return AbstainText
	}
	return p.Levels[p.Class]
}

// ClassColumns names what files say of a row of several classes.
func ClassColumns(levels []string) []string { return classColumns(levels, true) }

// classColumns leaves the probabilities out where the link has none.
func classColumns(levels []string, probable bool) (names []string) {
	for _, l := range levels {
		names = append(names, "score_"+l)
	}
	for _, l := range levels {
		if probable {
			names = append(names, "probability_"+l)
		}
	}
	return append(names, "prediction")
}

// cells are the texts for classColumns; a row outside the data has its scores
// alone.
func (p *ClassPrediction) cells(outside bool, number func(float64) string) []string {
	probabilities, answer := p.Probabilities, p.Answer()
	if outside {
		probabilities, answer = nil, check.OutsideData
	}
	all := ClassCells(p.Scores, probabilities, answer, number)
	if k := len(p.Scores); p.Probabilities == nil {
		all = slices.Delete(all, k, 2*k)
	}
	return all
}

// ClassCells are the texts for ClassColumns; probabilities may be nil.
func ClassCells(scores, probabilities []float64, answer string, number func(float64) string) []string {
	var texts []string
	for _, v := range scores {
		texts = append(texts, number(v))
	}
	for i := range scores {
		text := ""
		if probabilities != nil {
			text = number(probabilities[i])
		}
		texts = append(texts, text)
	}
	return append(texts, answer)
}

// json is the prediction in the API's form. A row outside the data has its
// scores alone.
func (p *ClassPrediction) json(warning string, outside bool) ([]byte, error) {
	out := struct {
		Prediction    *string            `json:"prediction"` // null: abstained, or outside
		Abstained     bool               `json:"abstained"`
		Outside       bool               `json:"outside"`
		Scores        map[string]float64 `json:"scores"`
		Probabilities map[string]float64 `json:"probabilities"`
		Mixture       map[string]float64 `json:"mixture"`
		Warning       string             `json:"warning"`
	}{Abstained: p.Class == stat.Abstained, Scores: p.named(p.Scores), Warning: warning}
	if outside {
		out.Outside, out.Abstained = true, false
		return json.Marshal(out)
	}
	if !out.Abstained {
		out.Prediction = &p.Levels[p.Class]
	}
	if p.Probabilities != nil {
		out.Probabilities = p.named(p.Probabilities)
	}
	if p.Mixture != nil {
		out.Mixture = p.named(p.Mixture)
	}
	return json.Marshal(out)
}

// named pairs values with their classes.
func (p *ClassPrediction) named(v []float64) map[string]float64 {
	m := map[string]float64{}
	for i, x := range v {
		if i < len(p.Levels) {
			m[p.Levels[i]] = x
		} else {
			m[AbstainText] = x
		}
	}
	return m
}
