// Package stored holds the results of studies that ship with the program, so
// that their pages open at once.
//
// A file is the JSON of a Result, compressed, made by bench/store from a spec
// alone: the same spec gives the same bytes. It holds numbers that do not
// depend on the machine: of a study that measures time the counts alone.
package stored

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

//go:embed results
var files embed.FS

// folder is where the files are.
const folder = "results"

// Robustness is the id of the study that the robustness page opens on.
const Robustness = "robustness"

// Result is a study that was run once.
type Result struct {
	ID      string          `json:"id"` // of the preset, of one on a set (Preset.ResultID), or Robustness
	Spec    study.Spec      `json:"spec"`
	Version string          `json:"version"`
	Date    string          `json:"date"`             // 2006-01-02
	SHA256  string          `json:"sha256,omitempty"` // of the set's file
	Units   int             `json:"units"`
	Cells   []study.Cell    `json:"cells"`
	Notes   []string        `json:"notes,omitempty"` // of the plan
	Weights []study.Weights `json:"weights,omitempty"`
}

// Get returns the result of an id, with false where none ships. Its slices are
// shared: they are not to be changed.
func Get(id string) (Result, bool) {
	read, ok := results()[id]
	if !ok {
		return Result{}, false
	}
	r, err := read()
	if err != nil {
		panic("stored: " + id + ": " + err.Error()) // embedded, and read by a test
	}
	return r, true
}

// results are the files by id, each read once, when asked for.
var results = sync.OnceValue(func() map[string]func() (Result, error) {
	all := map[string]func() (Result, error){}
	names, err := fs.Glob(files, folder+"/*.json.gz")
	if err != nil {
		panic("stored: " + err.Error())
	}
	for _, name := range names {
		id := strings.TrimSuffix(strings.TrimPrefix(name, folder+"/"), ".json.gz")
		all[id] = sync.OnceValues(func() (Result, error) {
			b, err := files.ReadFile(name)
			if err != nil {
				return Result{}, err
			}
			return Read(bytes.NewReader(b))
		})
	}
	return all
})

// Read reads a file.
func Read(r io.Reader) (Result, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return Result{}, fmt.Errorf("read result: %w", err)
	}
	var res Result
	if err := json.NewDecoder(z).Decode(&res); err != nil {
		return Result{}, fmt.Errorf("read result: %w", err)
	}
	study.Relabel(res.Cells)
	return res, z.Close()
}

// Write writes a file; the same result gives the same bytes.
func (r Result) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	if err := json.NewEncoder(z).Encode(r); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return z.Close()
}

// RobustnessSpec is the study that the robustness page opens on: Long and
// Servedio's set, labels flipped at random, four linear models.
func RobustnessSpec(size study.Size, seed uint64) study.Spec {
	replicates := map[study.Size]int{study.Smoke: 2, study.Quick: 20, study.Full: 80}[size]
	given := func(loss string, l2 float64, params map[string]any) fit.Spec {
		return fit.Spec{Kind: "linear", Loss: loss, L2: fit.L2{Value: l2}, Params: params}
	}
	return study.Spec{
		Name: "Accuracy against label noise", Seed: seed, Replicates: replicates, Test: 0.5, Metric: "accuracy",
		Dataset: study.Source{Generator: "long-servedio", Rows: 2000},
		Models: []fit.Spec{
			given("logistic", 1e-4, nil),
			given("tempered", 1e-4, map[string]any{"t1": 0.1, "t2": 1.12}),
			given("alpha", 1e-4, map[string]any{"alpha": 4.0}),
			given("t-logistic", 0.5, map[string]any{"t": 1.9}),
		},
		Noise: study.Noise{Kind: "symmetric", Rates: []float64{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4}},
	}.WithDefaults()
}
