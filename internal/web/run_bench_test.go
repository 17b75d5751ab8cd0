package web

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"taper/internal/store"
	"taper/testdata"
)

// BenchmarkRunPage opens each page of a run of the 569-row sample in four bands, cross-validated in
// five folds.
func BenchmarkRunPage(b *testing.B) {
	s := benchServer(b)
	data, err := s.datasets.Sample(b.Context(), testdata.Samples[0])
	if err != nil {
		b.Fatal(err)
	}
	w := ask(s, "POST", "/api/v1/runs", `{"dataset":"`+data+`","outcome":"diagnosis","positive":"malignant","task":"interval",`+
		`"boundaries":[0.25,0.5,0.75],"model":{"loss":"logistic","l2":"cv"},"validation":{"kind":"cv","folds":5},"seed":7}`,
		"Content-Type: application/json")
	var v struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code >= 300 {
		b.Fatal(w.Code, w.Body)
	}
	for {
		r, err := s.db.RunLine(b.Context(), v.ID)
		if err != nil || r.Status == store.Failed {
			b.Fatal(r.Status, r.Error, err)
		}
		if r.Status == store.Done {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for name, at := range ordered(map[string]string{"1-result": "", "2-performance": "/performance", "3-model": "/model",
		"4-patients": "/patients"}) {
		b.Run(name, func(b *testing.B) {
			before := processorTime()
			for b.Loop() {
				if w := ask(s, "GET", "/runs/"+v.ID+at, "", browser); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(1000*(processorTime()-before).Seconds()/float64(b.N), "cpu-ms/op")
		})
	}
}
