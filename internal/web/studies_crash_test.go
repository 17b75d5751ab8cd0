package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/store"
	"taper/internal/testtime"
	"taper/internal/web/api"
)

const crashStudy = `{"dataset":{"generator":"long-servedio","rows":600},"models":[{"loss":"logistic","l2":0.0001},{"loss":"t-logistic","params":{"t":1.9},"l2":0.5}],
	"noise":{"kind":"symmetric","rates":[0,0.1,0.2,0.3]},"replicates":200,"seed":9}`

// study reads a study of the killed program.
func (v *victim) study(id string) (st api.Study) {
	v.t.Helper()
	if err := json.Unmarshal(v.get("/api/v1/studies/"+id), &st); err != nil {
		v.t.Fatal(err)
	}
	return st
}

// TestStudyCrash kills the program twice during a study. Every unit that was seen as stored exists at the next
// start; the study resumes by itself and ends with the numbers of an uninterrupted one.
func TestStudyCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("Kills the program: left out with -short.")
	}
	dir := t.TempDir() + "/data"
	v := startVictim(t, dir)
	status, body, err := v.do("POST", "/api/v1/studies", "application/json", strings.NewReader(crashStudy))
	var made struct{ ID string }
	if json.Unmarshal(body, &made); err != nil || status != http.StatusAccepted {
		t.Fatalf("%d %s %v", status, body, err)
	}
	for _, at := range []int{10, 30} {
		kept := 0
		for kept < at {
			st := v.study(made.ID)
			if kept = st.Done; st.Status == store.Done {
				t.Fatalf("the study was done before the kill at %d", at)
			}
		}
		v.kill()
		v = startVictim(t, dir)
		if st := v.study(made.ID); st.Done < kept || st.Status != store.Running && st.Status != store.Queued && st.Status != store.Done {
			t.Errorf("after a kill at %d units the study is %s with %d", kept, st.Status, st.Done)
		}
	}
	defer v.kill()
	var end api.Study
	testtime.Until(t, "the end of the study", func() bool { end = v.study(made.ID); return app.HasEnded(end.Status) })
	if end.Status != store.Done {
		t.Fatalf("the study is %s with %d units: %s", end.Status, end.Done, end.Error)
	}
	if end.Done != 800 || end.Units != 800 {
		t.Errorf("%d of %d units are kept, want 800: one computed twice would not fit in", end.Done, end.Units)
	}
	s, _ := testServer(t, Config{})
	alone := studyAt(t, s, studied(t, s, crashStudy), done)
	if !sameValues(end.Cells, alone.Cells) {
		t.Error("the numbers differ from those of a study that was left alone")
	}
}
