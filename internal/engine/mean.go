package engine

import "taper/internal/engine/stat"

// mean averages the metrics of repeats; one that a repeat lacks has no mean.
func mean(all []stat.Binary) stat.Binary {
	if len(all) == 1 {
		return all[0]
	}
	var m stat.Binary
	for k, to := range fieldsOf(&m) {
		sum := 0.0
		for i := range all {
			v := *fieldsOf(&all[i])[k]
			if v == nil {
				sum, k = 0, -1
				break
			}
			sum += *v
		}
		if k >= 0 {
			v := sum / float64(len(all))
			*to = &v
		}
	}
	return m
}

// fieldsOf returns the addresses of the metrics, in the order of the struct.
func fieldsOf(b *stat.Binary) []**float64 {
	return []**float64{
		&b.Accuracy, &b.BalancedAccuracy, &b.Sensitivity, &b.Specificity,
		&b.AUC, &b.AUCLow, &b.AUCHigh, &b.Brier, &b.ScaledBrier, &b.LogLoss,
		&b.CalibrationIntercept, &b.CalibrationSlope, &b.IntervalLoss,
	}
}
