package stat

// ROCPoint is the result of predicting an event for the rows with scores of at least Threshold.
type ROCPoint struct {
	Threshold *float64 `json:"threshold"` // nil: above every score
	FPR       float64  `json:"fpr"`       // 1 − specificity
	TPR       float64  `json:"tpr"`       // sensitivity
}

// ROCCurve is the receiver operating characteristic with its area.
type ROCCurve struct {
	Points []ROCPoint `json:"points"`
	AUC    Estimate   `json:"auc"` // ties ½, DeLong's 95 %
}

// ROC returns the curve with at most points points, from (0, 0) to (1, 1). Only corners are kept; where there
// are too many, those evenly spread along the curve, so that a straight line between two of them deviates by
// less than 2/points. The area is that of all rows. Without rows of both classes, or with a NaN score, there
// are no points. It panics on fewer than two points.
func ROC(score []float64, event []bool, points int) ROCCurve {
	auc, low, high := AUC(score, event)
	c := ROCCurve{AUC: estimate(auc, low, high)}
	if c.AUC.Value == nil {
		return c
	}
	c.Points = thin(corners(cuts(score, event)), points, func(p ROCPoint) float64 { return p.FPR + p.TPR })
	return c
}

// cuts returns a point for every distinct score, highest score first.
func cuts(score []float64, event []bool) []ROCPoint {
	order := descending(score)
	events := float64(count(event))
	others := float64(len(event)) - events
	points := []ROCPoint{{}}
	var tp, fp float64
	for i, row := range order {
		if event[row] {
			tp++
		} else {
			fp++
		}
		v := score[row]
		if i+1 < len(order) && score[order[i+1]] == v {
			continue
		}
		points = append(points, ROCPoint{Finite(v), fp / others, tp / events})
	}
	return points
}

// corners drops the points in the middle of a horizontal or vertical segment.
func corners(p []ROCPoint) []ROCPoint {
	kept := p[:1:1]
	for i := 1; i+1 < len(p); i++ {
		level := p[i-1].TPR == p[i].TPR && p[i].TPR == p[i+1].TPR
		upright := p[i-1].FPR == p[i].FPR && p[i].FPR == p[i+1].FPR
		if !level && !upright {
			kept = append(kept, p[i])
		}
	}
	return append(kept, p[len(p)-1])
}

// count returns the number of events.
func count(event []bool) (n int) {
	for _, e := range event {
		if e {
			n++
		}
	}
	return n
}
