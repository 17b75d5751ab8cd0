package web

import "golang.org/x/sys/windows"

// Errors of the system for an address that cannot be listened on.
const (
	errTaken     = windows.WSAEADDRINUSE
	errReserved  = windows.WSAEACCES
	errElsewhere = windows.WSAEADDRNOTAVAIL
)
