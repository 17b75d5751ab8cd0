package table

import "math"

// column decides the type and builds the column. m must not be used afterwards.
func (m *merged) column() *Column {
	c := &Column{Name: m.name, Spec: m.spec}
	if m.numeric() {
		m.asNumbers()
		m.extremes()
		c.Type = m.numberType()
	} else {
		if m.spec.JoinLevels {
			m.joinLevels()
		}
		c.Type, m.order = m.textType()
	}
	switch {
	case c.Type == Date && m.num != nil:
		c.Layout = compactLayout
		for i, v := range m.num {
			if v == v {
				m.num[i], _ = compactDay(v)
			}
		}
		m.stats = nil
	case c.Type == Date:
		c.Layout = m.layout()
		m.asDates()
	}
	c.Aliases = m.alias
	if c.Numeric() {
		c.Num = m.num
		c.Distinct = m.different()
		c.Missing = m.rows - m.survey().n
		c.OddTexts = m.oddTexts()
		c.Padded = m.zeros
	}
	if m.code != nil && (!c.Numeric() || len(m.dict.text) <= MaxLevels) {
		c.Code, c.Levels, c.Count = m.code, m.dict.text, m.dict.count
	}
	if !c.Numeric() {
		c.Missing, c.Distinct = m.gone, len(c.Levels)
	}
	for _, t := range m.lost.sorted() {
		c.MissingCodes = append(c.MissingCodes, t.text)
	}
	c.Role = m.spec.Role
	if c.Role == "" {
		c.Role = suggestRole(c)
	}
	return c
}

// extremes applies the column's rule for numbers beyond a limit. The texts no longer match the values
// afterwards, so they are dropped.
func (m *merged) extremes() {
	if m.spec.Extreme == nil || !m.spec.Extreme.Acts() {
		return
	}
	for i, v := range m.num {
		m.num[i] = m.spec.Extreme.of(v)
	}
	m.code, m.dict, m.stats = nil, dict{}, nil
}

// suggestRole excludes columns that no model can use as they are.
func suggestRole(c *Column) Role {
	switch c.Type {
	case Date:
		if c.Spec.DateAs == "days" {
			return Predictor
		}
		return Exclude
	case Text, Identifier, Constant:
		return Exclude
	}
	return Predictor
}

// asNumbers converts texts to values. A text with the value of a numeric missing code (−9.0) is missing too.
func (m *merged) asNumbers() {
	if m.numbers || m.num != nil {
		return
	}
	value := make([]float64, len(m.dict.text))
	to := make([]int32, len(value))
	kept := int32(0)
	for k, text := range m.dict.text {
		t := []byte(text)
		v, kind := number(t, m.f)
		value[k], to[k] = m.value(v, kind), kept
		if kind.reads() && m.miss.is(v) {
			value[k], to[k] = math.NaN(), -1
			m.lost.add(t, kindText, m.dict.count[k], m.first(int32(k)))
			m.gone += m.dict.count[k]
			m.seen[kind] -= m.dict.count[k]
		} else {
			kept++
		}
	}
	m.num, m.stats = m.memory.floats(m.rows), nil
	for i, code := range m.code {
		m.num[i] = math.NaN()
		if code >= 0 {
			m.num[i] = value[code]
		}
	}
	if int(kept) < len(to) {
		m.relabel(to, int(kept))
	}
}

// asDates converts texts to days since 1970-01-01.
func (m *merged) asDates() {
	value := make([]float64, len(m.dict.text))
	for k, text := range m.dict.text {
		days, ok := readDate(text, m.order)
		value[k] = days
		if !ok {
			value[k] = math.NaN()
		}
	}
	m.num, m.stats = m.memory.floats(m.rows), nil
	for i, code := range m.code {
		m.num[i] = math.NaN()
		if code >= 0 {
			m.num[i] = value[code]
		}
	}
}

// first returns the first row with a code.
func (m *merged) first(code int32) int {
	for i, c := range m.code {
		if c == code {
			return i
		}
	}
	return 0
}

// relabel replaces every code by to[code], of which there are n different; −1 means missing.
func (m *merged) relabel(to []int32, n int) {
	text, count := make([]string, n), make([]int, n)
	for k, t := range to {
		if t >= 0 {
			count[t] += m.dict.count[k]
			if text[t] == "" {
				text[t] = m.dict.text[k]
			}
		}
	}
	for i, c := range m.code {
		if c >= 0 {
			m.code[i] = to[c]
		}
	}
	m.dict.text, m.dict.count, m.pads = text, count, nil
}

// oddTexts lists the texts that do not fit a column of numbers or dates.
func (m *merged) oddTexts() []OddText {
	var list []OddText
	if m.numbers {
		for _, t := range m.odd.sorted() {
			list = append(list, OddText{t.text, names[t.kind], t.count, t.row + 1})
		}
		return list[:min(len(list), maxOdd)]
	}
	at := map[int32]int{} // index in list, by code
	minus := -1
	for k, text := range m.dict.text {
		kind := m.oddKind(text)
		if kind.reads() && kind != kindMinus || len(list) == maxOdd || m.dict.count[k] == 0 {
			continue
		}
		if kind == kindMinus && minus >= 0 {
			list[minus].Count += m.dict.count[k]
			continue
		}
		if kind == kindMinus {
			minus = len(list)
		}
		at[int32(k)] = len(list)
		list = append(list, OddText{string(oddText([]byte(text), kind)), names[kind], m.dict.count[k], 0})
	}
	for i, code := range m.code {
		if p, ok := at[code]; ok && list[p].Row == 0 {
			list[p].Row = i + 1
		}
	}
	return list
}

// maxOdd is the largest length of Column.OddTexts.
const maxOdd = 100

// oddKind returns the kind of a text as a number; in a column of dates, "text" where it is no date.
func (m *merged) oddKind(text string) kind {
	if !m.numeric() {
		if _, ok := readDate(text, m.order); ok {
			return kindNumber
		}
		return kindText
	}
	_, k := number([]byte(text), m.f)
	return k
}
