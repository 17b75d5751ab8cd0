package phrase

import (
	"encoding/json"
	"testing"
)

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
		{"of one", Share(1, 1), "100\u00a0%"},
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
		{"the lowest band", Band([]float64{.25, .5}, 0), "at most 25\u00a0%"},
		{"a band between", Band([]float64{.25, .5}, 1), "from 25 to 50\u00a0%"},
		{"the highest band", Band([]float64{.25, .5}, 2), "above 50\u00a0%"},
		{"rows of the lowest band", Between([]float64{.25, .5}, 0), "at most 25\u00a0%"},
		{"rows of a band between", Between([]float64{.25, .5}, 1), "between 25 and 50\u00a0%"},
		{"rows of the highest band", Between([]float64{.25, .5}, 2), "above 50\u00a0%"},
		{"a percentage", Percent(.125), "12.5"},
		{"both minuses of a small number", Number(-2.5e-20), "−2.5e-20"},
		{"both minuses with four digits", FourDigits(-2.5e-20), "−2.5e-20"},
		{"a third keeps all digits", Percent(.333333), "33.3333"},
		{"a percentage that is not 0", Percent(1e-7), "1e-05"},
		{"a small percentage to two digits", Percent(1.23e-7), "1.2e-05"},
		{"a small percentage rounded", Percent(1.04e-7), "1e-05"},
		{"nearly all", Percent(.999999), "99.9999"},
		{"0", Percent(0), "0"},
		{"1 %", WholePercent(.01), "1"},
		{"nothing to make lower", LowerFirst(""), ""},
		{"99 %", WholePercent(.99), "99"},
		{"a whole percentage", WholePercent(.254), "25"},
		{"just 1 %", WholePercent(.0149), "1"},
		{"below 1 %", WholePercent(.0061), "0.6"},
		{"none", WholePercent(0), "0"},
		{"above 99 %", WholePercent(.9961), "99.6"},
		{"below 99 %", WholePercent(.986), "99"},
		{"all", WholePercent(1), "100"},
		{"half", Share(1, 2), "50\u00a0%"},
		{"four digits", FourDigits(-1.23456), "−1.235"},
		{"cut", Shorten("abcdef", 4), "abc…"},
		{"not cut", Shorten("abcd", 4), "abcd"},
		{"twelve", Numeral(12), "twelve"},
		{"a later letter decides nothing", UpperFirst("aα"), "Aα"},
		{"nor when small", LowerFirst("Aα"), "aα"},
		{"one letter", UpperFirst("a"), "A"},
		{"six words", List([]string{"a", "b", "c", "d", "e", "f"}), "a, b, c, d, e and f"},
		{"a long number of JSON", JSON(json.Number("1")), "1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
