package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"taper/internal/engine/loss"
	"taper/internal/web/httpio"
)

// TestAPILosses: every family is listed with its parameters, ranges and formulas.
func TestAPILosses(t *testing.T) {
	s := served()
	var list struct{ Losses []map[string]any }
	w := ask(s, "GET", "/api/v1/losses", "")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK || len(list.Losses) != len(loss.Families) {
		t.Fatalf("%d, %v: %d losses", w.Code, err, len(list.Losses))
	}
	params := map[string]map[string]any{}
	for i, l := range list.Losses {
		if f := loss.Families[i]; l["id"] != f.ID || l["kind"] != string(f.Kind) || l["formula"] == "" {
			t.Errorf("%v", l)
		}
		for _, p := range l["params"].([]any) {
			p := p.(map[string]any)
			params[l["id"].(string)+"."+p["name"].(string)] = p
		}
	}
	for name, want := range map[string]string{
		"alpha.alpha":        `min=0 exclusive_min=true max=inf allows_inf=true default=2 slider_min=0.25 slider_max=32`,
		"tempered.t1":        `min=0 max=4 exclusive_min=false slider_max=1 default=0.6 type=number`,
		"ramp.s":             `min=<nil> max=1 default=-1`,
		"al-zero-one.weight": `min=0 exclusive_min=true max=<nil> allows_inf=false`,
		"interval.pi":        `type=list default=[0.25 0.5 0.75]`,
		"al-cost.matrix":     `type=matrix min=<nil> slider_min=<nil>`,
		"all-threshold.base": `type=id default=hinge`,
	} {
		for _, pair := range strings.SplitAfter(want, " ") {
			key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if strings.Contains(want, "[") && key != "type" && key != "default" {
				continue
			}
			if got := fmt.Sprint(params[name][key]); key == "default" && strings.HasPrefix(value, "[") {
				if got != "[0.25 0.5 0.75]" {
					t.Errorf("%s: default %s", name, got)
				}
			} else if got != value {
				t.Errorf("%s: %s is %s, want %s", name, key, got, value)
			}
		}
	}
}

// TestAPIEvaluate compares each kind of loss with a value computed by hand.
func TestAPIEvaluate(t *testing.T) {
	s := served()
	for body, want := range map[string]string{
		`{"loss":"hinge","margins":[-1,1,2.5]}`:                                                                   `{"value":[2,0,0],"derivative":[-1,0,0],"second_derivative":[0,null,0],"probability":null,"class_probability":null,"weight":[1,0,0],"importance":null}`,
		`{"loss":"exponential","margins":[-1e3]}`:                                                                 `{"value":["inf"],"derivative":["-inf"],"second_derivative":["inf"],"probability":null,"class_probability":[0],"weight":["inf"],"importance":null}`,
		`{"loss":"alpha","params":{"alpha":"inf"},"margins":[0]}`:                                                 `{"value":[0.5],"derivative":[-0.25],"second_derivative":[0],"probability":[0.5],"class_probability":null,"weight":[0.25],"importance":[0.5]}`,
		`{"loss":"interval","params":{"pi":[0.5]},"margins":[0]}`:                                                 `{"positive":{"value":[0.6931471805599453],"derivative":[-0.5]},"negative":{"value":[0.6931471805599453],"derivative":[-0.5]},"delta":[0],"hinges":{"positive":[1.3862943611198906],"negative":[1.3862943611198906]}}`,
		`{"loss":"al-zero-one","potentials":[[0,0],[3,0]],"labels":[0,1]}`:                                        `{"value":[0.5,3],"subgradient":[[-0.5,0.5],[1,-1]],"adversary":[[0.5,0.5],[1,0]],"prediction":[[0.5,0.5],[1,0]],"probability":null,"class_probability":null,"decision":[0,0]}`,
		`{"loss":"al-abstain","potentials":[[0.25,0]],"labels":[1]}`:                                              `{"value":[0.625],"subgradient":[[0.5,-0.5]],"adversary":[[0.5,0.5]],"prediction":[[0.25,0,0.75]],"probability":null,"class_probability":null,"decision":[null]}`,
		`{"loss":"softmax","potentials":[[1,1]],"labels":[1]}`:                                                    `{"value":[0.6931471805599453],"subgradient":[[0.5,-0.5]],"adversary":null,"prediction":null,"probability":[[0.5,0.5]],"class_probability":[[0.5,0.5]],"decision":[0]}`,
		`{"loss":"all-threshold","scores":[0.5],"thresholds":[0,1],"labels":[2]}`:                                 `{"value":[2],"score_derivative":[-2],"threshold_derivative":[[1,1]],"prediction":[1]}`,
		`{"loss":"immediate-threshold","params":{"base":"hinge"},"scores":[0.5],"thresholds":[1,0],"labels":[0]}`: `{"value":[0.5],"score_derivative":[1],"threshold_derivative":[[-1,0]],"prediction":null}`,
	} {
		if w := ask(s, "POST", "/api/v1/losses/evaluate", body); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s\n gives %d %s\n  want %s", body, w.Code, w.Body, want)
		}
	}
}

// TestAPIEvaluateRefuses: every invalid input gets a 422 that names its field.
func TestAPIEvaluateRefuses(t *testing.T) {
	s := served()
	for body, field := range map[string]string{
		`[]`:                                              "",
		`{`:                                               "",
		`{"loss":"hinge","margins":[NaN]}`:                "",
		`{}`:                                              "loss",
		`{"loss":5}`:                                      "loss",
		`{"loss":"nope","margins":[0]}`:                   "loss",
		`{"loss":"hinge","margin":[0]}`:                   "margin",
		`{"loss":"hinge"}`:                                "margins",
		`{"loss":"hinge","margins":null}`:                 "margins",
		`{"loss":"hinge","margins":{}}`:                   "margins",
		`{"loss":"hinge","margins":1}`:                    "margins",
		`{"loss":"hinge","margins":[]}`:                   "margins",
		`{"loss":"hinge","margins":[ ]}`:                  "margins",
		`{"loss":"hinge","margins":[0,null]}`:             "margins[1]",
		`{"loss":"hinge","margins":[0,"inf"]}`:            "margins[1]",
		`{"loss":"hinge","margins":[0,[1]]}`:              "margins[1]",
		`{"loss":"hinge","margins":["a,b]",1]}`:           "margins[0]",
		`{"loss":"hinge","margins":[0,1,1e999]}`:          "margins[2]",
		`{"loss":"hinge","margins":[0],"labels":[0]}`:     "labels",
		`{"loss":"hinge","margins":[0],"params":[]}`:      "params",
		`{"loss":"hinge","margins":[0],"params":{"a":1}}`: "params.a",
		`{"loss":"tempered","margins":[0],"params":{"t1":2,"t2":-1}}`:                                  "params.t2",
		`{"loss":"tempered","margins":[0],"params":{"t1":4.01}}`:                                       "params.t1",
		`{"loss":"alpha","margins":[0],"params":{"alpha":0}}`:                                          "params.alpha",
		`{"loss":"alpha","margins":[0],"params":{"alpha":"infinite"}}`:                                 "params.alpha",
		`{"loss":"t-logistic","margins":[0],"params":{"t":0.99}}`:                                      "params.t",
		`{"loss":"ramp","margins":[0],"params":{"s":1}}`:                                               "params.s",
		`{"loss":"interval","margins":[0],"params":{"pi":[0.5,0.2]}}`:                                  "params.pi[1]",
		`{"loss":"interval","margins":[0],"params":{"pi":[0,1]}}`:                                      "params.pi[0]",
		`{"loss":"interval","margins":[0],"params":{"pi":[]}}`:                                         "params.pi",
		`{"loss":"softmax","potentials":[],"labels":[]}`:                                               "potentials",
		`{"loss":"softmax","potentials":[[]],"labels":[0]}`:                                            "potentials[0]",
		`{"loss":"softmax","potentials":[[1]],"labels":[0]}`:                                           "potentials[0]",
		`{"loss":"softmax","potentials":[1,2],"labels":[0]}`:                                           "potentials[0]",
		`{"loss":"softmax","potentials":[[0,1],[1]],"labels":[0,0]}`:                                   "potentials[1]",
		`{"loss":"softmax","potentials":[[0,null]],"labels":[0]}`:                                      "potentials[0][1]",
		`{"loss":"softmax","potentials":[[0,1]],"labels":[2]}`:                                         "labels[0]",
		`{"loss":"softmax","potentials":[[0,1]],"labels":[-1]}`:                                        "labels[0]",
		`{"loss":"softmax","potentials":[[0,1]],"labels":[0.5]}`:                                       "labels[0]",
		`{"loss":"softmax","potentials":[[0,1]],"labels":[true]}`:                                      "labels[0]",
		`{"loss":"softmax","potentials":[[0,1]],"labels":[0,1]}`:                                       "labels",
		`{"loss":"softmax","potentials":[[0,1]]}`:                                                      "labels",
		`{"loss":"softmax","margins":[0],"potentials":[[0,1]],"labels":[0]}`:                           "margins",
		`{"loss":"al-cost","params":{"matrix":[[0,1],[1]]},"potentials":[[0,1]],"labels":[0]}`:         "params.matrix[1]",
		`{"loss":"al-cost","params":{"matrix":[[0,1]]},"potentials":[[0,1]],"labels":[0]}`:             "params.matrix",
		`{"loss":"al-cost","params":{"matrix":[[0,1],[1,0]]},"potentials":[[0,1,2]],"labels":[0]}`:     "potentials[0]",
		`{"loss":"al-abstain","params":{"alpha":1.5},"potentials":[[0,1]],"labels":[0]}`:               "params.alpha",
		`{"loss":"al-zero-one","params":{"weight":0},"potentials":[[0,1]],"labels":[0]}`:               "params.weight",
		`{"loss":"all-threshold","params":{"base":"nope"},"scores":[0],"thresholds":[0],"labels":[0]}`: "params.base",
		`{"loss":"all-threshold","scores":[0],"thresholds":[],"labels":[0]}`:                           "thresholds",
		`{"loss":"all-threshold","scores":[0],"thresholds":[0],"labels":[2]}`:                          "labels[0]",
		`{"loss":"all-threshold","scores":[0,1],"thresholds":[0],"labels":[0]}`:                        "labels",
		`{"loss":"all-threshold","scores":[0],"labels":[0]}`:                                           "thresholds",
	} {
		w := ask(s, "POST", "/api/v1/losses/evaluate", body)
		var p httpio.Problem
		err := json.Unmarshal(w.Body.Bytes(), &p)
		named := field == "" && len(p.Errors) == 0 || len(p.Errors) == 1 && p.Errors[0].Field == field
		if err != nil || w.Code != http.StatusUnprocessableEntity || p.Detail == "" || !named {
			t.Errorf("%s: %d %s, want a 422 about %q", body, w.Code, w.Body, field)
		}
	}
}

// TestAPIEvaluateMany evaluates 100,000 margins in one call.
func TestAPIEvaluateMany(t *testing.T) {
	s := served()
	w := ask(s, "POST", "/api/v1/losses/evaluate", `{"loss":"tempered","margins":[`+strings.Repeat("0.123456789012345, ", 99_999)+`-1]}`)
	var got struct{ Value, Importance []float64 }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Value) != 100_000 || len(got.Importance) != 100_000 {
		t.Fatalf("%d, %v, %d values", w.Code, err, len(got.Value))
	}
	if l := (loss.Tempered{T1: .6, T2: 1.6}); got.Value[5] != l.Value(1, 0.123456789012345) || got.Value[99_999] != l.Value(1, -1) {
		t.Errorf("%v … %v", got.Value[5], got.Value[99_999])
	}
}

// TestAPIEvaluateTooMany: too many numbers are refused, with the field named, before anything is evaluated.
func TestAPIEvaluateTooMany(t *testing.T) {
	s := served()
	many := strings.Repeat("0,", mostNumbers)
	for body, want := range map[string]string{
		`{"loss":"hinge","margins":[` + many + `0]}`:                                                                "margins must have at most 1\u202f000\u202f000 numbers: ask in several calls.",
		`{"loss":"interval","margins":[` + many + `0]}`:                                                             "margins must have at most 1\u202f000\u202f000 numbers: ask in several calls.",
		`{"loss":"softmax","potentials":[` + strings.Repeat("[0,0],", mostNumbers/2) + `[0,0]],"labels":[0]}`:       "potentials must have at most 1\u202f000\u202f000 numbers: ask in several calls.",
		`{"loss":"softmax","potentials":[[0,0]],"labels":[` + many + `0]}`:                                          "labels must have at most 1\u202f000\u202f000 numbers: ask in several calls.",
		`{"loss":"softmax","potentials":[[` + many[:2*mostClasses] + `0]],"labels":[0]}`:                            "potentials[0] must have at most 1000 numbers, one for each class (got 1001).",
		`{"loss":"all-threshold","scores":[` + many[:2000] + `0],"thresholds":[` + many[:2000] + `0],"labels":[0]}`: "thresholds times scores must be at most 1\u202f000\u202f000 (got 1001 × 1001): ask in several calls.",
	} {
		w := ask(s, "POST", "/api/v1/losses/evaluate", body)
		var p httpio.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusUnprocessableEntity || p.Detail != want || len(p.Errors) != 1 {
			t.Errorf("%.40s: %d %.200s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// TestAPIEvaluateEndsWithItsClient: evaluation stops when the client has disconnected.
func TestAPIEvaluateEndsWithItsClient(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	q := lossQuestion{
		Margins: json.RawMessage(`[0]`), Potentials: json.RawMessage(`[[0,0]]`), Scores: json.RawMessage(`[0]`),
		Thresholds: json.RawMessage(`[0]`), Labels: json.RawMessage(`[0]`),
	}
	for _, id := range []string{"hinge", "interval", "softmax", "all-threshold"} {
		f, _ := loss.FamilyByID(id)
		v, err := f.ParseJSON("params", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.evaluate(ctx, &numberWriter{}, f, v); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// FuzzEachItem: the items of any JSON list are those that encoding/json finds.
func FuzzEachItem(f *testing.F) {
	for _, s := range []string{`[]`, `[1]`, ` [1 , -2.5e3,"a,]\"" ]`, `[[1,[2]],{"a":[1,2]}]`, `[null,true]`, `{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want []json.RawMessage
		var whole json.RawMessage
		if json.Unmarshal(raw, &whole) != nil {
			t.Skip("not JSON: the decoder refuses it before eachItem is called")
		}
		isList := json.Unmarshal(whole, &want) == nil && whole[0] == '['
		var got []string
		err := eachItem("x", whole, func(_ int, item []byte) error { got = append(got, string(item)); return nil })
		if (err == nil) != (isList && len(want) > 0) || len(got) != len(want) {
			t.Fatalf("%s: %q, %v; want %q", raw, got, err, want)
		}
		for i := range got {
			if got[i] != string(want[i]) {
				t.Errorf("%s: item %d is %q, want %q", raw, i, got[i], want[i])
			}
		}
		_, _ = finiteList("x", whole)
		_, _, _ = rectangle("x", whole)
		_, _ = labelList(whole, 2, 2, "y")
	})
}
