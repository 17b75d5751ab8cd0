package table

// joinLevels replaces levels that differ only by blanks, case or a final dot by their most common spelling, or
// the first of equally common ones.
func (m *merged) joinLevels() {
	best := map[string]int{} // most common level, by folded text
	keys := make([]string, len(m.dict.text))
	for k, t := range m.dict.text {
		keys[k] = Fold(t)
		if b, ok := best[keys[k]]; !ok || m.dict.count[k] > m.dict.count[b] {
			best[keys[k]] = k
		}
	}
	if len(best) == len(keys) {
		return
	}
	to, place := make([]int32, len(keys)), map[string]int32{}
	var text []string
	for k, key := range keys {
		p, ok := place[key]
		if !ok {
			p = int32(len(text))
			place[key] = p
			text = append(text, m.dict.text[best[key]])
		}
		to[k] = p
	}
	m.alias = map[string]string{}
	for k, t := range m.dict.text {
		if t != text[to[k]] {
			m.alias[t] = text[to[k]]
		}
	}
	m.relabel(to, len(text))
	m.dict.text = text
}
