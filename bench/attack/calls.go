package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// calls are unusual request bodies to every API call that takes one, with extreme numbers, and very long addresses.
func calls() []attack {
	return []attack{
		{name: "bodies", sent: "depth, length, repeats, other types, other bytes, to every call that takes JSON",
			want: "4xx with a sentence, or what a sound body gets", do: bodies},
		{name: "numbers at their ends", sent: "each number of runs, studies, generators, losses, bootstraps and " +
			"recalibrations, in turn, as what no number should be", want: "422 with a sentence, or work that can be cancelled",
			do: numbers},
		{name: "long addresses", sent: "queries of 1 MB and of 10,000 parameters to every page", want: "below 500",
			do: longAddresses},
		{name: "addresses at their ends", sent: "each number of a page's address as what no number should be",
			want: "below 500", do: addressesAtTheirEnds},
	}
}

// call is an API call that takes JSON.
type call struct {
	method, path string
	first        string // name of a field
}

// jsonCalls reads the calls from the program's API description.
func (s *scene) jsonCalls() (all []call) {
	var api struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(s.get("/api/v1/openapi.json").body, &api); err != nil {
		s.missf("no description: %v", err)
	}
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for method, op := range api.Paths[path] {
			body, ok := op.RequestBody.Content["application/json"]
			if !ok {
				continue
			}
			schema := body.Schema.Ref[strings.LastIndexByte(body.Schema.Ref, '/')+1:]
			c := call{method: strings.ToUpper(method), path: strings.NewReplacer("/datasets/{id}", "/datasets/"+s.dataset,
				"/runs/{id}", "/runs/"+s.run, "{id}", "none").Replace(path)}
			for _, c.first = range slices.Sorted(maps.Keys(api.Components.Schemas[schema].Properties)) {
				break
			}
			all = append(all, c)
		}
	}
	if len(all) < 8 {
		s.missf("the description has %d calls that take JSON", len(all))
	}
	return all
}

func bodies(s *scene) {
	deep, long := s.size(5_000_000, 200_000), s.size(15<<20, 1<<20)
	got := map[int]int{}
	for _, c := range s.jsonCalls() {
		key := fmt.Sprintf("%q:", c.first)
		for name, body := range map[string]string{
			"empty": "", "no object": "[]", "null": "null", "a number": "5", "a text": `""`, "not JSON": "{a:1}", "an end": "{",
			"two values": "{}{}", "NUL": "{\x00}", "Latin-1": "{\"\xe4\":1}", "half a pair": `{"` + `\ud800` + `":1}`,
			"1e400": "{" + key + "1e400}", "an unknown field": `{"__proto__":{"a":1}}`,
			"deep lists":   strings.Repeat("[", deep),
			"deep objects": strings.Repeat(`{"a":`, deep),
			"deep value":   "{" + key + strings.Repeat("[", deep/2) + strings.Repeat("]", deep/2) + "}",
			"a long text":  "{" + key + `"` + strings.Repeat("a", long) + `"}`,
			"a long list":  "{" + key + "[0" + strings.Repeat(",0", long/2) + "]}",
			"a long name":  `{"` + strings.Repeat("a", long) + `":1}`,
			"one name":     "{" + key + "1" + strings.Repeat(","+key+"1", long/20) + "}",
			"digits":       "{" + key + strings.Repeat("9", long) + "}",
			"too large":    "{" + strings.Repeat(" ", 17<<20) + "}",
		} {
			a := s.do(c.method, c.path, "application/json", strings.NewReader(body))
			s.sensible(c.method+" "+c.path+", "+name, a)
			if name == "too large" && a.status != http.StatusRequestEntityTooLarge && a.status != http.StatusNotFound &&
				!strings.HasSuffix(c.path, "/predict") { // takes files
				s.missf("%s, 17 MB: %v", c.path, a)
			}
			got[a.status]++
			s.undo(c.path, a)
		}
	}
	s.noteCounts(got)
}

// sensible expects an answer meant for users: success, or a refusal with a message.
func (s *scene) sensible(what string, a answer) {
	switch {
	case a.err != nil, a.status >= 500 && a.status != http.StatusInsufficientStorage &&
		a.status != http.StatusServiceUnavailable: // the memory is reserved by others
		s.missf("%s: %v", what, a)
	case a.status >= 400 && a.detail() == "" && !bytes.HasPrefix(a.body, []byte("<!doctype html")): // pages have one
		s.missf("%s: no sentence: %v", what, a)
	}
}

// undo stops and deletes what a call created.
func (s *scene) undo(path string, a answer) {
	switch {
	case a.status/100 != 2:
	case strings.HasSuffix(path, "/bootstrap"):
		s.post(path+"/cancel", "")
	case strings.HasSuffix(path, "/audit"):
		s.do(http.MethodPost, "/audit/"+s.run+"/cancel", "", nil)
	case strings.HasPrefix(path, "/api/v1/datasets") && path != "/api/v1/datasets/"+s.dataset:
		s.forget("datasets", a)
	case path == "/api/v1/runs", strings.HasSuffix(path, "/recalibrate"):
		s.forget("runs", a)
	case path == "/api/v1/studies":
		s.forget("studies", a)
	}
}

func (s *scene) noteCounts(got map[int]int) {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(got)) {
		all = append(all, fmt.Sprintf("%d × %d", got[status], status))
	}
	s.note("%s", strings.Join(all, ", "))
}

// variants gives the object with each of its numbers in turn replaced by each value.
func variants(object map[string]any, values []string) (all []string) {
	var walk func(at any, set func(any))
	walk = func(at any, set func(any)) {
		switch at := at.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(at)) {
				walk(at[k], func(v any) { at[k] = v })
			}
		case []any:
			for i := range at {
				walk(at[i], func(v any) { at[i] = v })
			}
		case int, float64:
			for _, v := range values {
				set(json.RawMessage(v))
				all = append(all, text(object))
			}
			set(at)
		}
	}
	walk(object, nil)
	return all
}

func numbers(s *scene) {
	values := []string{"-1", "0", "0.5", "1e308", "-1e308", "5e-324", "2147483648", "9007199254740993", "1e18", `"inf"`,
		`"NaN"`, "null", "[]", "true"}
	if s.short {
		values = []string{"-1", "1e308", "5e-324", "9007199254740993", `"inf"`}
	}
	run := func(changes map[string]any) map[string]any {
		var spec map[string]any
		_ = json.Unmarshal([]byte(s.spec(changes)), &spec)
		return spec
	}
	cv := map[string]any{"kind": "cv", "folds": 5, "repeats": 2}
	got := map[int]int{}
	for _, one := range []struct {
		path   string
		object map[string]any
	}{
		{"/api/v1/runs", run(nil)},
		{"/api/v1/runs", run(map[string]any{"task": "interval", "boundaries": []any{0.3, 0.6}, "validation": cv,
			"model": map[string]any{"kind": "linear", "loss": "interval", "l2": 0.01,
				"params": map[string]any{"pi": []any{0.3, 0.6}}},
			"splines": map[string]any{"x1": 4},
			"noise":   map[string]any{"kind": "class", "rate_positive": 0.1, "rate_negative": 0.2}})},
		{"/api/v1/runs", run(map[string]any{"validation": cv, "model": map[string]any{"kind": "boost", "loss": "alpha",
			"params": map[string]any{"alpha": 2}, "rounds": 10, "depth": 2}})},
		{"/api/v1/runs", run(map[string]any{"model": map[string]any{"kind": "kernel", "loss": "hinge", "l2": 0.01,
			"kernel": map[string]any{"name": "poly", "gamma": 0.1, "degree": 3}}})},
		{"/api/v1/runs", map[string]any{"dataset": s.dataset, "outcome": "x1", "task": "ordinal", "price": 1, "seed": 1,
			"bins": map[string]any{"count": 3}, "model": map[string]any{"l2": 0.01}, "validation": cv}},
		{"/api/v1/studies", map[string]any{"dataset": map[string]any{"generator": "long-servedio", "rows": 300},
			"models": []any{map[string]any{"loss": "alpha", "params": map[string]any{"alpha": 4}, "l2": 1e-4}},
			"noise":  map[string]any{"kind": "symmetric", "rates": []any{0, 0.1}}, "replicates": 2, "test": 0.5, "seed": 1}},
		{"/api/v1/datasets/generate", map[string]any{"generator": "gmm", "rows": 100, "seed": 1}},
		{"/api/v1/datasets/generate", map[string]any{"generator": "kimes-1.2", "rows": 100, "seed": 1,
			"params": map[string]any{"dims": 10}}},
		{"/api/v1/losses/evaluate", map[string]any{"loss": "tempered", "params": map[string]any{"t1": 0.6, "t2": 1.6},
			"margins": []any{-5, 0}}},
		{"/api/v1/losses/evaluate", map[string]any{"loss": "al-zero-one", "params": map[string]any{"weight": 1},
			"potentials": []any{[]any{1, 2}}, "labels": []any{1}}},
		{"/api/v1/losses/evaluate", map[string]any{"loss": "all-threshold", "scores": []any{1}, "thresholds": []any{0, 1},
			"labels": []any{1}}},
		{"/api/v1/runs/" + s.run + "/bootstrap", map[string]any{"replicates": 20, "seed": 1}},
		{"/api/v1/runs/" + s.run + "/recalibrate", map[string]any{"intercept": 0.1, "slope": 1}},
		{"/api/v1/runs/" + s.run + "/recalibrate", map[string]any{"prevalence": 0.1}},
		{"/api/v1/runs/" + s.run + "/audit", map[string]any{
			"try": map[string]any{"kind": "symmetric", "rate": 0.1, "seed": 1}}},
	} {
		for _, body := range variants(one.object, values) {
			a := s.post(one.path, body)
			s.sensible(fmt.Sprintf("%s %.300s", one.path, body), a)
			got[a.status]++
			s.undo(one.path, a)
		}
	}
	s.noteCounts(got)
}

// pages are the pages that parse an address.
func (s *scene) pages() []string {
	return []string{"/", "/explore", "/explore.csv", "/playground", "/playground/live", "/data", "/data/" + s.dataset,
		"/runs", "/runs.csv", "/runs/" + s.run, "/studies", "/studies/new", "/robustness", "/compare",
		"/stratify/" + s.dataset,
		"/audit/" + s.run, "/report/" + s.run, "/api/v1/runs", "/api/v1/datasets", "/api/v1/studies", "/api/v1/compare",
		"/api/v1/runs/" + s.run + "/statistics", "/api/v1/datasets/" + s.dataset + "/preview"}
}

func longAddresses(s *scene) {
	got := map[int]int{}
	long := "?ids=" + strings.Repeat("a", 1<<20)
	many := "?" + strings.Repeat("a=1&x=2&ids=3&level=4&pi=0.5&", 2000)
	for _, page := range s.pages() {
		for _, query := range []string{long, many, "?" + strings.Repeat("%", 1000), "?%00=%ff&" + strings.Repeat(";", 1000)} {
			a := s.get(page + query)
			got[a.status]++
			if a.status != http.StatusRequestHeaderFieldsTooLarge { // written by the HTTP library
				s.sensible(page+query[:10], a)
			}
		}
	}
	s.noteCounts(got)
}

func addressesAtTheirEnds(s *scene) {
	got := map[int]int{}
	for _, page := range s.pages() {
		for _, key := range []string{"n", "folds", "seed", "l2", "page", "limit", "offset", "rows", "rounds", "a.rounds",
			"rate", "pi", "t1", "alpha", "gamma", "bins", "ids", "ax", "pts", "brush"} {
			for _, value := range []string{"-1", "1e308", "9223372036854775808", "NaN", "inf", "5e-324",
				strings.Repeat("0.5,", 500)} {
				if s.short && value != "1e308" && value != "-1" {
					continue
				}
				a := s.get(page + "?" + url.Values{key: {value}}.Encode())
				s.sensible(page+"?"+key+"="+value, a)
				got[a.status]++
			}
		}
	}
	s.noteCounts(got)
}
