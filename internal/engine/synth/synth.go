// Package synth generates the simulated datasets of the papers and of the product
// (docs/math.md, Datasets and noise; docs/generators.md).
//
// A generator is a pure function of its rows, seed and parameters: the same call gives the same
// bits. Two-class outcomes are 1 and 0, with the event first in Meta; features are x1, x2, …
// and the outcome is y, unless the recipe names its columns. No dataset contains real patients,
// and Meta says so for every table.
package synth

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// MaxRows and MaxCells bound one generated table.
const (
	MaxRows  = 5_000_000
	MaxCells = 100_000_000
)

// Generator is one recipe. Generators lists all of them.
type Generator struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Source string  `json:"source"` // paper and section, or what it imitates
	Rows   int     `json:"rows"`   // default number of rows
	Params []Param `json:"params"`
	cols   int     // number of columns, if no parameter sets it
	make   func(draw) (*table.Table, Meta)

	Ordered bool `json:"-"` // its classes are ordered
}

// Param is a numeric parameter of a generator.
type Param struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Default float64 `json:"default"`
	Integer bool    `json:"integer,omitempty"`
}

// Meta describes a generated table.
type Meta struct {
	Name      string   `json:"name"` // file name for the table
	Outcome   string   `json:"outcome"`
	Positive  string   `json:"positive,omitempty"`   // the event, with two classes
	Negative  string   `json:"negative,omitempty"`   // the non-event
	ScoreOnly []string `json:"score_only,omitempty"` // other levels of the outcome
	Levels    []string `json:"levels,omitempty"`     // order, with more classes
	Notes     []string `json:"notes"`                // how it was generated; the first says that it is simulated
}

// draw holds the inputs of a recipe.
type draw struct {
	rows   int
	rng    *rand.Rand
	params map[string]float64
}

// Generators lists every recipe in the order of the API.
var Generators = []Generator{
	longServedio, longServedio2D, measeWyner, gmm,
	kimes("1.1"), kimes("1.2"), kimes("1.3"), kimes("2.1"), kimes("2.2"), kimes("2.3"),
	moons, circles, xor, blobs, ordinalStripes, ordinalFan, covidSurvey, adniLike,
}

// Ordered reports whether the classes of a generator are ordered.
func Ordered(id string) bool {
	return slices.ContainsFunc(Generators, func(g Generator) bool { return g.ID == id && g.Ordered })
}

// Generate draws a table. rows = 0 means the generator's default; parameters left out take
// theirs.
func Generate(id string, rows int, seed uint64, params map[string]float64) (*table.Table, Meta, error) {
	g, rows, values, err := ask(id, rows, params)
	if err != nil {
		return nil, Meta{}, err
	}
	t, meta := g.make(draw{rows, rand.New(rand.NewPCG(seed, Stream(id))), values})
	meta.Name = id + ".csv"
	meta.Notes = append([]string{"Simulated by the program: " + g.Title + ". No real people."}, meta.Notes...)
	return t, meta, nil
}

// IDs are the ids of all generators.
func IDs() (ids []string) {
	for _, g := range Generators {
		ids = append(ids, g.ID)
	}
	return ids
}

// ask validates the arguments of Generate and fills in defaults.
func ask(id string, n int, params map[string]float64) (g Generator, rows int, values map[string]float64, err error) {
	i := slices.IndexFunc(Generators, func(g Generator) bool { return g.ID == id })
	if i < 0 {
		return g, 0, nil, usererr.BadField("generator", "must be one of %s (got %q)", strings.Join(IDs(), ", "), id)
	}
	g = Generators[i]
	rows = cmp.Or(n, g.Rows)
	if rows < 1 || rows > MaxRows {
		return g, 0, nil, usererr.BadField("rows", "must be from 1 to %d (got %d)", MaxRows, rows)
	}
	if values, err = g.values(params); err != nil {
		return g, 0, nil, err
	}
	if g.cells(rows, values) > MaxCells {
		return g, 0, nil, usererr.BadField("rows", "times columns must be at most %d", MaxCells)
	}
	return g, rows, values, nil
}

// cells is the number of cells of a table.
func (g Generator) cells(rows int, values map[string]float64) float64 {
	return float64(rows) * max(values["p"], values["d"], float64(g.cols))
}

// Memory is an upper bound in bytes on the memory of generating a table: its numbers, and as
// much again where a column is computed from others. rows and params are as in Generate.
func Memory(id string, rows int, params map[string]float64) (int64, error) {
	g, rows, values, err := ask(id, rows, params)
	if err != nil {
		return 0, err
	}
	return int64(24*g.cells(rows, values)) + 64*int64(rows), nil
}

// values validates the given parameters and fills in the others.
func (g Generator) values(params map[string]float64) (map[string]float64, error) {
	values := map[string]float64{}
	for _, p := range g.Params {
		values[p.Name] = p.Default
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		i := slices.IndexFunc(g.Params, func(p Param) bool { return p.Name == name })
		field := "params." + name
		if i < 0 {
			return nil, usererr.BadField(field, "is no parameter of %s", g.ID)
		}
		p, v := g.Params[i], params[name]
		switch {
		case !(v >= p.Min && v <= p.Max):
			return nil, usererr.BadField(field, "must be from %g to %g (got %g)", p.Min, p.Max, v)
		case p.Integer && v != float64(int(v)):
			return nil, usererr.BadField(field, "must be a whole number (got %g)", v)
		}
		values[name] = v
	}
	return values, nil
}

// Stream is a random stream derived from a name (its FNV-1a hash), so that two datasets with
// the same seed are independent.
func Stream(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
