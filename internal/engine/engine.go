// Package engine holds the use cases, without I/O: a runspec.Spec and a table in, a
// Result out. It fits on the folds of crossfit, puts what the fits found together and
// warns of what is wrong with it. It knows nothing of HTTP or SQL.
package engine
