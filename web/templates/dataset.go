package templates

import (
	"slices"

	"github.com/a-h/templ"
)

// Parts are the regions of the page of a dataset by the id of their element, which a script replaces after a
// change.
func (v Dataset) Parts() map[string]templ.Component {
	return map[string]templ.Component{
		"result":     Sentence(v.Strong, v.Rest),
		"ds-problem": datasetProblem(v),
		"ds-facts":   datasetFacts(v),
		"ds-dialect": datasetDialect(v),
		"ds-preview": datasetPreview(v.Preview),
		"ds-outcome": datasetOutcome(v),
		"ds-columns": datasetColumns(v),
		"ds-notes":   datasetNotes(v),
		"ds-bar":     datasetBar(v),
		"ds-open":    datasetOpen(v),
	}
}

// short reports whether all options fit side by side.
func (c Choice) short() bool {
	all := 0
	for _, o := range c.Options {
		all += len([]rune(o.Label))
	}
	return all <= 20
}

// asked adds the option "choose" where nothing is chosen: a browser would show the first option as if it were
// chosen.
func (c Choice) asked() Choice {
	if slices.ContainsFunc(c.Options, func(o Option) bool { return o.On }) {
		return c
	}
	c.Options = append([]Option{{Label: "choose", On: true, Disabled: true}}, c.Options...)
	return c
}

// class of a cell of the preview.
func (c PreviewCell) class(h PreviewHead) string {
	out := ""
	if h.Num {
		out = "r"
	}
	if h.Off {
		out += " off"
	}
	if c.Missing {
		out += " na"
	}
	return out
}

func (h PreviewHead) class() string {
	out := ""
	if h.Num {
		out = "r"
	}
	if h.Off {
		out += " off"
	}
	return out
}

// head is the header of cell j; a ragged row may have more cells.
func (p DataPreview) head(j int) PreviewHead {
	if j < len(p.Head) {
		return p.Head[j]
	}
	return PreviewHead{}
}

func (c DataColumn) class() string {
	switch {
	case c.Outcome:
		return "is-steer"
	case c.Off:
		return "is-few"
	}
	return ""
}
