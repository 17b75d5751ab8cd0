package audit

import (
	"math/rand/v2"

	"taper/internal/engine/stat"
)

// jointDraws is the number of bootstrap samples for the interval of an estimate.
const jointDraws = 200

// WrongLabels estimates the number of wrong labels by the confident joint (Northcutt, Jiang and
// Chuang 2021, section 3.1). A row counts as class j if its out-of-fold probability of j
// reaches the mean probability of j among rows labelled j; of several such classes the most
// probable counts. Counts are scaled to the number of rows per label, and the off-diagonal sum
// is the estimate. The interval is a percentile bootstrap over rows with thresholds recomputed;
// it does not cover a misspecified model. The estimate includes overlap between the classes;
// Expected says how much. prob is len(label)×k, row-major.
func WrongLabels(prob []float64, label []int, k int, seed uint64) *Estimate {
	n := len(label)
	if len(prob) != n*k {
		panic("audit: prob must hold len(label)×k values")
	}
	if n == 0 {
		return nil
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	e := &Estimate{Rows: n, Draws: jointDraws, Joint: confidentJoint(prob, label, k, rows)}
	e.Wrong = offDiagonal(e.Joint)
	e.Share = e.Wrong / float64(n)
	e.Expected = expectedWrong(prob, label, k, rows, seed)
	rng := rand.New(rand.NewPCG(seed, 0x6a6f696e74))
	draws := make([]float64, jointDraws)
	for b := range draws {
		for i := range rows {
			rows[i] = rng.IntN(n)
		}
		draws[b] = offDiagonal(confidentJoint(prob, label, k, rows))
	}
	e.Low, e.High = stat.Percentiles(draws)
	return e
}

// confidentJoint counts the rows by label and confident class, scaled to the number of rows per
// label.
func confidentJoint(prob []float64, label []int, k int, rows []int) [][]float64 {
	n, mean := make([]float64, k), make([]float64, k)
	for _, i := range rows {
		n[label[i]]++
		mean[label[i]] += prob[i*k+label[i]]
	}
	for j := range mean {
		mean[j] /= n[j] // NaN for a class without rows, so that no row reaches it
	}
	joint := make([][]float64, k)
	for l := range joint {
		joint[l] = make([]float64, k)
	}
	for _, i := range rows {
		best := -1
		for j := range k {
			if p := prob[i*k+j]; p >= mean[j] && (best < 0 || p > prob[i*k+best]) {
				best = j
			}
		}
		if best >= 0 {
			joint[label[i]][best]++
		}
	}
	for l := range joint {
		sum := 0.0
		for _, c := range joint[l] {
			sum += c
		}
		for j := range joint[l] {
			switch {
			case sum > 0:
				joint[l][j] *= n[l] / sum
			case j == l:
				joint[l][j] = n[l]
			}
		}
	}
	return joint
}

func offDiagonal(joint [][]float64) (sum float64) {
	for l, row := range joint {
		for j, c := range row {
			if j != l {
				sum += c
			}
		}
	}
	return sum
}
