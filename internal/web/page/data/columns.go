package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// columnsView is the table of columns; more says what is left out of a very wide file.
func columnsView(d store.Dataset, all bool) (list []templates.DataColumn, more string) {
	left := 0
	for j, p := range d.Profiles {
		c := columnView(d, j, p)
		if !all && j >= tableColumns && len(c.Chips) == 0 && (p.Role == table.Predictor || p.Role == table.Exclude) {
			left++
			continue
		}
		list = append(list, c)
	}
	if left > 0 {
		more = fmt.Sprintf("%s more, with no question about them, are not shown.", phrase.Count(left, "column"))
	}
	return list, more
}

func columnView(d store.Dataset, j int, p table.Profile) templates.DataColumn {
	c := templates.DataColumn{
		Name: p.Name, Kind: string(p.Type), Chips: columnChips(d, p.Name), Off: p.Role == table.Exclude,
		Outcome: p.Role == table.Outcome,
		Missing: phrase.Int(p.Missing), Distinct: phrase.Int(p.Distinct), Range: rangeOf(p),
		Histogram: viz.HistogramSVG(bars(p), doubtfulBin(d, p)), Role: roleChoice(j, p), Codes: ownCodes(d, p.Name),
	}
	if p.Histogram == nil {
		c.Histogram = ""
	}
	if d.State == store.Kept {
		c.TypeText = string(p.Type)
	} else {
		c.Type = typeChoice(d, j, p)
	}
	return c
}

// bars are the bars of the histogram; a few levels get bars as narrow as those of many.
func bars(p table.Profile) []int {
	const fewest = 6
	return append(slices.Clone(p.Histogram), make([]int, max(0, fewest-len(p.Histogram)))...)
}

// chipWords are short labels of the questions about a column.
var chipWords = map[string]string{
	"leak": "possible leak", "impossible-zero": "zeros", "odd-text": "text", "repeated-patients": "repeated patients",
	"similar-levels": "spelling", "mixed-units": "unit", "outlier": "outlier", "numbered": "identifier",
	"redundant": "redundant", "zero-padded": "codes", "quoted-values": "quotes", "missing-joined": "missing",
	"many-levels": "many levels", "follow-up": "known later", "which-event": "event", "outcome-levels": "levels",
	"units": "unit",
}

// columnChips are labels for the open questions about a column.
func columnChips(d store.Dataset, name string) []templates.Chip {
	var out []templates.Chip
	for _, w := range d.Warnings {
		if w.Level != "ask" && w.Level != "stop" || w.Settled || !about(w, name) {
			continue
		}
		word := chipWords[w.Code]
		for _, s := range proposed(w) {
			if w.Code == "missing-code" && s.Name == name && len(s.MissingCodes) > 0 {
				word = "code " + signed(s.MissingCodes[len(s.MissingCodes)-1])
			}
		}
		if word == "" {
			word = "question"
		}
		chip := templates.Chip{Icon: "warn", Label: word, Kind: "warn"}
		if !slices.Contains(out, chip) {
			out = append(out, chip)
		}
	}
	return out
}

// about reports whether a question concerns a column.
func about(w table.Warning, name string) bool {
	if w.Column == name {
		return true
	}
	return slices.ContainsFunc(proposed(w), func(s table.ColumnSpec) bool { return s.Name == name }) ||
		len(w.Choices) > 1 && slices.ContainsFunc(w.Choices[1].Columns, func(s table.ColumnSpec) bool {
			return s.Name == name
		})
}

// doubtfulBin is the bar of the histogram with the code that an open question is about, −1 for none.
func doubtfulBin(d store.Dataset, p table.Profile) int {
	if p.Min == nil || *p.Max <= *p.Min {
		return -1
	}
	for _, w := range d.Warnings {
		if w.Level != "ask" || w.Settled {
			continue
		}
		for _, s := range proposed(w) {
			if s.Name != p.Name || len(s.MissingCodes) == 0 {
				continue
			}
			v, err := strconv.ParseFloat(strings.Replace(s.MissingCodes[len(s.MissingCodes)-1], ",", ".", 1), 64)
			if share := (v - *p.Min) / (*p.Max - *p.Min); err == nil && share >= 0 && share <= 1 {
				return min(table.Bins-1, int(share*table.Bins))
			}
		}
	}
	return -1
}

// codesView offers missing codes of a single column, as −9 of one that counts.
func codesView(d store.Dataset) *templates.DataCodes {
	c := &templates.DataCodes{}
	for _, p := range d.Profiles {
		c.Columns = append(c.Columns, templates.Option{Value: p.Name, Label: p.Name})
	}
	return c
}

// ownCodes lists the missing codes of this column only.
func ownCodes(d store.Dataset, name string) string {
	for _, s := range d.Options.Columns {
		if s.Name == name && len(s.MissingCodes) > 0 {
			codes := slices.Clone(s.MissingCodes)
			for i := range codes {
				codes[i] = signed(codes[i])
			}
			return "with " + strings.Join(codes, ", ")
		}
	}
	return ""
}

var types = []table.Type{table.Number, table.Integer, table.Boolean, table.Category, table.Date, table.Text,
	table.Identifier}

// typeChoice offers the types; "" is the detected one.
func typeChoice(d store.Dataset, j int, p table.Profile) templates.Choice {
	asked := askedType(d, p.Name)
	c := templates.Choice{ID: "type-" + strconv.Itoa(j), Name: "type:" + p.Name, Label: "Type of " + p.Name, Mini: true,
		Hidden: true}
	if asked != "" {
		c.Options = append(c.Options, templates.Option{Label: "detect"})
	} else {
		c.Options = append(c.Options, templates.Option{Label: string(p.Type), On: true})
	}
	for _, t := range types {
		if asked != "" || t != p.Type {
			c.Options = append(c.Options, templates.Option{Value: string(t), Label: string(t), On: string(t) == asked})
		}
	}
	return c
}

var roleNames = []struct {
	role table.Role
	name string
}{{table.Predictor, "predictor"}, {table.Exclude, "leave out"}, {table.Outcome, "outcome"}, {table.Group, "group by"},
	{table.Weights, "weights"}, {table.Prediction, "prediction"}}

// roleChoice offers the roles of a column; roles that need another type are left out.
func roleChoice(j int, p table.Profile) templates.Choice {
	c := templates.Choice{ID: "role-" + strconv.Itoa(j), Name: "role:" + p.Name, Label: "Role of " + p.Name, Mini: true,
		Hidden: true}
	for _, r := range roleNames {
		if p.Role != r.role && !playable(p, r.role) {
			continue
		}
		c.Options = append(c.Options, templates.Option{Value: string(r.role), Label: r.name, On: p.Role == r.role})
	}
	return c
}

func playable(p table.Profile, r table.Role) bool {
	switch r {
	case table.Predictor:
		return p.Type != table.Text && p.Type != table.Identifier && p.Type != table.Constant
	case table.Outcome:
		return len(p.Levels) > 1
	case table.Weights, table.Prediction:
		return p.Min != nil && p.Type != table.Date
	case table.Group:
		return p.Distinct > 1
	}
	return true
}

// Outcome is the choice of what to predict.
func Outcome(d store.Dataset) *templates.DataOutcome {
	v := &templates.DataOutcome{Column: templates.Choice{ID: "outcome", Name: "outcome", Label: "Column"}}
	if d.Choice.Outcome == "" {
		v.Column.Options = append(v.Column.Options, templates.Option{Label: "choose", On: true})
		v.Hint = "Choose the column to predict. It needs two levels or more, 50 at most."
	}
	for _, p := range d.Profiles {
		if on := p.Name == d.Choice.Outcome; on || len(p.Levels) > 1 && p.Type != table.Date {
			v.Column.Options = append(v.Column.Options, templates.Option{Value: p.Name, Label: p.Name, On: on})
		}
	}
	levels := datasets.OutcomeLevels(d)
	switch {
	case len(levels) == 2:
		v.Event = eventChoice(d, levels)
	case len(levels) > 2:
		v.Levels = levelsView(d, levels)
		v.Hint = "Several levels may be the event, and several the non-event: each group then counts as one. A death from " +
			"another cause is a non-event if risks are to be those of the event before such a death; left out, they are " +
			"too high."
	}
	if len(levels) > 1 && d.State != store.Draft {
		v.Tasks = taskLinks(d, len(levels))
	}
	prevalenceView(v, d, levels)
	return v
}
