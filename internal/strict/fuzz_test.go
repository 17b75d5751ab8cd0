package strict

import (
	"encoding/json"
	"reflect"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// FuzzDecode: any input gives an error with a sentence, or a value that survives a round trip.
func FuzzDecode(f *testing.F) {
	type body struct {
		Name   *string      `json:"name"`
		Levels table.Levels `json:"levels"`
		Number float64      `json:"number"`
		Whole  uint8        `json:"whole"`
		Yes    bool         `json:"yes"`
		List   []int        `json:"list"`
		Inner  struct {
			A string `json:"a"`
		} `json:"inner"`
	}
	for _, text := range []string{``, `{}`, `{"name":null,"levels":"a","inner":{"a":"b"}}`, `{"levels":["a",null]}`, `{"levels":[]}`, `{"whole":-1}`, `[] {}`,
		`{"list":[1,2.5]}`, `{"inner":{"b":1}}`, `{"number":1e999}`, `{"yes":"no"}`, `nul`, "{\"\x00\":1}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got, again body
		if err := Decode(raw, &got); err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Fatalf("%q: no sentence: %v", raw, err)
			}
			return
		}
		if got.Levels.Check("levels") != nil {
			return // such as an empty list, which is never stored
		}
		text, err := json.Marshal(got)
		if err == nil {
			err = Decode(text, &again)
		}
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%q is %+v, written %s, which is %+v: %v", raw, got, text, again, err)
		}
	})
}
