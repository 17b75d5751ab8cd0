package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"taper/internal/store"
)

// BenchmarkComparePage opens the comparison of two runs of 5,000 rows and two predictors, including their surfaces;
// the target is 300 ms.
func BenchmarkComparePage(b *testing.B) {
	s := benchServer(b)
	made := func(path, body string) string {
		w := ask(s, "POST", path, body, "Content-Type: application/json")
		var v struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code >= 300 {
			b.Fatal(w.Code, w.Body)
		}
		return v.ID
	}
	data := made("/api/v1/datasets/generate", `{"generator":"gmm","rows":5000,"seed":1}`)
	d, err := s.db.Dataset(b.Context(), data)
	if err != nil {
		b.Fatal(err)
	}
	ids := ""
	for _, loss := range []string{"logistic", "alpha"} {
		id := made("/api/v1/runs", fmt.Sprintf(`{"dataset":%q,"outcome":%q,"positive":%q,"task":"interval","boundaries":[0.25,0.5,0.75],"model":{"kind":"linear","loss":%q,"l2":0.01},"validation":{"kind":"cv","folds":5},"seed":7}`, data, d.Choice.Outcome, d.Choice.Positive, loss))
		for {
			r, err := s.db.RunLine(b.Context(), id)
			if err != nil || r.Status == store.Failed {
				b.Fatal(r.Status, err)
			}
			if r.Status == store.Done {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		ids += "," + id
	}
	for b.Loop() {
		if w := ask(s, "GET", "/compare?ids="+ids[1:], "", browser); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
