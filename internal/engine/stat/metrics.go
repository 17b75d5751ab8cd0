package stat

// Binary are the metrics of two-class models, means over the repeats of a run; nil where the model has no
// probability or the rows do not define them. The fields are those of the first version, whose order in JSON is
// a contract; statistics added later are in Listed.
type Binary struct {
	Accuracy             *float64 `json:"accuracy"`
	BalancedAccuracy     *float64 `json:"balanced_accuracy"`
	Sensitivity          *float64 `json:"sensitivity"`
	Specificity          *float64 `json:"specificity"`
	AUC                  *float64 `json:"auc"`
	AUCLow               *float64 `json:"auc_low"` // DeLong 95 %
	AUCHigh              *float64 `json:"auc_high"`
	Brier                *float64 `json:"brier"`
	ScaledBrier          *float64 `json:"scaled_brier"`
	LogLoss              *float64 `json:"log_loss"`
	CalibrationIntercept *float64 `json:"calibration_intercept"`
	CalibrationSlope     *float64 `json:"calibration_slope"`
	IntervalLoss         *float64 `json:"interval_loss"` // ℓ_π; nil without boundaries

	Listed map[string]*float64 `json:"-"`
}

// Of returns a metric, with its interval where it was stored.
func (b Binary) Of(id string) Estimate { return metricOf(&b, b.Listed, id) }

// metricOf reads a metric and its interval from the fields of a struct.
func metricOf(v any, more map[string]*float64, id string) (e Estimate) {
	for name, to := range map[string]**float64{id: &e.Value, id + "_low": &e.Low, id + "_high": &e.High} {
		if from := field[*float64](v, name); from != nil {
			*to = *from
		}
	}
	if v, ok := more[id]; ok {
		e.Value = v
	}
	return e
}

func (b *Binary) set(id string, e Estimate) { b.Listed = setMetric(b, b.Listed, id, e) }

// setMetric writes a metric and its interval to the fields of a struct, and one without a field to more.
func setMetric(v any, more map[string]*float64, id string, e Estimate) map[string]*float64 {
	to := field[*float64](v, id)
	if to == nil {
		if _, there := more[id]; there || e.Value != nil {
			more = with(more, id, e.Value)
		}
		return more
	}
	*to = e.Value
	if low, high := field[*float64](v, id+"_low"), field[*float64](v, id+"_high"); low != nil {
		*low, *high = e.Low, e.High
	}
	return more
}

// Change replaces every metric that exists, and its interval, by the result of a function.
func (b *Binary) Change(of func(s Statistic, v float64) *float64) {
	for _, s := range Which(Statistic.InBinary) {
		e := b.Of(s.ID)
		for _, v := range []**float64{&e.Value, &e.Low, &e.High} {
			if *v != nil {
				*v = of(s, **v)
			}
		}
		b.set(s.ID, e)
	}
}

// MarshalJSON writes the fields, then the statistics added later.
func (b Binary) MarshalJSON() ([]byte, error) {
	type plain Binary
	return appendMore(plain(b), b.Listed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (b *Binary) UnmarshalJSON(text []byte) (err error) {
	type plain Binary
	b.Listed, err = readMore[*float64](text, (*plain)(b), Which(Statistic.InBinary))
	return err
}
