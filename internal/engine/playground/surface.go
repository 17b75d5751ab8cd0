package playground

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Side is the number of nodes of a surface along each axis. Node (i, j) is at X[0] +
// i/(Side−1)·(X[1]−X[0]), and likewise in Y; the outer nodes are on the frame.
const Side = 100

// Kinds of surfaces.
const (
	KindProbability = "probability" // calibrated (link-inverted) probability of the event
	KindScore       = "score"       // of a loss without probability
	KindBands       = "bands"       // of the interval surrogate
	KindClasses     = "classes"     // the predicted class, or abstention
)

// Abstained is the level of a node at which the model abstains.
const Abstained = 255

// View is the part of the plane that a surface shows.
type View struct {
	Column       [2]int // columns of the sample on the horizontal and vertical axes
	X, Y         [2]float64
	XName, YName string
	Note         string // the values at which other columns are held
	median       []float64
}

// View frames the clean training points in two columns, with a margin of a twelfth. The frame
// is the same for every noise and every fit.
func (s *Sample) View(across, up int) View {
	v := View{Column: [2]int{across, up}, XName: s.Columns[across], YName: s.Columns[up]}
	v.X, v.Y = s.span(across), s.span(up)
	if s.X.Cols == 2 {
		return v
	}
	v.median = make([]float64, s.X.Cols)
	at, cells := s.TrainingRows(), make([]float64, 0, s.X.Rows)
	for j := range v.median {
		cells = cells[:0]
		for _, i := range at {
			cells = append(cells, s.X.Row(i)[j])
		}
		v.median[j] = stat.Median(cells)
	}
	v.Note = fmt.Sprintf("A slice through %d dimensions: the other %d columns are at their median.", s.X.Cols, s.X.Cols-2)
	if s.X.Cols == 3 {
		v.Note = "A slice through 3 dimensions: the other column is at its median."
	}
	return v
}

func (s *Sample) span(j int) [2]float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range s.X.Rows {
		lo, hi = min(lo, s.X.Row(i)[j]), max(hi, s.X.Row(i)[j])
	}
	air := (hi - lo) / 12
	if !(air > 0) {
		air = 1
	}
	return [2]float64{lo - air, hi + air}
}

// scores are the scores of the nodes, row by row from the lowest y.
func (v View) scores(f *Fit, m *fit.Model) []float64 {
	k := m.Outputs()
	out := make([]float64, Side*Side*k)
	if v.bumps(out, f, m) {
		return out
	}
	var factor [2][Side][side]float64 // of RBF features, by column and place along its axis: 200 points instead of 10,000
	rbf, separable := f.Mapper.(*mapper)
	separable = separable && rbf.Kind == RBF
	for n := 0; separable && n < Side; n++ {
		x, at := v.row(2), float64(n)/(Side-1)
		v.place(x, at, at)
		factor[0][n], factor[1][n] = rbf.along(0, x[0]), rbf.along(1, x[1])
	}
	spans(Side*Side, func(lo, hi int) {
		x, seen := v.row(f.Sample.X.Cols), make([]float64, f.Mapper.width())
		for n := lo; n < hi; n++ {
			if separable {
				at := [2]int{}
				at[v.Column[0]], at[v.Column[1]] = n%Side, n/Side
				cross(seen, &factor[0][at[0]], &factor[1][at[1]])
			} else {
				v.place(x, float64(n%Side)/(Side-1), float64(n/Side)/(Side-1))
				f.Mapper.row(seen, x)
			}
			m.Scores(out[n*k:(n+1)*k], seen)
		}
	})
	return out
}

func (v View) row(columns int) []float64 {
	if v.median != nil {
		return slices.Clone(v.median)
	}
	return make([]float64, columns)
}

// place sets a row's two columns from fractions of the frame.
func (v View) place(x []float64, across, up float64) {
	x[v.Column[0]] = v.X[0] + across*(v.X[1]-v.X[0])
	x[v.Column[1]] = v.Y[0] + up*(v.Y[1]-v.Y[0])
}

// Surface is the prediction of a model over a view.
type Surface struct {
	Kind   string
	Level  []byte  // Side² levels; see Levels
	Levels int     // for kinds probability and score: levels are 0 … Levels−1
	Top    float64 // score of the highest level; −Top is the lowest
	Lines  []Contour
}

// Contour is a field with a contour line of the surface at Level.
type Contour struct {
	Kind  string // LineHalf, LineBand, LineClass, LineReject
	Name  string
	Field []float64 // Side² values
	Level float64
}

// Kinds of lines.
const (
	LineHalf    = "half"     // P(event) = ½, or the cut-off of a score without probability
	LineQuarter = "quarter"  // P(event) = ¼ and ¾
	LineBand    = "boundary" // between bands
	LineClass   = "class"    // between classes
	LineReject  = "reject"   // around the region of abstention
)

// fineLevels is the number of levels of a field: one per percent.
const fineLevels = 101

// NewSurface evaluates a model over a view.
func NewSurface(f *Fit, m *fit.Model, v View) *Surface {
	scores := v.scores(f, m)
	s := &Surface{Level: make([]byte, Side*Side)}
	switch {
	case f.HasBands(m):
		s.bands(m, scores, f.Setting.Boundaries)
	case m.Single():
		s.field(m, scores)
	default:
		s.classes(m, scores, len(f.Sample.Levels))
	}
	return s
}

// HasBands reports whether the model predicts bands.
func (f *Fit) HasBands(m *fit.Model) bool {
	return m.Single() && len(f.Setting.Boundaries) > 0 && m.Method.Family.Kind == loss.KindInterval
}

// field fills in the probability, or the score of a model without one.
func (s *Surface) field(m *fit.Model, score []float64) {
	var p [2]float64
	s.Kind, s.Levels = KindScore, fineLevels
	if m.Probabilities(p[:], score[:1]) {
		s.Kind = KindProbability
	}
	for _, f := range score {
		if a := math.Abs(f); !math.IsInf(a, 0) {
			s.Top = max(s.Top, a)
		}
	}
	spans(len(score), func(lo, hi int) {
		var p [2]float64
		for k := lo; k < hi; k++ {
			at := .5
			switch {
			case s.Kind == KindProbability:
				m.Probabilities(p[:], score[k:k+1])
				at = p[1]
			case s.Top > 0:
				at = .5 + score[k]/s.Top/2
			}
			s.Level[k] = byte(math.Round(min(1, max(0, at)) * (fineLevels - 1)))
		}
	})
	s.Lines = []Contour{{LineHalf, "P = ½", score, m.Cut(.5)}}
	if s.Kind != KindProbability {
		s.Lines[0].Name = "score 0"
		return
	}
	for _, pi := range [2]float64{.25, .75} {
		if d := m.Cut(pi); !math.IsInf(d, 0) && !math.IsNaN(d) && d != s.Lines[0].Level {
			s.Lines = append(s.Lines, Contour{LineQuarter, map[float64]string{.25: "P = ¼", .75: "P = ¾"}[pi], score, d})
		}
	}
}

// bands fills in the strata.
func (s *Surface) bands(m *fit.Model, score []float64, pi []float64) {
	s.Kind = KindBands
	for k := range score {
		s.Level[k] = byte(m.Band(score[k]))
	}
	for _, b := range pi {
		s.Lines = append(s.Lines, Contour{LineBand, fmt.Sprintf("π = %.4g", b), score, m.Cut(b)})
	}
}

// classes fills in the predicted classes. If these are decided by the largest potential or by
// thresholds, contours follow the potentials; otherwise they follow the predicted classes.
func (s *Surface) classes(m *fit.Model, scores []float64, classes int) {
	s.Kind = KindClasses
	outputs, largest := m.Outputs(), m.Method.Family.Kind != loss.KindThreshold
	for k := range s.Level {
		f := scores[k*outputs : (k+1)*outputs]
		c := m.Decide(f)
		if s.Level[k] = byte(c); c == loss.Abstain {
			s.Level[k] = Abstained
		}
		largest = largest && (c == loss.Argmax(f) || c == loss.Abstain)
	}
	if m.Method.Family.Kind == loss.KindThreshold {
		for l := range outputs {
			s.Lines = append(s.Lines, Contour{LineClass, fmt.Sprintf("threshold %d", l+1), column(scores, outputs, l), 0})
		}
		return
	}
	for c := range classes {
		if classes == 2 && c == 0 {
			continue
		}
		if field := s.border(m, scores, byte(c), largest); field != nil {
			s.Lines = append(s.Lines, Contour{LineClass, fmt.Sprintf("class %d", c+1), field, 0})
		}
	}
	if slices.Contains(s.Level, Abstained) {
		s.Lines = append(s.Lines, Contour{LineReject, "reject", smoothed(s.Level, Abstained), 0})
	}
}

// border is positive where class c is predicted; nil if that is nowhere.
func (s *Surface) border(m *fit.Model, scores []float64, c byte, largest bool) []float64 {
	if !slices.Contains(s.Level, c) {
		return nil
	}
	if !largest || slices.Contains(s.Level, Abstained) {
		return smoothed(s.Level, c)
	}
	field, outputs := make([]float64, len(s.Level)), m.Outputs()
	for k := range field {
		field[k] = lead(m, scores[k*outputs:(k+1)*outputs], int(c))
	}
	return field
}

func smoothed(level []byte, is byte) []float64 {
	return Smoothed(Side, func(k int) bool { return level[k] == is })
}

// Smoothed is the proportion of each node's neighbourhood that is in a set, less ½: its zero is the edge of the set
// without the steps of the grid. The nodes are side×side, row by row.
func Smoothed(side int, is func(node int) bool) []float64 {
	field := make([]float64, side*side)
	for j := range side {
		for i := range side {
			has, all := 0, 0
			for b := max(0, j-1); b <= min(side-1, j+1); b++ {
				for a := max(0, i-1); a <= min(side-1, i+1); a++ {
					if all++; is(b*side + a) {
						has++
					}
				}
			}
			field[j*side+i] = float64(has)/float64(all) - .5
		}
	}
	return field
}

func column(flat []float64, width, j int) []float64 {
	out := make([]float64, len(flat)/width)
	for k := range out {
		out[k] = flat[k*width+j]
	}
	return out
}

// Answer is the prediction at one position of a view.
type Answer struct {
	Score       []float64
	Probability []float64 // per class; nil if the loss has none
	Class       int       // loss.Abstain for abstention
	Band        int       // for the interval surrogate
}

// Ask predicts at a position of a view.
func Ask(f *Fit, m *fit.Model, v View, x, y float64) Answer {
	row := v.row(f.Sample.X.Cols)
	row[v.Column[0]], row[v.Column[1]] = x, y
	seen := make([]float64, f.Mapper.width())
	f.Mapper.row(seen, row)
	a := Answer{Score: make([]float64, m.Outputs()), Probability: make([]float64, len(f.Sample.Levels))}
	m.Scores(a.Score, seen)
	if !m.Probabilities(a.Probability, a.Score) {
		a.Probability = nil
	}
	if a.Class = m.Decide(a.Score); m.Single() {
		a.Band = m.Band(a.Score[0])
	}
	return a
}
