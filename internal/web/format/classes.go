package format

import "strings"

// OfColumns says whose counts InClasses writes.
const OfColumns = "by class, as the columns"

// InClasses is the small print of a count: those of its rows in each class.
func InClasses(counts []string) string { return "(" + strings.Join(counts, " · ") + ")" }
