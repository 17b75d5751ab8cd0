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

// Prediction is one scored row. Probability is nil for interval models, which estimate bands
// only.
type Prediction struct {
	Score       float64
	Probability *float64
	Stratum     int          // 0…K, also for a row outside the data
	Band        string       // its label, such as "25 – 50 %", or check.OutsideData
	OutsideData []prep.Issue // those of Issues that put the row outside the data; empty = it has a band
	Warnings    []string     // clauses: what was missing, unseen or out of range
	Issues      []prep.Issue // the warnings, with kind and column

	Classes *ClassPrediction // multiclass: in place of score and stratum
}

// WarningText joins the warnings into the text of one CSV cell.
func (p Prediction) WarningText() string { return strings.Join(p.Warnings, "; ") }

// MarshalJSON writes the fields of the API. A row outside the data has a score, but no stratum
// and no probability, so that nobody acts on an extrapolation by mistake.
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

// appended lists the columns that PredictCSV adds.
func (m *Model) appended() []string {
	if !m.Multiclass() {
		return m.appendedBands()
	}
	return append(classColumns(m.Levels, m.Link != loss.LinkNone), "warning")
}

// appendedBands lists the added columns for two classes; there is no probability if the link
// has none.
func (m *Model) appendedBands() []string {
	if m.Link == loss.LinkNone {
		return []string{"score", "stratum", "band", "warning"}
	}
	return []string{"score", "probability", "stratum", "band", "warning"}
}

// cells are the texts for appendedBands. For a row outside the data only the score and the
// warning are filled in.
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

// ClassPrediction is the prediction of a multiclass model for one row.
type ClassPrediction struct {
	Levels        []string
	Scores        []float64
	Probabilities []float64 // nil if the loss has none
	// Mixture is p*, the mixture of answers that is optimal under an adversarial loss
	// (abstaining last, where allowed). It is not an estimate of probabilities. Nil for other
	// losses.
	Mixture []float64
	Class   int // metric.Abstained for abstention
}

// AbstainText is the answer "abstain" in files and in the API. Pages and reports say NoAnswer.
const (
	AbstainText = "(abstain)"
	NoAnswer    = "No answer"
)

// InWords is an answer as pages show it, by its name in files.
func InWords(answer string) string {
	if answer == AbstainText {
		return NoAnswer
	}
	return answer
}

// Answer is the name of the predicted class, or AbstainText.
func (p *ClassPrediction) Answer() string {
	if p.Class == stat.Abstained {
		return AbstainText
	}
	return p.Levels[p.Class]
}

// ClassColumns names the columns of a multiclass prediction in files.
func ClassColumns(levels []string) []string { return classColumns(levels, true) }

// classColumns omits the probabilities if the link has none.
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

// cells are the texts for classColumns; a row outside the data has only its scores.
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

// json is the prediction in the API's format. A row outside the data has only its scores.
func (p *ClassPrediction) json(warning string, outside bool) ([]byte, error) {
	out := struct {
		Prediction    *string            `json:"prediction"` // null = abstained, or outside the data
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

// named maps class names to values.
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
