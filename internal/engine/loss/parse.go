package loss

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/usererr"
)

// MaxSide is the largest number of rows or columns of a cost matrix.
const MaxSide = 128

// Parse reads the family's parameters from a query; sliders, forms and the API all use it. A parameter
// that is missing or empty has its default, and other names are ignored. Numbers have a decimal point,
// and ∞ is spelt as infinity reads it. The entries of a list are separated by commas or given one
// by one, the rows of a matrix are separated by slashes.
func (f Family) Parse(q url.Values) (Values, error) { return f.parse("", q) }

// parse puts a prefix before the names of parameters in errors.
func (f Family) parse(prefix string, q url.Values) (Values, error) {
	v := Values{}
	for _, p := range f.Params {
		x, err := p.parse(prefix+p.Name, q[p.Name])
		if err != nil {
			return nil, err
		}
		v[p.Name] = x
	}
	return v, nil
}

// Defaults returns the family's default values.
func (f Family) Defaults() Values {
	v, err := f.Parse(nil)
	if err != nil {
		panic(err) // cannot fail: nothing is parsed
	}
	return v
}

// Parse reads one parameter as Family.Parse reads all.
func (p Param) Parse(texts ...string) (Value, error) { return p.parse(p.Name, texts) }

func (p Param) parse(field string, texts []string) (v Value, err error) {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) == 0 {
		return p.Default, nil
	}
	switch p.Type {
	case Number:
		v.Number, err = p.number(field, texts[len(texts)-1])
	case List:
		v.List, err = row(field, strings.Join(texts, ","))
		if err == nil {
			err = CheckBoundaries(field, v.List)
		}
	case Matrix:
		v.Matrix, err = matrix(field, strings.Join(texts, "/"))
	case ID:
		v.ID, err = p.option(field, strings.TrimSpace(texts[len(texts)-1]))
	}
	return v, err
}

func (p Param) number(field, text string) (float64, error) {
	x, err := parseNumber(field, text)
	if err == nil {
		err = p.Check(field, x)
	}
	return x, err
}

// Check returns an error for a number that is not accepted.
func (p Param) Check(field string, x float64) error {
	if p.within(x) {
		return nil
	}
	return usererr.BadField(field, "must be %s (got %s)", p.bounds(), plain(x))
}

// bounds words the accepted range.
func (p Param) bounds() string {
	lo, hi := "at least "+plain(p.Min), "at most "+plain(p.Max)
	if p.ExclusiveMin {
		lo = "greater than " + plain(p.Min)
	}
	if p.ExclusiveMax {
		hi = "less than " + plain(p.Max)
	}
	switch {
	case p.AllowsInf:
		return lo + ", or inf"
	case math.IsInf(p.Max, 1) && math.IsInf(p.Min, -1):
		return "finite"
	case math.IsInf(p.Max, 1):
		return "finite and " + lo
	case math.IsInf(p.Min, -1):
		return "finite and " + hi
	case !p.ExclusiveMin && !p.ExclusiveMax:
		return "between " + plain(p.Min) + " and " + plain(p.Max)
	}
	return lo + " and " + hi
}

func (p Param) option(field, text string) (string, error) {
	if slices.Contains(p.Options, text) {
		return text, nil
	}
	return "", usererr.BadField(field, "must be one of %s (got %q)", strings.Join(p.Options, ", "), clip(text))
}

// row reads finite numbers separated by commas.
func row(field, text string) ([]float64, error) {
	var list []float64
	for i, part := range strings.Split(text, ",") {
		x, err := parseNumber(indexed(field, i), part)
		if err == nil && math.IsInf(x, 0) {
			err = usererr.BadField(indexed(field, i), "must be finite")
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// matrix reads rows of equal length, at least two of each.
func matrix(field, text string) ([][]float64, error) {
	var m [][]float64
	for i, part := range strings.Split(text, "/") {
		r, err := row(indexed(field, i), part)
		if err != nil {
			return nil, err
		}
		if i > 0 && len(r) != len(m[0]) {
			return nil, usererr.BadField(indexed(field, i), "must have %d entries, as the rows before it (got %d)", len(m[0]),
				len(r))
		}
		m = append(m, r)
	}
	if l, k := len(m), len(m[0]); min(l, k) < 2 || max(l, k) > MaxSide {
		return nil, usererr.BadField(field, "must have 2 to %d rows and columns (got %d×%d)", MaxSide, l, k)
	}
	return m, nil
}

// infinity reads ∞ or −∞ as it is typed: ∞, inf or infinity, in capitals or not, with a sign or without.
func infinity(text string) (x float64, ok bool) {
	x, word := inf, text
	for sign, s := range map[string]float64{"+": 1, "-": -1, "−": -1} {
		if rest, signed := strings.CutPrefix(text, sign); signed {
			x, word = s*inf, rest
		}
	}
	return x, word == "∞" || strings.EqualFold(word, "inf") || strings.EqualFold(word, "infinity")
}

// parseNumber reads a decimal number or infinity. Other notations of programming languages are errors.
func parseNumber(field, text string) (float64, error) {
	text = strings.TrimSpace(text)
	if x, ok := infinity(text); ok {
		return x, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case strings.Trim(text, "0123456789.+-eE") != "" || err != nil && x == 0:
		return 0, usererr.BadField(field, "must be a number with a decimal point (got %q)", clip(text))
	case err != nil: // the number overflows
		return 0, usererr.BadField(field, "must be finite (got %s)", clip(text))
	}
	return x, nil
}

// clip shortens a value to quote in an error.
func clip(s string) string {
	r := []rune(s)
	if len(r) > 30 {
		return string(r[:30]) + "…"
	}
	return s
}

// plain writes a number as Parse reads it.
func plain(x float64) string {
	return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"))
}
