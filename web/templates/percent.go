package templates

import "strings"

// smallPercent is the note about a share below 1 % in a field in per cent: a user who means 30 % may have typed
// 0.3.
const smallPercent = "This is {typed}\u00a0%. For {meant}\u00a0%, type {meant}."

// SmallPercent is this note for a share, which gives a hundred times the share as the alternative.
func SmallPercent(typed, meant string) string {
	return strings.NewReplacer("{typed}", typed, "{meant}", meant).Replace(smallPercent)
}

// describedBy lists the descriptions of a field: its hint or error, and the note about a share below 1 %.
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
