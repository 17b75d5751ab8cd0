package stat

import (
	"encoding/json"
	"testing"
)

// FuzzStored: what is read of a stored result is written, and read and written again as the
// same bytes.
func FuzzStored(f *testing.F) {
	for _, text := range []string{`{}`, `{"n":3,"auc":{"value":0.5,"low":0.4,"high":null},"standardised_net_benefit":{"value":1}}`,
		`{"auc":0.5,"brier":null}`, `{"classes":[],"accuracy":{"value":0.5}}`, `null`, `{"more":{}}`, `{"auc":"x"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		same[Performance](t, raw)
		same[Binary](t, raw)
		same[Classes](t, raw)
		same[ClassIntervals](t, raw)
		same[Comparison](t, raw)
	})
}

func same[T any](t *testing.T, raw []byte) {
	var v, again T
	if json.Unmarshal(raw, &v) != nil {
		return
	}
	first, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%q is read as %T and not written: %v", raw, v, err)
	}
	if err := json.Unmarshal(first, &again); err != nil {
		t.Fatalf("%q is written as %s: %v", raw, first, err)
	}
	if second, err := json.Marshal(again); err != nil || string(second) != string(first) {
		t.Errorf("%q is %s, then %s: %v", raw, first, second, err)
	}
}
