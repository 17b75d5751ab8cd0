// Package engine holds the use cases without I/O: a runspec.Spec and a table go in, a Result comes out. It fits
// models on the folds of package crossfit, combines the fits and adds warnings about data, model and numbers.
// It knows nothing of HTTP or SQL.
package engine
