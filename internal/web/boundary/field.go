package boundary

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
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

// Read reads the boundaries of a page: shares, separated by commas or one per value. The refusal of one continues a
// sentence that begins with its name, and gives both in per cent, as their fields take them.
func Read(texts []string) (pi []float64, refusal string) {
	for _, text := range strings.Split(strings.Join(texts, ","), ",") {
		v, ok := form.ParseNumber(strings.TrimSpace(text))
		if !ok || !(v >= FineGap && v <= 1-FineGap) {
			return nil, "must be from 0.1 to 99.9" + format.Pc + ", not " + SharePercent(text)
		}
		pi = append(pi, v)
	}
	return pi, ""
}

// SharePercent writes a share of an address in per cent, as its field takes it; other text is quoted and cut.
func SharePercent(text string) string {
	if v, ok := form.ParseNumber(strings.TrimSpace(text)); ok && len(text) <= 20 {
		return form.PercentText(v) + format.Pc
	}
	return phrase.Verbatim(format.Cut(strings.TrimSpace(text), 20))
}
