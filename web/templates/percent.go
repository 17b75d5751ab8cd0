package templates

import "strings"

// smallPercent is said where a share below 1 % was typed into a field in per
// cent: who means 30 % may have typed 0.3.
const smallPercent = "This is {typed}\u00a0%. For {meant}\u00a0%, type {meant}."

// SmallPercent is that sentence for a share typed in per cent, and a hundred
// times as much.
func SmallPercent(typed, meant string) string {
	return strings.NewReplacer("{typed}", typed, "{meant}", meant).Replace(smallPercent)
}

// describedBy lists what belongs to the field: its hint or error, and what is
// said of a share below 1 %.
func (f Input) describedBy() string {
	var ids []string
	if f.Hint != "" || f.Error != "" {
		ids = append(ids, f.ID+"-hint")
	}
	if f.Percent {
		ids = append(ids, f.ID+"-small")
	}
	return strings.Join(ids, " ")
}
