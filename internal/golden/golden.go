// Package golden holds results of tests to files of testdata, so that a number that
// nobody meant to change is seen. Files change by -update and with a reason.
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

// Equal compares a value's JSON with testdata/name.json, each number to a part in
// 100,000: another machine may add in another order. What a clock says and what tells
// how a solver went along, and not where it arrived, is left out.
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

// Exists reports whether there is such a file.
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

// rounded keeps eight digits of every number.
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
