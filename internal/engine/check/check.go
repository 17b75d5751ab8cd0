// Package check holds the questions that Taper asks about data, and what they mean for a result. Each
// rule is one file and a plain function of a table, a spec or a result, so that it can be read, tested
// and discussed alone. A rule must only ask what a careful colleague would ask: false alarms on ordinary
// clinical files teach people to skip the true ones. Rules that need the bytes of the file are in package
// table.
package check
