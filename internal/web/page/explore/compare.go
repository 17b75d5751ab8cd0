package explore

import (
	"slices"

	"taper/web/templates"
)

// compared are the losses offered for comparison with each family.
var compared = map[string][]string{
	TwoTemperature: {"logistic", "t-logistic:" + same, "zero-one", "exponential", "hinge"},
	TLogistic:      {"logistic", "zero-one", "exponential", "hinge", "probit"},
	Alpha:          {"logistic", "exponential", "zero-one", "hinge"},
	Interval:       {"logistic"},
	Adversarial:    {"hinge", "zero-one", "logistic", "exponential"},
}

// compareOptions are those losses, and any other that the address names.
func compareOptions(st State) *templates.ExploreCompare {
	if st.Family == Adversarial && st.Classes > 2 || st.View != "" {
		return nil
	}
	var c templates.ExploreCompare
	marks := map[string]string{}
	if st.Family == Interval || st.Family == Adversarial {
		for _, l := range st.lineMarks() {
			marks[l.id] = l.mark
		}
	} else {
		for _, l := range st.lines() {
			marks[l.id] = l.mark
		}
	}
	on := specTexts(st.With)
	all, ok := compared[st.Family]
	if !ok {
		all = []string{"logistic", "t-logistic:1.6", "zero-one", "exponential", "hinge"}
	}
	all = slices.Clone(all)
	for _, t := range on {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, t := range all {
		label := "t-logistic, same t₂"
		if t != "t-logistic:"+same {
			name := mustShape(splitSpec(t)).Name
			label = upper(name)
		}
		c.Options = append(c.Options, templates.CompareOption{Value: t, Label: label, Mark: marks["with "+t],
			On: slices.Contains(on, t)})
	}
	return &c
}

// pinList shows the pinned curves and offers to pin the present one.
func pinList(st State) *templates.ExplorePins {
	if st.Family == Interval || st.Family == Adversarial || st.View != "" {
		return nil
	}
	p := templates.ExplorePins{Most: maxPins}
	for _, l := range st.lines() {
		if !l.pinned {
			continue
		}
		less := st
		less.Pins = slices.DeleteFunc(slices.Clone(st.Pins), func(s Spec) bool { return s.String() == l.spec.String() })
		p.Pins = append(p.Pins, templates.ExplorePin{Name: l.Name, Mark: l.mark, Remove: less.URL()})
	}
	here := st.steered()
	kept := slices.ContainsFunc(st.Pins, func(s Spec) bool { return s.String() == here.String() })
	if p.Full = len(st.Pins) >= maxPins; !p.Full && !kept {
		more := st
		more.Pins = append(slices.Clone(st.Pins), here)
		p.Add = more.URL()
	}
	return &p
}

// lineMarks are the compared losses of families that have no loss of the margin.
func (st State) lineMarks() []line {
	var out []line
	for i, spec := range st.With {
		m := ownMarks[spec.String()]
		if m == "" {
			m = moreMarks[i%len(moreMarks)]
		}
		if st.Family == Interval {
			m = "c1b"
		}
		out = append(out, line{Shape: mustShape(st.resolve(spec)), mark: m, id: "with " + spec.String()})
	}
	return out
}
