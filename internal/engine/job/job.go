// Package job runs work in the background: a bounded number at a time, with
// progress that any number of watchers follow, and a cancel that ends the work
// through its context.
package job
