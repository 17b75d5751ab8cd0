package boundary

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// Field turns a key of an address into one for boundaries: increasing probabilities, separated by commas or, from a
// form, one per value.
func Field(f *form.Field, pi *[]float64) {
	key := f.Key // without the prefix, which the state adds to problems
	f.Read = func(texts []string) error {
		read, err := parse(key, texts)
		if err == nil && read != nil {
			*pi = read
		}
		return err
	}
	f.Write = func() []string { return []string{Param(*pi)} }
}

func parse(key string, texts []string) (pi []float64, err error) {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) == 0 {
		return nil, nil
	}
	list := strings.Split(texts[0], ",")
	if len(texts) > 1 || len(list) == 2 && decimalComma(texts[0]) {
		list = texts
	}
	for _, text := range list {
		v, ok := form.ParseNumber(strings.TrimSpace(text))
		if !ok {
			return nil, usererr.BadField(key, "must be probabilities between 0 and 1, not %s", form.Quoted(text))
		}
		pi = append(pi, v)
	}
	return pi, loss.CheckBoundaries(key, pi)
}

// decimalComma reports a text such as "0,25", which is a number with a decimal comma and not a list.
func decimalComma(text string) bool {
	_, after, _ := strings.Cut(text, ",")
	v, err := strconv.ParseFloat(after, 64)
	return err == nil && v >= 1
}
