package table

import (
	"taper/internal/engine/pages"
	"taper/internal/engine/parallel"
)

// store holds the columns, which all chunks fill concurrently, each its own rows.
type store struct {
	plans []plan
	num   [][]float64
	code  [][]int32
}

func newStore(plans []plan, rows int) *store {
	s := &store{plans, make([][]float64, len(plans)), make([][]int32, len(plans))}
	for j, p := range plans {
		switch {
		case p.skip:
		case p.numbers:
			s.num[j] = p.memory.floats(rows)
		default:
			s.code[j] = p.memory.codes(rows)
		}
	}
	return s
}

// cells returns the part of the columns for a chunk with rows from ≤ row < to, which is about to be parsed.
func (s *store) cells(from, to int) []cells {
	cols := make([]cells, len(s.plans))
	for j := range cols {
		c := &cols[j]
		c.plan = &s.plans[j]
		switch {
		case c.skip:
		case c.numbers:
			c.num, c.dict = s.num[j][from:to], &dict{}
			if c.memory != nil {
				pages.Ready(c.num)
			}
		default:
			c.code, c.dict = s.code[j][from:to], &dict{}
			if c.memory != nil {
				pages.Ready(c.code)
			}
		}
	}
	return cols
}

// merge closes the gaps left by blank lines and dropped rows, and joins the chunks of each column.
func (s *store) merge(chunks []chunk, cols [][]cells) []*merged {
	rows := 0
	for _, c := range chunks {
		rows += c.rows
	}
	out := make([]*merged, len(s.plans))
	parallel.Each(len(out), 0, func(_, j int) {
		if s.plans[j].skip {
			return
		}
		parts := make([]*cells, len(chunks))
		at, start := 0, 0
		for k, c := range chunks {
			part := &cols[k][j]
			parts[k], part.rows = part, c.rows
			if part.numbers {
				part.num = part.num[:c.rows]
				if at < start {
					copy(s.num[j][at:], part.num)
				}
			} else if at < start {
				copy(s.code[j][at:], part.code[:c.rows])
				part.code = s.code[j][at : at+c.rows]
			} else {
				part.code = part.code[:c.rows]
			}
			at, start = at+c.rows, start+c.lines
		}
		if s.plans[j].numbers {
			out[j] = merge(parts, s.num[j][:rows], nil, rows)
		} else {
			out[j] = merge(parts, nil, s.code[j][:rows], rows)
		}
	})
	return out
}
