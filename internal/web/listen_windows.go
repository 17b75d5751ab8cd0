package web

import "golang.org/x/sys/windows"

// What the system says of an address that cannot be listened on.
const (
	errTaken     = windows.WSAEADDRINUSE
	errReserved  = windows.WSAEACCES
	errElsewhere = windows.WSAEADDRNOTAVAIL
)
