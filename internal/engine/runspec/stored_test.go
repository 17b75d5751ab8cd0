package runspec

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
	"taper/internal/golden"
)

// TestStoredAnswers sets every field of some specs to many values, one at a time, including
// values next to its bounds. Errors, and a checksum of the defaults and titles of valid specs,
// must equal the stored ones.
func TestStoredAnswers(t *testing.T) {
	clinic, iris := tabletest.FromRecords(tabletest.Clinic(120, 1)), tabletest.CSV(t, "../../../testdata/csv/iris.csv")
	values := []string{`null`, `""`, `"x"`, `"cv"`, `"age"`, `"ward"`, `"logistic"`, `"al-zero-one"`, `"kernel"`, `"poly"`, `"died"`, `"th"`, `-1`, `0`,
		`1e-9`, `0.25`, `0.5`, `0.75`, `1`, `2`, `3`, `5`, `6`, `9`, `20`, `21`, `50`, `51`, `100`, `101`, `1000`, `1001`, `1e6`, `1e7`,
		`[]`, `["age"]`, `["age","age"]`, `["died"]`, `[0.5]`, `[0.5,0.2]`, `[0,0.5]`, `{}`, `{"age":3}`, `{"age":2}`, `{"sex":3}`, `true`}
	fields := strings.Fields("outcome positive negative score_only levels bins bins.count bins.by predictors splines group weights task price " +
		"model.kind model.loss model.params model.params.t model.params.alpha model.solver model.l2 model.tuning model.standardize " +
		"model.features model.kernel model.kernel.name model.kernel.gamma model.kernel.degree model.rounds model.depth model.theta_rule " +
		"boundaries mode validation validation.kind validation.test validation.folds validation.repeats noise.kind noise.rate " +
		"noise.rate_positive noise.rate_negative seed")
	found := map[string]map[string][]string{}
	for _, c := range []struct {
		name  string
		table *table.Table
		spec  string
	}{
		{"two classes", clinic, `{"outcome":"outcome","positive":"died","predictors":["age","marker","sex"],"model":{"l2":0.01},"validation":{"kind":"cv","folds":5}}`},
		{"kernel", clinic, `{"outcome":"outcome","positive":"died","predictors":["age","marker"],"boundaries":[0.2,0.5],
			"model":{"kind":"kernel","loss":"alpha","kernel":{"name":"rbf","gamma":0.5}},"validation":{"kind":"split"},"noise":{"kind":"class"}}`},
		{"boost", clinic, `{"outcome":"outcome","positive":"died","predictors":["age","marker"],"model":{"kind":"boost"},"noise":{"kind":"symmetric"}}`},
		{"several classes", iris, `{"outcome":"species","task":"multiclass","model":{"loss":"al-zero-one"}}`},
		{"ordered", iris, `{"outcome":"sepal_length","task":"ordinal","bins":{"count":3}}`},
	} {
		answers := map[string][]string{}
		for _, field := range fields {
			for _, value := range values {
				text := with(t, c.spec, strings.Split(field, "."), value)
				s, err := Decode(strings.NewReader(text))
				if err == nil {
					s = s.WithDefaults()
					if err = s.Validate(c.table); err == nil {
						err = s.CheckSettings()
					}
				}
				answer := "fine: "
				if e, ok := usererr.As(err); ok {
					answer = e.Detail
					if len(e.Fields) > 0 {
						answer = fmt.Sprint(e.Fields)
					}
				} else if err != nil {
					answer = err.Error()
				} else {
					s.Seed, s.Dataset = 0, ""
					text, err := json.Marshal(s)
					if err != nil {
						t.Fatal(err)
					}
					answer += fmt.Sprintf("%s, %.4x", s.Title(), sha256.Sum256(text))
				}
				answers[answer] = append(answers[answer], field+" "+value)
			}
		}
		found[c.name] = answers
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		golden.Equal(t, "answers/"+strings.ReplaceAll(name, " ", "-"), found[name])
	}
}

// with returns JSON with one field set.
func with(t *testing.T, text string, path []string, value string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	at := all
	for _, name := range path[:len(path)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	at[path[len(path)-1]] = json.RawMessage(value)
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
