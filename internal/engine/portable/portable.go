// Package portable is a model as it leaves the program: as code of other languages, as an equation, and
// with the rows by which a copy can be held to the engine.
//
// Whoever receives it has neither the data nor this program. So a model here is always one
// without its rows (model.WithoutRows), what cannot be carried along is refused with the reason, and each
// way out is tested row by row against model.Scorer.
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

// Model is a model that can be taken along. Its JSON is that of model.json and the labels of the bands.
type Model struct {
	*model.Model
	Bands []string `json:"bands,omitempty"`

	text []byte // the JSON
}

// Check refuses a model that cannot be taken along, and says why.
func Check(m *model.Model) error {
	switch {
	case m.NotGiven() != nil:
		return m.NotGiven()
	case m.HoldsRows():
		return usererr.New(usererr.Conflict, "A kernel model is a sum over rows of the data, so a copy of it would give "+
			"patients away. Fit a linear model or trees to take one along.")
	case m.Rule == task.RuleMixture:
		return usererr.New(usererr.Conflict, "This loss with a cost matrix solves a linear program for each answer, which "+
			"the copy would have to bring along. Fit the softmax loss, whose answers cost least by its probabilities.")
	}
	return nil
}

// New makes a model ready to be taken along. It must have passed Check, and hold no row.
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

// JSON is the text of the model that every copy holds.
func (p *Model) JSON() []byte { return p.text }

// Hash names the model: the SHA-256 of its JSON in hexadecimal digits.
func (p *Model) Hash() string {
	sum := sha256.Sum256(p.text)
	return hex.EncodeToString(sum[:])
}

//go:embed score.js
var scoreJS string

// ScoreJS is the function taperScorer, which makes a scorer of the JSON of a model.
func ScoreJS() string { return scoreJS }

//go:embed replay.js
var replayJS string

// ReplayJS is the function taperReplay, which holds a scorer to a Replay.
func ReplayJS() string { return replayJS }
