//go:build unix

package web

import "syscall"

// What the system says of an address that cannot be listened on.
const (
	errTaken     = syscall.EADDRINUSE
	errReserved  = syscall.EACCES
	errElsewhere = syscall.EADDRNOTAVAIL
)
