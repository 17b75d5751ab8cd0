package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/model"
	"taper/internal/web/httpio"
)

// TestPatient predicts for one patient in many ways and compares band and score with those of the same row as JSON.
func TestPatient(t *testing.T) {
	s, _ := testServer(t, Config{})
	d := heart(t, s)
	for _, loss := range []string{"interval", "logistic"} {
		r := trained(t, s, heartSpec(d, "Bands", loss, .25, .5, .75))
		to := "/runs/" + r.ID + "/patient"
		form := ask(s, "GET", "/runs/"+r.ID+"/patients", "", browser).Body.String()
		if n := strings.Count(form, `name="x:`); n != 12 || strings.Contains(form, `name="x:disease"`) {
			t.Errorf("%d fields, want one for each of 12 predictors", n)
		}
		m, err := s.db.RunModel(context.Background(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		usual := map[string]any{}
		for _, c := range m.Columns {
			usual[c.Name] = c.Reference
			if c.Kind == "number" {
				usual[c.Name] = c.Median
			}
		}
		for _, test := range []struct {
			sent []string
			row  map[string]any // differences to the defaults
			says string
		}{
			{nil, nil, "Band"},
			{[]string{"x:age=71,5"}, map[string]any{"age": 71.5}, "Band"},
			{[]string{"x:age=71.5", "x:oldpeak=.5"}, map[string]any{"age": 71.5, "oldpeak": 0.5}, "Band"},
			{[]string{"x:oldpeak=\u22121"}, map[string]any{"oldpeak": -1.0}, "Outside the data. oldpeak −1 is outside the training range 0 – 3.8 by more than a quarter of that range."},
			{[]string{"x:age=1e2"}, map[string]any{"age": 100.0}, "Outside the data. age 100 is outside the training range"},
			{[]string{"x:age=80"}, map[string]any{"age": 80.0}, "age 80 is outside the training range 28 – 79."},
			{[]string{"x:chol="}, map[string]any{"chol": nil}, "chol is missing: replaced by the training median"},
			{[]string{"x:sex=f", "x:exang=yes"}, map[string]any{"sex": "f", "exang": "yes"}, "Band"},
			{[]string{"x:sex="}, map[string]any{"sex": nil}, "sex is missing"},
		} {
			row := map[string]any{}
			for k, v := range usual {
				row[k] = v
			}
			for k, v := range test.row {
				row[k] = v
			}
			want, err := model.PredictRows(m, []map[string]any{row})
			if err != nil {
				t.Fatal(err)
			}
			p := want[0]
			w := post(s, to, script, test.sent...)
			var answer struct{ Parts map[string]string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
				t.Fatalf("%v: %d %s", test.sent, w.Code, w.Body)
			}
			text := plain(answer.Parts["patient-answer"])
			score := strings.Replace(strconv.FormatFloat(math.Round(100*p.Score)/100, 'f', 2, 64), "-", "−", 1)
			for _, says := range []string{fmt.Sprintf("Band %d of 4", p.Stratum+1), "Score " + score + ", cut-offs −1.10, 0.00, 1.10", test.says} {
				if !strings.Contains(text, says) {
					t.Errorf("%s %v: %q is missing: %s", loss, test.sent, says, text)
				}
			}
			checkProbability(t, loss, text, p)
			large := strings.Contains(answer.Parts["patient-answer"], "<strong>Outside the data.</strong>")
			if behind := strings.Contains(answer.Parts["patient-answer"], "<summary>Show the extrapolated answer</summary>"); large != (len(p.OutsideData) > 0) || behind != large || large == strings.Contains(answer.Parts["patient-answer"], "<strong>Predicted risk: ") {
				t.Errorf("%s %v: outside the data by %v: %s", loss, test.sent, p.OutsideData, answer.Parts["patient-answer"])
			}
			page := post(s, to, browser, test.sent...)
			if page.Code != 200 || !strings.Contains(plain(page.Body.String()), text) {
				t.Errorf("%s %v: the page says otherwise: %s", loss, test.sent, plain(page.Body.String()))
			}
		}
	}
}

// checkProbability expects a probability from a model with a link, and none from an interval model.
func checkProbability(t *testing.T, loss, text string, p model.Prediction) {
	t.Helper()
	if loss == "interval" {
		if !strings.Contains(text, "none: an interval model gives a band") {
			t.Errorf("an interval model names a probability: %s", text)
		}
		return
	}
	if want := fmt.Sprintf("Probability %.1f\u00a0%%, by the logistic link", 100**p.Probability); !strings.Contains(text, want) && !strings.Contains(text, strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(want)) {
		t.Errorf("no %q: %s", want, text)
	}
}

// TestPatientRefused: the input is kept and the field is named.
func TestPatientRefused(t *testing.T) {
	s, _ := testServer(t, Config{})
	r := trained(t, s, heartSpec(heart(t, s), "Bands", "interval", .3, .6))
	for _, value := range []string{"sixty", "1,2,3", "1.2.3", "0x10", "NaN", "inf", "1_0", "--1", "1e9999", "60 years"} {
		w := post(s, "/runs/"+r.ID+"/patient", script, "x:age="+value)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) != 1 || p.Errors[0].Field != "age" {
			t.Errorf("%q: %d %s", value, w.Code, w.Body)
		}
		page := post(s, "/runs/"+r.ID+"/patient", browser, "x:age="+value, "x:chol=311")
		if html := page.Body.String(); page.Code != 422 || !strings.Contains(html, `value="311"`) || !strings.Contains(html, `value="`+value+`"`) || !strings.Contains(html, `aria-invalid="true"`) {
			t.Errorf("%q: the page loses what was entered: %d", value, page.Code)
		}
	}
}
