package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRowsNameTheirBands: rows.csv has all columns, with and without probabilities, and each out-of-fold row has
// its band by the label of the page.
func TestRowsNameTheirBands(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	names := []string{"≤ 25 %", "25 – 50 %", "50 – 75 %", "> 75 %"}
	for _, loss := range []string{"interval", "logistic"} {
		r := trained(t, s, heartSpec(d, "Bands", loss, .25, .5, .75))
		rows, err := csv.NewReader(ask(s, "GET", "/api/v1/runs/"+r.ID+"/rows?format=csv", "").Body).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"row", "outcome", "split", "score", "probability", "stratum", "band", "weight", "flipped", "row_number"}
		if !slices.Equal(rows[0], want) {
			t.Errorf("%s: %v", loss, rows[0])
		}
		for _, row := range rows[1:] {
			if k := row[5][0] - '0'; row[6] != names[k] || (row[4] == "") != (loss == "interval") {
				t.Fatalf("%s: %v", loss, row)
			}
		}
	}
}

// TestJudgeOutside: a row outside the training data is counted with its event on the page, in the API and in the
// report, and no statistic includes it.
func TestJudgeOutside(t *testing.T) {
	s, r, file := developed(t, "logistic")
	lines := strings.Split(strings.TrimSpace(file), "\n")
	head := strings.Split(lines[0], ",")
	chol, outcome := slices.Index(head, "chol"), slices.Index(head, "disease")
	events := 0
	for i := 1; i <= 12; i++ {
		cells := strings.Split(lines[i], ",")
		cells[chol] = "4000"
		cells[outcome] = []string{"yes", "no"}[i%2]
		if i%2 == 0 {
			events++
		}
		lines[i] = strings.Join(cells, ",")
	}
	file = strings.Join(lines, "\n") + "\n"
	var v struct {
		Read, N, Skipped, Outside int
		OutsideEvents             int               `json:"outside_events"`
		Strata                    []struct{ N int } `json:"strata"`
	}
	w := ask(s, "POST", "/api/v1/runs/"+r.ID+"/predict?evaluate=1&keep=0", file, "Content-Type: text/csv")
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	n := 0
	for _, b := range v.Strata {
		n += b.N
	}
	if v.Outside < 12 || v.OutsideEvents < events || v.Read != v.N+v.Skipped+v.Outside || n != v.N {
		t.Errorf("%+v, %d in bands", v, n)
	}
	says := fmt.Sprintf("%d rows with a known outcome (%d events) lie outside the data the model was trained on (", v.Outside, v.OutsideEvents)
	text := plain(send(t, s, "/runs/"+r.ID+"/score", "h.csv", file, browser, "evaluate=1").Body.String())
	if !strings.Contains(text, fmt.Sprintf("%d rows evaluated", v.N)) || strings.Count(text, says) != 1 || !strings.Contains(text, "‘chol’ beyond its range: 12") {
		t.Errorf("the page does not say %q: %s", says, text)
	}
	id := judgedBy(t, s, r.ID, "h.csv", file)
	text = reportWords(t, ask(s, "GET", "/evaluations/"+id, "", browser).Body.String())
	for _, says := range []string{fmt.Sprintf("%d outside the training data, not evaluated", v.Outside), fmt.Sprintf("Outside the data the model was trained on: %d rows with a known outcome, ", v.Outside), "‘chol’ 12"} {
		if !strings.Contains(text, says) {
			t.Errorf("the report lacks %q: %s", says, text)
		}
	}
}
