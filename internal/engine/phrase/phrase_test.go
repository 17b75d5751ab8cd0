package phrase

import "testing"

func TestPhrases(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"thousands", Int(1234567), "1,234,567"},
		{"no comma below a thousand", Int(999), "999"},
		{"one", Count(1, "row"), "1 row"},
		{"many", Count(2000, "row"), "2,000 rows"},
		{"none takes the plural", Count(0, "row"), "0 rows"},
		{"verb of one", CountWith(1, "row", "is", "are"), "1 row is"},
		{"verb of many", CountWith(3, "row", "is", "are"), "3 rows are"},
		{"nearly all is not all", Share(999, 1000), "99\u00a0%"},
		{"hardly any is not none", Share(1, 1000), "under 1\u00a0%"},
		{"of nothing", Share(0, 0), "0\u00a0%"},
		{"real minus", Number(-2.5), "−2.5"},
		{"level", Quote("yes"), "‘yes’"},
		{"empty level", Quote(""), "the empty cell"},
		{"code below zero", Code("-9"), "−9"},
		{"one word", List([]string{"a"}), "a"},
		{"three words", List([]string{"a", "b", "c"}), "a, b and c"},
		{"an upper-case letter", UpperFirst("bands"), "Bands"},
		{"the α of a loss keeps its size", UpperFirst("α-loss"), "α-loss"},
		{"nothing", UpperFirst(""), ""},
		{"a lower-case letter", LowerFirst("Zero-one"), "zero-one"},
		{"no list", Join(nil), ""},
		{"a list of one", Join([]string{"a"}), "a"},
		{"a list of two", Join([]string{"a", "b"}), "a and b"},
		{"a list of three", Join([]string{"a", "b", "c"}), "a, b and c"},
		{"a small count", Numeral(3), "three"},
		{"a larger count", Numeral(13), "13"},
		{"seven words", List([]string{"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 others"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
