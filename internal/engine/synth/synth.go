// Package synth makes the simulated data sets of the papers and of the
// product (docs/math.md, Datasets and noise, docs/generators.md).
//
// A generator is a pure function of its rows, seed and parameters: the same
// call gives the same bits. Two-class outcomes are written 1 and 0, the event
// first in Meta; features are x1, x2, … and the outcome y unless the recipe
// names its columns. Nothing here stands for real patients, and every table
// says so in Meta.
package synth

import (
	"cmp"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// MaxRows and MaxCells bound one generated table.
const (
	MaxRows  = 5_000_000
	MaxCells = 100_000_000
)

// Generator is one recipe. Generators lists them all.
type Generator struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Source string  `json:"source"` // paper and place, or what it imitates
	Rows   int     `json:"rows"`   // default number of rows
	Params []Param `json:"params"`
	cols   int     // columns when no parameter says
	make   func(draw) (*table.Table, Meta)

	Ordered bool `json:"-"` // whether its classes have an order
}

// Param is a number a generator can be told.
type Param struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Default float64 `json:"default"`
	Integer bool    `json:"integer,omitempty"`
}

// Meta says what a generated table is for.
type Meta struct {
	Name      string   `json:"name"` // file name for the table
	Outcome   string   `json:"outcome"`
	Positive  string   `json:"positive,omitempty"`   // the event, for two classes
	Negative  string   `json:"negative,omitempty"`   // trained against Positive
	ScoreOnly []string `json:"score_only,omitempty"` // other levels of the outcome
	Levels    []string `json:"levels,omitempty"`     // order, for more classes
	Notes     []string `json:"notes"`                // how it was made; the first says that it is simulated
}

// draw is what a recipe works with.
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

// Ordered reports whether the classes of a generator have an order.
func Ordered(id string) bool {
	return slices.ContainsFunc(Generators, func(g Generator) bool { return g.ID == id && g.Ordered })
}

// Generate draws a table; rows 0 means the generator's default, a parameter
// left out takes its default.
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

// ask reads what is asked of a generator, with its defaults filled in.
func ask(id string, n int, params map[string]float64) (g Generator, rows int, values map[string]float64, err error) {
	i := slices.IndexFunc(Generators, func(g Generator) bool { return g.ID == id })
	if i < 0 {
		return g, 0, nil, usererr.BadField("generator", "is not known (got %q)", id)
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

// cells is how many numbers a table has.
func (g Generator) cells(rows int, values map[string]float64) float64 {
	return float64(rows) * max(values["p"], values["d"], float64(g.cols))
}

// Memory is what making a table takes at most, in bytes: its numbers, and as much again where a
// column is made of others. Rows and params are those of Generate.
func Memory(id string, rows int, params map[string]float64) (int64, error) {
	g, rows, values, err := ask(id, rows, params)
	if err != nil {
		return 0, err
	}
	return int64(24*g.cells(rows, values)) + 64*int64(rows), nil
}

// values checks the parameters that came and fills in the others.
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

// Stream is the random stream of a name (its FNV-1a), so that one seed does not tie two
// data sets together.
func Stream(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
