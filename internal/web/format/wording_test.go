package format

import (
	"errors"
	"regexp"
	"testing"

	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// TestDescribe: each sentence about a statistic begins with a capital letter.
func TestDescribe(t *testing.T) {
	small := regexp.MustCompile(`(^|[^.][a-zα-ω)\]0-9]\. )[a-z]`)
	for _, s := range stat.All {
		if text := Describe(s); small.MatchString(text) {
			t.Errorf("%s: %q", s.ID, text)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a short text", Cut("αβγ", 3), "αβγ"},
		{"a long text, by characters", Cut("αβγδ", 3), "αβγ…"},
		{"two decimals", TwoDecimals(.5), "0.50"},
		{"a third decimal that is there", TwoDecimals(.125), "0.125"},
		{"a parameter", Parameter("1.60"), "1.6"},
		{"a negative one", Parameter("-1"), "−1"},
		{"infinity", Parameter("inf"), "∞"},
		{"no number", Parameter("same"), "same"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	bad := []usererr.Field{{Field: "t1", Message: "must be a number"}, {Field: "pi", Message: "must rise"}}
	for _, c := range []struct{ name, got, want string }{
		{"those of a page", UnusedKeys(bad), "t1 must be a number. pi must rise. The rest is shown."},
		{"none", UnusedKeys(nil), ""},
		{"at a control", Problem(bad[0]), "T1 must be a number"},
		{"a sentence of its own", Problem(usererr.Field{Field: "l2", Message: "Take a number."}), "Take a number."},
		{"within a sentence", Detail(usererr.New(usererr.Invalid, "The file is empty.")), "The file is empty"},
		{"of another error", Detail(errors.New("disk full")), "disk full"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
