package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// redundant asks about columns that repeat others: a recoding, a change of unit, a sum, a binning, an
// indicator of missing values. Such columns split one effect between two coefficients, neither of which
// can be interpreted.
func (d *checker) redundant() {
	s := newRelations(d.t, d.outcome)
	s.recodings()
	s.missingFlags()
	s.binnings()
	s.linear()
	if len(s.found) == 0 {
		return
	}
	if len(s.found) <= 3 {
		for _, f := range s.found {
			d.ask(question{code: "redundant", column: f.column.Name, fact: f.fact + ".", ask: "Leave it out?",
				kept: "Kept.", choices: []table.Choice{dropColumn("Leave "+f.column.Name+" out", f.column), {Label: "Keep it"}}})
		}
		return
	}
	var facts, names []string
	var specs []table.ColumnSpec
	for _, f := range s.found {
		facts, names = append(facts, f.fact), append(names, f.column.Name)
		specs = append(specs, table.ColumnSpec{Name: f.column.Name, Role: table.Exclude})
	}
	shown := facts[:min(len(facts), 5)]
	more := ""
	if n := len(facts) - len(shown); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	d.ask(question{code: "redundant", column: strings.Join(names, ", "),
		fact: fmt.Sprintf("%d columns repeat other columns: %s%s.", len(facts), strings.Join(shown, "; "), more),
		ask:  "Leave them out?", kept: "Kept.",
		choices: []table.Choice{{Label: "Leave them out", Columns: specs}, {Label: "Keep them"}}})
}

// relation is a column that repeats others.
type relation struct {
	column *table.Column
	fact   string // without the final full stop
}

// relations searches for columns that repeat others. All comparisons use a sample of rows, evenly spread
// over the file; a relation that is exact in two thousand rows is taken as exact.
type relations struct {
	cols     []*table.Column
	rows     []int       // the sample
	value    [][]float64 // of each column and row of the sample: the number or the index of the level; NaN if missing
	reported map[*table.Column]bool
	found    []relation
}

const (
	relationRows    = 2000
	relationColumns = 200 // largest number of columns compared with each other; further ones are ignored
)

func newRelations(t *table.Table, outcome string) *relations {
	s := &relations{reported: map[*table.Column]bool{}}
	for _, c := range t.Columns {
		if c.Name != outcome && usable(t, c) && len(s.cols) < relationColumns {
			s.cols = append(s.cols, c)
		}
	}
	step := max(1, t.Rows/relationRows)
	for i := 0; i < t.Rows; i += step {
		s.rows = append(s.rows, i)
	}
	for _, c := range s.cols {
		v := make([]float64, len(s.rows))
		codes := codesOf(c) // a code such as −9 is not a value, whether or not the question was answered
		for k, i := range s.rows {
			switch {
			case c.Num != nil && slices.ContainsFunc(codes, func(a apart) bool { return a.value == c.Num[i] }):
				v[k] = math.NaN()
			case c.Num != nil:
				v[k] = c.Num[i]
			case c.Code[i] < 0:
				v[k] = math.NaN()
			default:
				v[k] = float64(c.Code[i])
			}
		}
		s.value = append(s.value, v)
	}
	return s
}

func (s *relations) add(c *table.Column, format string, args ...any) {
	if !s.reported[c] {
		s.reported[c] = true
		s.found = append(s.found, relation{c, fmt.Sprintf(format, args...)})
	}
}

// recodings finds columns in one-to-one correspondence with an earlier one: level by level or, where
// nearly all values differ, in the same or the opposite order.
func (s *relations) recodings() {
	if len(s.rows) < 20 {
		return
	}
	first := map[string]int{}
	for j, c := range s.cols {
		key := s.pattern(j)
		if key == "" {
			continue
		}
		if i, ok := first[key]; ok {
			s.add(c, "%s says the same as %s in other values", c.Name, s.cols[i].Name)
			continue
		}
		first[key] = j
	}
	codes := make([][]int8, len(s.cols)) // of columns with few values, in order of appearance; −1 missing
	for j, c := range s.cols {
		if c.Distinct <= fewValues {
			codes[j] = coded(s.value[j])
		}
	}
	for j, c := range s.cols {
		for i, of := range s.cols[:j] {
			if codes[i] != nil && codes[j] != nil && !s.reported[c] && !s.reported[of] && recodes(codes[j], codes[i]) {
				s.add(c, "%s says the same as %s in other values, but for a few rows", c.Name, of.Name)
			}
		}
	}
}

// fewValues is the largest number of values of a column treated as categories.
const fewValues = 20

// coded numbers the values, at most fewValues, in order of appearance.
func coded(v []float64) []int8 {
	label := map[float64]int8{}
	code := make([]int8, len(v))
	for k, x := range v {
		code[k] = -1
		if x == x {
			if _, ok := label[x]; !ok {
				label[x] = int8(len(label))
			}
			code[k] = label[x]
		}
	}
	return code
}

// recodes reports whether the values of y and x correspond except for slips: at most one in a hundred
// rows, and one in twenty of the rows with the second most common value. Without the latter, two rare
// flags would count as equal.
func recodes(y, x []int8) bool {
	var joint [fewValues][fewValues]int // counts by value of x and value of y
	var count [fewValues]int            // counts by value of x
	n := 0
	for k, b := range y {
		if a := x[k]; a >= 0 && b >= 0 {
			joint[a][b]++
			count[a]++
			n++
		}
	}
	var partner, taken [fewValues]int // most common y for each x; rows with that combination
	same, values := 0, 0
	for a, rows := range count {
		if rows == 0 {
			continue
		}
		values++
		for b := range joint[a] {
			if joint[a][b] > joint[a][partner[a]] {
				partner[a] = b
			}
		}
		same += joint[a][partner[a]]
		taken[partner[a]] += rows
	}
	slips := n - same
	for a, rows := range count { // a value that shares its partner with a more common one is a slip
		if rows > 0 && 2*rows < taken[partner[a]] {
			slips += rows
		}
	}
	partners := 0
	for _, rows := range taken {
		if rows > 0 {
			partners++
		}
	}
	sizes := slices.Sorted(slices.Values(count[:]))
	return n >= 50 && values >= 2 && partners >= 2 && 100*slips <= n && 20*slips <= sizes[len(sizes)-2]
}

// pattern returns equal texts for columns in one-to-one correspondence: the order in which values appear
// or, where they hardly repeat, their ranks. It is "" where an agreement would mean nothing.
func (s *relations) pattern(j int) string {
	v := s.value[j]
	label := map[float64]int{}
	count := map[float64]int{}
	var b strings.Builder
	present := 0
	for _, x := range v {
		if x != x {
			b.WriteString("m ")
			continue
		}
		present++
		k, ok := label[x]
		if !ok {
			k = len(label)
			label[x] = k
		}
		count[x]++
		fmt.Fprintf(&b, "%d ", k)
	}
	switch {
	case len(label) < 2:
		return ""
	case present-len(label) < 20: // hardly any value repeats: any two such columns would agree
		if s.cols[j].Num == nil {
			return ""
		}
		return s.order(v)
	case len(label) == 2:
		for _, n := range count { // two rare flags can agree by chance
			if n < 5 {
				return ""
			}
		}
	}
	return b.String()
}

// order returns the ranks of the values, counted from the end that is closer to the first row, so that a
// column and its negative are equal.
func (s *relations) order(v []float64) string {
	at := make([]int, 0, len(v))
	for i, x := range v {
		if x == x {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int {
		switch {
		case v[i] < v[j]:
			return -1
		case v[i] > v[j]:
			return 1
		}
		return 0
	})
	if len(at) < 20 {
		return ""
	}
	if at[0] > at[len(at)-1] {
		slices.Reverse(at)
	}
	return "order" + fmt.Sprint(at)
}

// missingFlags finds two-valued columns that say whether another column is missing.
func (s *relations) missingFlags() {
	for j, c := range s.cols {
		if c.Distinct != 2 || c.Missing > 0 {
			continue
		}
		for i, of := range s.cols {
			if i != j && of.Missing >= 5 && s.flags(j, i) {
				s.add(c, "%s only says whether %s is missing", c.Name, of.Name)
				break
			}
		}
	}
}

// flags reports whether two-valued column j has one value where i is missing and the other where it is
// not.
func (s *relations) flags(j, i int) bool {
	var seen [2]float64
	var n [2]int
	for k, x := range s.value[i] {
		gone := 0
		if x != x {
			gone = 1
		}
		switch {
		case n[gone] == 0:
			seen[gone] = s.value[j][k]
		case seen[gone] != s.value[j][k]:
			return false
		}
		n[gone]++
	}
	return n[0] >= 5 && n[1] >= 5 && seen[0] != seen[1]
}

// binnings finds columns whose few values are intervals of a number.
func (s *relations) binnings() {
	for i, of := range s.cols {
		if of.Num == nil || of.Distinct <= 20 {
			continue
		}
		var at []int // rows by increasing value
		for k, x := range s.value[i] {
			if x == x {
				at = append(at, k)
			}
		}
		slices.SortFunc(at, func(a, b int) int {
			if s.value[i][a] < s.value[i][b] {
				return -1
			}
			if s.value[i][a] > s.value[i][b] {
				return 1
			}
			return a - b
		})
		for j, c := range s.cols {
			if j != i && c.Distinct <= 20 && !s.reported[c] && s.bins(j, i, at) {
				s.add(c, "%s only puts %s into intervals", c.Name, of.Name)
			}
		}
	}
}

// bins reports whether each value of column j is an interval of column i. Levels with one to four rows
// are intervals by chance too often.
func (s *relations) bins(j, i int, at []int) bool {
	count := map[float64]int{}
	runs, last := 0, math.NaN()
	for place, k := range at {
		y := s.value[j][k]
		if y != y {
			continue
		}
		if y != last {
			if count[y] > 0 {
				return false // occurred before: not an interval
			}
			if place > 0 && s.value[i][at[place-1]] == s.value[i][k] {
				return false // one number in two intervals
			}
			runs++
			last = y
		}
		count[y]++
	}
	for _, n := range count {
		if n < 5 {
			return false
		}
	}
	return runs >= 2
}

// linear finds numbers that are a linear function of another one up to rounding, or the sum or difference
// of others.
func (s *relations) linear() {
	var num []int
	for j, c := range s.cols {
		if c.Num != nil && c.Distinct > 5 && !s.reported[c] {
			num = append(num, j)
		}
	}
	for b, j := range num {
		for _, i := range num[:b] {
			if !s.reported[s.cols[i]] && s.rounded(j, i) {
				s.add(s.cols[j], "%s is a linear function of %s but for rounding", s.cols[j].Name, s.cols[i].Name)
				break
			}
		}
	}
	num = slices.DeleteFunc(num, func(j int) bool { return s.reported[s.cols[j]] })
	if len(num) > 60 {
		num = num[:60] // the cost grows with the cube of the number of columns
	}
	for _, j := range num {
		s.sum(j, num)
	}
	s.total(slices.DeleteFunc(num, func(j int) bool { return s.reported[s.cols[j]] }))
}

// rounded reports whether j is a linear function of i up to rounding: a correlation of at least .9995
// over at least thirty rows with both.
func (s *relations) rounded(j, i int) bool {
	x, y := s.value[i], s.value[j]
	var n, mx, my float64
	for k := range x {
		if x[k] == x[k] && y[k] == y[k] {
			n++
			mx += (x[k] - mx) / n
			my += (y[k] - my) / n
		}
	}
	if n < 30 {
		return false
	}
	var xx, yy, xy float64
	for k := range x {
		if x[k] == x[k] && y[k] == y[k] {
			xx, yy, xy = xx+(x[k]-mx)*(x[k]-mx), yy+(y[k]-my)*(y[k]-my), xy+(x[k]-mx)*(y[k]-my)
		}
	}
	// One extreme value in both columns can cause any correlation, so the middle must agree as well.
	return math.Abs(xy) >= .9995*math.Sqrt(xx)*math.Sqrt(yy) && s.alike(j, i, xy/xx, my-xy/xx*mx)
}

// alike reports whether j = slope·i + intercept within a twentieth of the robust SD of j, in nine of ten
// rows.
func (s *relations) alike(j, i int, slope, intercept float64) bool {
	x, y := s.value[i], s.value[j]
	var present []float64
	for k := range y {
		if x[k] == x[k] && y[k] == y[k] {
			present = append(present, y[k])
		}
	}
	slices.Sort(present)
	room, near := robustSD(present)/20, 0
	for k := range y {
		if math.Abs(slope*x[k]+intercept-y[k]) <= room {
			near++
		}
	}
	return 10*near >= 9*len(present)
}

// sum reports that column j is the sum or difference of two others.
func (s *relations) sum(j int, num []int) {
	for b, k := range num {
		for _, i := range num[:b] {
			if i == j || k == j || s.reported[s.cols[i]] || s.reported[s.cols[k]] {
				continue
			}
			names := [2]string{s.cols[i].Name, s.cols[k].Name}
			switch {
			case s.adds(j, i, k, 1, 1):
				s.add(s.cols[j], "%s is the sum of %s and %s", s.cols[j].Name, names[0], names[1])
			case s.adds(j, i, k, 1, -1):
				s.add(s.cols[j], "%s is %s minus %s", s.cols[j].Name, names[0], names[1])
			case s.adds(j, i, k, -1, 1):
				s.add(s.cols[j], "%s is %s minus %s", s.cols[j].Name, names[1], names[0])
			default:
				continue
			}
			return
		}
	}
}

// adds reports whether j = a·i + b·k in all rows with all three, at least thirty, to the precision of a
// decimal file.
func (s *relations) adds(j, i, k int, a, b float64) bool {
	n := 0
	for r, y := range s.value[j] {
		x, z := s.value[i][r], s.value[k][r]
		if y != y || x != x || z != z {
			continue
		}
		if math.Abs(a*x+b*z-y) > 1e-9*(math.Abs(x)+math.Abs(y)+math.Abs(z)) {
			return false
		}
		n++
	}
	return n >= 30
}

// total reports numbers that are an exact linear combination of several earlier ones, over the rows with
// all of them, by Gram–Schmidt orthogonalisation: the residual of such a column is 0.
func (s *relations) total(num []int) {
	var complete []int
	for r := range s.rows {
		if !slices.ContainsFunc(num, func(j int) bool { return s.value[j][r] != s.value[j][r] }) {
			complete = append(complete, r)
		}
	}
	if len(num) < 3 || len(complete) < 2*len(num)+20 {
		return
	}
	var basis [][]float64
	for _, j := range num {
		v := make([]float64, len(complete))
		mean, scale := 0.0, 0.0
		for a, r := range complete {
			v[a] = s.value[j][r]
			mean += v[a] / float64(len(complete))
		}
		for a := range v {
			v[a] -= mean
			scale = math.Hypot(scale, v[a])
		}
		if scale == 0 {
			continue
		}
		for range 2 { // orthogonalising twice is enough (Giraud, Langou and Rozložník 2005)
			for _, q := range basis {
				dot := 0.0
				for a := range v {
					dot += v[a] * q[a]
				}
				for a := range v {
					v[a] -= dot * q[a]
				}
			}
		}
		left := 0.0
		for a := range v {
			left = math.Hypot(left, v[a])
		}
		if left < 1e-7*scale {
			s.add(s.cols[j], "%s is a sum of other columns", s.cols[j].Name)
			continue
		}
		for a := range v {
			v[a] /= left
		}
		basis = append(basis, v)
	}
}
