package studyform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/usererr"
)

// A model of a grid is written as a line: "linear alpha alpha=4 l2=0.0001". Forms contain such lines.

// Roster are the models offered as checkboxes.
var Roster = []string{
	"linear logistic l2=0.0001",
	"linear hinge l2=0.001",
	"linear tempered t1=0.1 t2=1.12 l2=0.0001",
	"linear tempered t1=0.6 t2=1.6 l2=0.0001",
	"linear alpha alpha=2 l2=0.0001",
	"linear alpha alpha=4 l2=0.0001",
	"linear t-logistic t=1.3 l2=0.5",
	"linear t-logistic t=1.9 l2=0.5",
	"boost alpha alpha=0.5 rounds=100",
	"boost alpha alpha=2 rounds=100",
	"boost alpha alpha=2 rounds=400",
}

// maxLine is the largest length of a line in bytes.
const maxLine = 400

// ReadModel parses a line. Whether the model is valid is checked with the study.
func ReadModel(line string) (m fit.Spec, err error) {
	words := strings.Fields(line)
	if len(words) < 2 || len(line) > maxLine {
		return m, usererr.BadField("model", "must be a kind and a loss with name=value after them (got %.60q)", line)
	}
	m.Kind, m.Loss = words[0], words[1]
	for _, w := range words[2:] {
		name, text, ok := strings.Cut(w, "=")
		if !ok || name == "" || text == "" {
			return m, usererr.BadField("model", "has %.40q, which is no name=value (in %.60q)", w, line)
		}
		if err := setModel(&m, name, text); err != nil {
			return m, err
		}
	}
	return m, nil
}

// setModel sets one property of a model; other names are parameters of the loss.
func setModel(m *fit.Spec, name, text string) error {
	if m.Kind == "kernel" && m.Kernel == nil {
		m.Kernel = &fit.Kernel{}
	}
	switch name {
	case "l2":
		quoted := text
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			quoted = strconv.Quote(text)
		}
		if err := json.Unmarshal([]byte(quoted), &m.L2); err != nil {
			return usererr.BadField("model", "has l2 = %.40q, which is neither a number nor cv", text)
		}
		return nil
	case "solver":
		m.Solver = text
		return nil
	case "rule":
		m.ThetaRule = text
		return nil
	case "features":
		m.Features = text
		return nil
	case "rounds", "depth":
		whole, err := strconv.Atoi(text)
		if err != nil {
			return usererr.BadField("model", "has %s = %.40q, which is no whole number", name, text)
		}
		if name == "rounds" {
			m.Rounds = whole
		} else {
			m.Depth = whole
		}
		return nil
	}
	if m.Kernel != nil && setKernel(m.Kernel, name, text) {
		return nil
	}
	if m.Params == nil {
		m.Params = map[string]any{}
	}
	var list []any
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return usererr.BadField("model", "has %s = %.40q, which is no number", name, text)
		}
		list = append(list, v)
	}
	if m.Params[name] = list; len(list) == 1 {
		m.Params[name] = list[0]
	}
	return nil
}

// setKernel reports whether a name is a property of the kernel, and sets it.
func setKernel(k *fit.Kernel, name, text string) bool {
	switch name {
	case "kernel":
		k.Name = text
	case "gamma":
		k.Gamma = text
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			k.Gamma = v
		}
	case "degree":
		k.Degree, _ = strconv.Atoi(text)
	default:
		return false
	}
	return true
}

// ModelLine writes a model as ReadModel parses it.
func ModelLine(m fit.Spec) string {
	words := []string{m.Kind, m.Loss}
	add := func(name, text string) { words = append(words, name+"="+text) }
	for _, name := range slices.Sorted(maps.Keys(m.Params)) {
		switch v := m.Params[name].(type) {
		case float64:
			add(name, strconv.FormatFloat(v, 'g', -1, 64))
		case string:
			add(name, v)
		case []any:
			texts := make([]string, len(v))
			for i, x := range v {
				texts[i] = fmt.Sprint(x)
			}
			add(name, strings.Join(texts, ","))
		default:
			add(name, fmt.Sprint(v))
		}
	}
	if m.Boosted() {
		if m.Rounds > 0 {
			add("rounds", strconv.Itoa(m.Rounds))
		}
		if m.Depth > 1 {
			add("depth", strconv.Itoa(m.Depth))
		}
		if m.ThetaRule != "" && m.ThetaRule != "half-log" {
			add("rule", m.ThetaRule)
		}
		return strings.Join(words, " ")
	}
	if m.Features != "" {
		add("features", m.Features)
	}
	if k := m.Kernel; m.Kind == "kernel" && k != nil {
		add("kernel", cmp.Or(k.Name, "rbf"))
		if v, ok := k.Gamma.(float64); ok {
			add("gamma", strconv.FormatFloat(v, 'g', -1, 64))
		}
		if k.Degree > 0 && k.Name == "poly" {
			add("degree", strconv.Itoa(k.Degree))
		}
	}
	switch {
	case m.L2.Mode != "":
		add("l2", m.L2.Mode)
	case m.L2.Value != 0:
		add("l2", strconv.FormatFloat(m.L2.Value, 'g', -1, 64))
	}
	return strings.Join(words, " ")
}
