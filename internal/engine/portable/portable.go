// Package portable exports a model for use outside the program: as code in other languages, as
// an equation, and with test rows by which a copy can be compared with the engine.
//
// The recipient has neither the data nor this program. Therefore an exported model never
// contains training rows (model.WithoutRows), a model that cannot be exported is refused with
// the reason, and each format is tested row by row against model.Scorer.
package portable

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Model is an exportable model. Its JSON is that of model.json with the labels of the bands.
type Model struct {
	*model.Model
	Bands []string `json:"bands,omitempty"`

	text []byte // the JSON
}

// Check returns an error that says why a model cannot be exported.
func Check(m *model.Model) error {
	switch {
	case m.NotGiven() != nil:
		return m.NotGiven()
	case m.HoldsRows():
		return usererr.New(usererr.Conflict, "A kernel model contains rows of the data, so a copy of it would disclose "+
			"patients. Fit a linear model or trees to export one.")
	case m.Rule == task.RuleMixture:
		return usererr.New(usererr.Conflict, "This loss with a cost matrix solves a linear program for each prediction, "+
			"which an exported model cannot do. Fit the softmax loss, whose predictions have the least expected cost.")
	}
	return nil
}

// New prepares a model for export. The model must have passed Check and contain no training
// rows.
func New(m *model.Model) (*Model, error) {
	if err := Check(m); err != nil {
		return nil, err
	}
	p := &Model{Model: m}
	if !m.Multiclass() {
		p.Bands = stat.BandLabels(m.Boundaries)
	}
	type plain Model
	text, err := json.Marshal((*plain)(p))
	if err != nil {
		return nil, fmt.Errorf("write a model: %w", err)
	}
	p.text = text
	return p, nil
}

// JSON is the model's text, identical in every copy.
func (p *Model) JSON() []byte { return p.text }

// Hash identifies the model: the SHA-256 of its JSON in hexadecimal.
func (p *Model) Hash() string {
	sum := sha256.Sum256(p.text)
	return hex.EncodeToString(sum[:])
}

//go:embed score.js
var scoreJS string

// ScoreJS is the source of the function taperScorer, which makes a scorer from a model's JSON.
func ScoreJS() string { return scoreJS }

//go:embed replay.js
var replayJS string

// ReplayJS is the source of the function taperReplay, which compares a scorer with a Replay.
func ReplayJS() string { return replayJS }
