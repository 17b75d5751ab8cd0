package engine

import (
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/errs"
	"taper/internal/engine/metric"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// Shift describes one predictor on the rows of an external validation, by class
// in the order of the model's levels (of two: no event, event), to be read beside
// the rows trained on.
type Shift struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`                // prep.Number or prep.Category
	N         []int         `json:"n"`                   // rows with a value
	Quartiles []*[3]float64 `json:"quartiles,omitempty"` // number: Q1, median, Q3; null without values
	Levels    []ShiftLevel  `json:"levels,omitempty"`    // category: those that training saw, then one for all others
	Missing   int           `json:"missing"`             // without a value, or no plain number
	Outside   int           `json:"outside"`             // beyond the training range, or of a level that training never saw
}

// ShiftLevel counts the rows of a level by class. Levels that training never saw
// are not named: what stands in them may tell of one person.
type ShiftLevel struct {
	Level string `json:"level"`
	N     []int  `json:"n"`
}

// Unseen stands for the levels that training never saw.
const Unseen = "(unseen)"

// shifting gathers the values of one column.
type shifting struct {
	column *prep.Column
	values [][]float64 // of each class
	counts map[string][]int
	out    Shift
}

func newShifting(c *prep.Column, classes int) *shifting {
	return &shifting{column: c, values: make([][]float64, classes), counts: map[string][]int{},
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
		s.values[class] = append(s.values[class], v.Number)
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

// result is called once.
func (s *shifting) result() Shift {
	if s.column.Kind == prep.Number {
		for _, v := range s.values {
			var q *[3]float64
			if len(v) > 0 {
				q = new([3]float64)
				q[0], q[1], q[2] = metric.Quartiles(v)
			}
			s.out.Quartiles = append(s.out.Quartiles, q)
		}
		return s.out
	}
	strange := s.counts[Unseen]
	delete(s.counts, Unseen) // a level of that very name counts with them
	for _, level := range sortedKeys(s.counts) {
		s.out.Levels = append(s.out.Levels, ShiftLevel{level, s.counts[level]})
	}
	if strange != nil {
		s.out.Levels = append(s.out.Levels, ShiftLevel{Unseen, strange})
	}
	return s.out
}

// subgroupsOf judges the rows by the texts of a column: levels as they are, a
// number of more than MostSubgroups values cut at its thirds.
func subgroupsOf(by string, texts []string, decimal string, s metric.Scores) ([]metric.Subgroup, error) {
	c, err := subgroupColumn(by, texts, decimal)
	if err != nil {
		return nil, err
	}
	rows := make([]RowScore, len(texts))
	for i := range rows {
		rows[i].Row = i
	}
	names, of := grouping(c, rows)
	level := make([]int, len(rows))
	for i := range rows {
		level[i] = of(i)
	}
	all := metric.Subgroups(names, level, s)
	return slices.DeleteFunc(all, func(g metric.Subgroup) bool { return g.N == 0 }), nil
}

// subgroupColumn reads texts as levels, or as numbers when they are too many.
func subgroupColumn(by string, texts []string, decimal string) (*table.Column, error) {
	c := &table.Column{Name: by}
	place := map[string]int32{}
	for _, text := range texts {
		code := int32(-1)
		if !slices.Contains(table.DefaultMissing, text) && text != "" {
			var known bool
			if code, known = place[text]; !known {
				code = int32(len(place))
				place[text], c.Levels = code, append(c.Levels, text)
			}
		}
		c.Code = append(c.Code, code)
	}
	if len(c.Levels) <= MostSubgroups {
		return c, nil
	}
	values := make([]float64, len(c.Levels))
	for k, level := range c.Levels {
		v, ok := table.ParseNumber(level, decimal)
		if !ok {
			return nil, errs.BadField("by", "must be a number or have at most %s levels: ‘%s’ has %s", strconv.Itoa(MostSubgroups), by, thousands(len(c.Levels)))
		}
		values[k] = v
	}
	for _, code := range c.Code {
		v := math.NaN()
		if code >= 0 {
			v = values[code]
		}
		c.Num = append(c.Num, v)
	}
	c.Code, c.Levels = nil, nil
	return c, nil
}
