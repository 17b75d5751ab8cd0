package form

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// Parser reads the keys of one query and collects what is wrong with them.
type Parser struct {
	Values url.Values
	Bad    []usererr.Field
}

// Fail notes what is wrong with a field.
func (p *Parser) Fail(field, message string) {
	p.Bad = append(p.Bad, usererr.Field{Field: field, Message: message})
}

// OneOf reads one of several words.
func (p *Parser) OneOf(field, fallback string, all []string) string {
	text := p.Values.Get(field)
	switch {
	case text == "":
		return fallback
	case slices.Contains(all, text):
		return text
	}
	p.Fail(field, "must be one of "+strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return s == ""
	}), ", ")+", not "+quoted(text))
	return fallback
}

// Number reads a number from lo to hi.
func (p *Parser) Number(field string, fallback, lo, hi float64) float64 {
	text := strings.TrimSpace(p.Values.Get(field))
	if text == "" {
		return fallback
	}
	v, ok := ParseNumber(text)
	if !ok || !(v >= lo && v <= hi) {
		p.Fail(field, "must be a number from "+Text(lo)+" to "+Text(hi)+", not "+quoted(text))
		return fallback
	}
	return v
}

// Share reads a share from 0 to most. A field takes it in per cent, so a problem
// is said in per cent.
func (p *Parser) Share(field string, fallback, most float64) float64 {
	text := strings.TrimSpace(p.Values.Get(field))
	if text == "" {
		return fallback
	}
	v, ok := ParseNumber(text)
	if !ok || !(v >= 0 && v <= most) {
		got := quoted(text)
		if ok {
			got = PercentText(v) + format.Pc
		}
		p.Fail(field, "must be from 0 to "+PercentText(most)+format.Pc+", not "+got)
		return fallback
	}
	return v
}

// Whole reads a whole number from lo to hi.
func (p *Parser) Whole(field string, fallback, lo, hi int) int {
	v := p.Number(field, float64(fallback), float64(lo), float64(hi))
	if v != float64(int(v)) {
		p.Fail(field, "must be a whole number, not "+quoted(p.Values.Get(field)))
		return fallback
	}
	return int(v)
}

// Boundaries reads probabilities in ascending order: a list with commas, or
// one value each from a form.
func (p *Parser) Boundaries(field string, fallback []float64) []float64 {
	texts := slices.DeleteFunc(slices.Clone(p.Values[field]), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) == 0 {
		return fallback
	}
	list := strings.Split(texts[0], ",")
	if len(texts) > 1 || len(list) == 2 && decimalComma(texts[0]) {
		list = texts
	}
	var pi []float64
	for _, text := range list {
		v, ok := ParseNumber(strings.TrimSpace(text))
		if !ok {
			p.Fail(field, "must be probabilities between 0 and 1, not "+quoted(text))
			return fallback
		}
		pi = append(pi, v)
	}
	if err := loss.CheckBoundaries(field, pi); err != nil {
		if e, ok := usererr.As(err); ok {
			p.Bad = append(p.Bad, e.Fields...)
		}
		return fallback
	}
	return pi
}

// decimalComma reports a text like "0,25", which is no list of probabilities.
func decimalComma(text string) bool {
	_, after, _ := strings.Cut(text, ",")
	v, err := strconv.ParseFloat(after, 64)
	return err == nil && v >= 1
}

// quoted repeats what somebody sent.
func quoted(text string) string { return strconv.Quote(format.Cut(text, 20)) }
