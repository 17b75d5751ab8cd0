package strict

import "testing"

// TestExplain: an error says where the text stops being JSON, or which field is wrong, and what is expected there.
func TestExplain(t *testing.T) {
	type body struct {
		Rate float64  `json:"rate"`
		List []string `json:"list"`
	}
	const value = "a value (a text in double quotes, a number, true, false, null, a list or an object)"
	for text, want := range map[string]string{
		"":                      "The body is empty: a JSON object is expected.",
		" \n":                   "The body is empty: a JSON object is expected.",
		`{"rate":1`:             "The body is not JSON: it ends too early, so a quote, a ] or a } is missing.",
		`{'rate':1}`:            "The body is not JSON: at line 1, character 2 it has ‘'’ where a name in double quotes or a } is expected.",
		"{\n  \"rate\": .5}":    "The body is not JSON: at line 2, character 11 it has ‘.’ where " + value + " is expected.",
		`{"rate" 1}`:            "The body is not JSON: at line 1, character 9 it has ‘1’ where a colon is expected.",
		`{"rate":1 "list":[]}`:  "The body is not JSON: at line 1, character 11 it has ‘\"’ where a comma or a } is expected.",
		`{"list":["ä" "b"]}`:    "The body is not JSON: at line 1, character 14 it has ‘\"’ where a comma or a ] is expected.",
		"{\"list\":[\"a\nb\"]}": `The body is not JSON: at line 1, character 12 it has ‘\n’ where no line break within a text (write \n) is expected.`,
		`{"rate":"high"}`:       "rate must be a finite number (got a text).",
		`[1]`:                   "The body must be a JSON object (got a list).",
		`{"dose":1}`:            "dose is not a field of this request.",
		`{} {}`:                 "The body holds more than one JSON value: send one.",
	} {
		if err := Decode([]byte(text), new(body)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
