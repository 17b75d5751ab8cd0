//go:build unix

package web

import "syscall"

// Errors of the system for an address that cannot be listened on.
const (
	errTaken     = syscall.EADDRINUSE
	errReserved  = syscall.EACCES
	errElsewhere = syscall.EADDRNOTAVAIL
)
