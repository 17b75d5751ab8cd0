package table

import (
	"bytes"
	"strings"
)

// evidence counts the texts of a column that are only possible with certain decimal marks and thousands
// separators. 1,234 alone decides nothing, because it can be read both ways.
type evidence struct {
	point, comma           int // 12.5, 0.123, 1234.5; the same with commas
	pointGroup, commaGroup int // 1.234.567 or 1.234,5: groups by points; by commas
	pointEither, anyComma  int // 1.234; 1,234
	blank, quote           int // 1 234; 1'234
}

// weigh counts one trimmed text.
func (e *evidence) weigh(t []byte) {
	t = bytes.TrimPrefix(bytes.TrimPrefix(t, []byte("-")), []byte("\u2212"))
	if len(t) == 0 || t[0] != '.' && t[0] != ',' && !isDigit(t[0]) {
		return
	}
	full := func(f format) (grouped, ok bool) {
		_, grouped, n, ok := prefix(t, f)
		return grouped, ok && n == len(t)
	}
	_, asPoint := full(format{mark: '.'})
	_, asComma := full(format{mark: ','})
	groupC, byComma := full(format{'.', ','})
	groupP, byPoint := full(format{',', '.'})
	byComma, byPoint = byComma && groupC, byPoint && groupP
	switch {
	case asPoint && asComma: // neither a point nor a comma
	case asPoint && byPoint:
		e.pointEither++
	case asPoint:
		e.point++
	case asComma && byComma:
		e.anyComma++
	case asComma:
		e.comma++
	case byComma:
		e.commaGroup++
	case byPoint:
		e.pointGroup++
	default:
		e.blanks(full)
	}
}

// blanks counts groups separated by blanks and apostrophes, with either decimal mark.
func (e *evidence) blanks(full func(format) (bool, bool)) {
	for _, mark := range []byte{'.', ','} {
		if g, ok := full(format{mark, ' '}); g && ok {
			e.blank++
			return
		}
		if g, ok := full(format{mark, '\''}); g && ok {
			e.quote++
			return
		}
	}
}

// formats decides how each column writes numbers: one thousands separator and one decimal mark for the whole
// file, except for columns in which every text requires the other mark.
func (l *layout) formats() []format {
	per := make([]evidence, len(l.names))
	points, commas := 0, 0
	var all evidence
	for j := range per {
		for _, r := range l.sample {
			if j < len(r.cells) {
				per[j].weigh(trim([]byte(r.cells[j])))
			}
		}
		points += btoi(per[j].point+per[j].commaGroup > 0)
		commas += btoi(per[j].comma+per[j].pointGroup > 0)
		all.add(per[j])
	}
	if l.d.Decimal == "" {
		l.d.Decimal = "."
		if commas > points {
			l.d.Decimal = ","
		}
		l.markOpen = points+commas == 0
	}
	l.groups(all)
	list := make([]format, len(per))
	for j, e := range per {
		list[j] = l.format(e)
	}
	return list
}

func (e *evidence) add(o evidence) {
	e.point, e.comma = e.point+o.point, e.comma+o.comma
	e.pointGroup, e.commaGroup = e.pointGroup+o.pointGroup, e.commaGroup+o.commaGroup
	e.pointEither, e.anyComma = e.pointEither+o.pointEither, e.anyComma+o.anyComma
	e.blank, e.quote = e.blank+o.blank, e.quote+o.quote
}

// groups decides the thousands separator.
func (l *layout) groups(all evidence) {
	if l.d.Thousands != "" {
		return
	}
	l.d.Thousands = "none"
	switch comma := l.d.Decimal == ","; {
	case !comma && all.commaGroup+all.anyComma > 0:
		l.d.Thousands = ","
		l.ambiguous = all.anyComma > 0 && all.commaGroup == 0
	case comma && all.pointGroup+all.pointEither > 0:
		l.d.Thousands = "."
		l.ambiguous = all.pointGroup == 0
	case all.blank > 0 && all.blank >= all.quote:
		l.d.Thousands = " "
	case all.quote > 0:
		l.d.Thousands = "'"
	}
	l.grouped = l.d.Thousands != "none"
}

// format returns the format of a column with this evidence. Without a thousands separator 1.234 cannot mean
// 1234, so the point must be a decimal mark.
func (l *layout) format(e evidence) format {
	f := format{mark: l.d.Decimal[0]}
	if l.d.Thousands == "none" {
		e.point, e.comma = e.point+e.pointEither, e.comma+e.anyComma
	}
	switch {
	case e.comma > 0 && e.point+e.commaGroup == 0:
		f.mark = ','
	case e.point > 0 && e.comma+e.pointGroup == 0:
		f.mark = '.'
	}
	if g := strings.TrimSuffix(l.d.Thousands, "none"); g != "" && g[0] != f.mark {
		f.group = g[0]
	}
	return f
}
