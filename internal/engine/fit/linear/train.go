// Package linear fits linear models: it minimises mean loss + (λ/2)‖w‖² with an unpenalised intercept
// (docs/math.md, Conventions) and certifies how close it came to the minimum.
//
// Conventions: a Matrix is row-major; labels are ±1; w has one weight per column and b is the intercept,
// which is never penalised. Every solver returns its best point with the reason why it stopped, reacts to
// a cancelled context within a few milliseconds, and gives the same bits for the same input on any number
// of cores.
package linear

// Matrix is a dense row-major matrix. Row i is Data[i*Cols : (i+1)*Cols].
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// Row returns row i, sharing memory.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// Linear is a fitted linear score f(x) = W·x + B with its certificate.
type Linear struct {
	W []float64 // one weight per column
	B float64   // intercept

	Objective    float64  // mean loss + (λ/2)‖w‖² at (W, B)
	Gap          *float64 // certified relative duality gap (P−D)/max(P, 1e-12); nil where no dual is known
	GradientNorm *float64 // ‖∇‖∞ for smooth losses
	Iterations   int
	Evaluations  int
	Stopped      string // reason: "gap", "gradient", "stationary", "iterations", "stalled"
	Warnings     []string

	multipliers []float64 // of the rows, for the next interval fit; nil unless it was asked to keep them
}

// Score returns W·x + B.
func (l *Linear) Score(x []float64) float64 {
	f := l.B
	for j, w := range l.W {
		f += w * x[j]
	}
	return f
}

// Progress is a progress report of a solver or a pipeline.
type Progress struct {
	Fraction     float64 `json:"fraction"` // 0 … 1 of the whole job
	Message      string  `json:"message"`  // "Fold 3 of 5, λ 4 of 26"
	Iteration    int     `json:"iteration"`
	Objective    float64 `json:"objective"`
	GradientNorm float64 `json:"gradient_norm"`
	ETA          float64 `json:"eta_s"` // estimated seconds left
}
