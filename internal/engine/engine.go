// Package engine holds the use cases, without I/O: a Spec and a table in, a
// Result out. The pages and the store call it; it calls prep, train, loss and
// metric and knows nothing of HTTP or SQL.
package engine
