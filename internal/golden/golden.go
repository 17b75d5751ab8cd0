// Package golden compares results with files in testdata, so that unintended changes of numbers
// are noticed. Files are updated with -update, for a stated reason.
package golden

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the golden files of testdata again")

// Equal compares a value's JSON with testdata/name.json, numbers with a relative tolerance of
// 1e-5, since another machine may add in another order. Times, and details of a solver's path
// to its result, are ignored.
func Equal(t testing.TB, name string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got := rounded(decode(t, text))
	file := filepath.Join("testdata", name+".json")
	if *update {
		if text, err = json.Marshal(got); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, text), got, cmpopts.EquateApprox(1e-5, 1e-7)); diff != "" {
		t.Errorf("%s (− file, + now):\n%.4000s", file, diff)
	}
}

// Exists reports whether the file exists.
func Exists(name string) bool {
	_, err := os.Stat(filepath.Join("testdata", name+".json"))
	return err == nil
}

func decode(t testing.TB, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// rounded rounds every number to eight digits.
func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		f, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 8, 64), 64)
		if err != nil {
			panic(err)
		}
		return f
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	case map[string]any:
		for _, k := range []string{"seconds", "elapsed_s", "trace", "iterations", "evaluations", "gap", "gradient_norm"} {
			delete(v, k)
		}
		for k := range v {
			v[k] = rounded(v[k])
		}
	}
	return v
}
