package external

import (
	"maps"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Shift describes the distribution of a predictor in external rows, by class in the order of
// the model's levels (of two: no event, event), for comparison with the training rows.
type Shift struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`                // prep.Number or prep.Category
	N         []int         `json:"n"`                   // rows with a value, by class
	Quartiles []*[3]float64 `json:"quartiles,omitempty"` // number: Q1, median, Q3 by class; null without values
	Levels    []ShiftLevel  `json:"levels,omitempty"`    // category: the training levels, then one for all others
	Missing   int           `json:"missing"`             // missing, or not a plain number
	MissingIn []int         `json:"-"`                   // the same by class, if known from the table of a run
	// outside the training range, or of an unseen level
	Outside int `json:"outside"`
}

// ShiftLevel counts the rows of a level by class. Unseen levels are not named, because they
// could contain text about one person.
type ShiftLevel struct {
	Level string `json:"level"`
	N     []int  `json:"n"`
}

// Unseen is the name for all levels that were not in the training rows.
const Unseen = "(unseen)"

// shifting collects the values of one column.
type shifting struct {
	column *prep.Column
	values []sample // by class
	counts map[string][]int
	out    Shift
}

func newShifting(c *prep.Column, classes int) *shifting {
	return &shifting{column: c, values: make([]sample, classes), counts: map[string][]int{},
		out: Shift{Name: c.Name, Kind: c.Kind, N: make([]int, classes)}}
}

func (s *shifting) add(v prep.Cell, class int) {
	if v.Outside {
		s.out.Outside++
	}
	switch {
	case v.Missing:
		s.out.Missing++
		return
	case s.column.Kind == prep.Number:
		s.values[class].add(v.Number)
	default:
		level := v.Level
		if v.Outside {
			level = Unseen
		}
		if s.counts[level] == nil {
			s.counts[level] = make([]int, len(s.values))
		}
		s.counts[level][class]++
	}
	s.out.N[class]++
}

// mostValues is the number of values kept per column and class.
const mostValues = 1 << 18

// sample keeps every value while there are few, then every second, fourth and so on, which
// suffices for quartiles.
type sample struct {
	kept []float64
	seen int
	skip int // one in 2^skip is kept
}

func (s *sample) add(v float64) {
	if s.seen&(1<<s.skip-1) == 0 {
		s.kept = append(s.kept, v)
	}
	s.seen++
	if len(s.kept) < mostValues {
		return
	}
	for i := range s.kept[:mostValues/2] {
		s.kept[i] = s.kept[2*i]
	}
	s.kept, s.skip = s.kept[:mostValues/2], s.skip+1
}

// result may be called once.
func (s *shifting) result() Shift {
	if s.column.Kind == prep.Number {
		for _, v := range s.values {
			var q *[3]float64
			if len(v.kept) > 0 {
				q = new([3]float64)
				q[0], q[1], q[2] = stat.Quartiles(v.kept)
			}
			s.out.Quartiles = append(s.out.Quartiles, q)
		}
		return s.out
	}
	strange := s.counts[Unseen]
	delete(s.counts, Unseen) // merged with a training level of the same name
	for _, level := range slices.Sorted(maps.Keys(s.counts)) {
		s.out.Levels = append(s.out.Levels, ShiftLevel{level, s.counts[level]})
	}
	if strange != nil {
		s.out.Levels = append(s.out.Levels, ShiftLevel{Unseen, strange})
	}
	return s.out
}

// levels are the texts of a column by row, each distinct text stored once.
type levels struct {
	place   map[string]int32
	names   []string
	code    []int32 // −1 = missing
	decimal string
}

func (l *levels) add(text string) {
	code := int32(-1)
	if text != "" && !slices.Contains(table.DefaultMissing, text) {
		var known bool
		if code, known = l.place[text]; !known {
			text = strings.Clone(text) // a substring would keep the whole line in memory
			code = int32(len(l.names))
			l.place[text], l.names = code, append(l.names, text)
		}
	}
	l.code = append(l.code, code)
}

// column converts the texts to levels, or to numbers if there are too many levels.
func (l *levels) column(name string) (*table.Column, error) {
	if len(l.names) <= table.MostGroups {
		return &table.Column{Name: name, Code: l.code, Levels: l.names}, nil
	}
	values := make([]float64, len(l.names))
	for k, text := range l.names {
		v, ok := table.ParseNumber(text, l.decimal)
		if !ok {
			return nil, usererr.BadField("by", "must be a number or have at most %d levels: ‘%s’ has %s",
				table.MostGroups, name,
				phrase.Int(len(l.names)))
		}
		values[k] = v
	}
	c := &table.Column{Name: name}
	for _, code := range l.code {
		v := math.NaN()
		if code >= 0 {
			v = values[code]
		}
		c.Num = append(c.Num, v)
	}
	return c, nil
}

// subgroupsOf evaluates the rows by the levels of a column; a number with more than
// MostSubgroups values is cut at its tertiles.
func subgroupsOf(by string, l levels, s stat.Scores) ([]stat.Subgroup, error) {
	c, err := l.column(by)
	if err != nil {
		return nil, err
	}
	rows := make([]int, len(l.code))
	for i := range rows {
		rows[i] = i
	}
	names, group := c.Groups(rows)
	return stat.SubgroupsOf(names, rows, group, s), nil
}
