package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"taper/internal/store"
)

// TestLeftOut: a confirmed dataset lists its dropped columns by name and reason, without their cells; one that is
// not confirmed lists none.
func TestLeftOut(t *testing.T) {
	s, _ := testServer(t, Config{})
	lines := strings.Split(strings.TrimSpace(trialCSV(80)), "\n")
	for i := range lines {
		switch { // time determines the outcome
		case i == 0:
			lines[i] += ",time,patient_id"
		case strings.HasSuffix(lines[i], "yes"):
			lines[i] += fmt.Sprintf(",%d,%s%d", 10+i%7, canary, i)
		default:
			lines[i] += fmt.Sprintf(",%d,%s%d", 100+i%7, canary, i)
		}
	}
	d := bringAnswered(t, s, withNote(strings.Join(lines, "\n")))
	if w := post(s, "/data/"+d.ID, browser, "role:time=exclude", "role:sex=exclude"); w.Code >= 400 {
		t.Fatal(w.Code, plain(w.Body.String()))
	}
	seen := func() (v struct {
		LeftOut []store.LeftOut `json:"left_out"`
	}) {
		t.Helper()
		w := ask(s, "GET", "/api/v1/datasets/"+d.ID, "")
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != http.StatusOK {
			t.Fatal(w.Code, err)
		}
		return v
	}
	if v := seen(); v.LeftOut != nil {
		t.Errorf("before it is confirmed: %v", v)
	}
	if w := post(s, "/data/"+d.ID, browser, "confirm=1"); w.Code != http.StatusSeeOther {
		t.Fatal(w.Code, plain(w.Body.String()))
	}
	want := []store.LeftOut{{Name: "sex", Reason: store.LeftExcluded}, {Name: "time", Reason: store.LeftLeak},
		{Name: "patient_id", Reason: store.LeftIdentifier}, {Name: "note", Reason: store.LeftText}}
	if got := seen().LeftOut; !slices.Equal(got, want) {
		t.Errorf("left out %v, want %v", got, want)
	}
	nowhere(t, s.db.Dir(), canary)
	whole := bringAnswered(t, s, trialCSV(80))
	post(s, "/data/"+whole.ID, browser, "confirm=1")
	if left := dataset(t, s, whole.ID).LeftOut; left == nil || len(left) > 0 {
		t.Errorf("of a file kept whole: %#v", left)
	}
}
