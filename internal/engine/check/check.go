// Package check holds the questions Taper asks about data and what they mean
// for a result: one rule a file, each a plain function of a table, a spec or a
// result, so that a rule can be read, tested and argued about by itself.
//
// A rule is worth its line only where a careful colleague would raise it: a
// false alarm on an ordinary clinical file teaches people to skip the true
// ones. Rules that need only the bytes still live in package table.
package check
