package pages

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// huge is the size of a large page.
const huge = 2 << 20

// large asks for large pages for size bytes, before anything is written there. The heap grows by multiples of large
// pages, so the whole of the first and the last one belong to it; what else lies there is served as well.
func large(p unsafe.Pointer, size int) {
	before := int(uintptr(p) % huge)
	advise(p, before, (before+size+huge-1)/huge*huge, unix.MADV_HUGEPAGE)
}

// ready makes the pages that size bytes lie in. Kernels before 5.14 refuse: then each is made at its first write.
func ready(p unsafe.Pointer, size int) {
	page := os.Getpagesize()
	before := int(uintptr(p) % uintptr(page))
	advise(p, before, (before+size+page-1)/page*page, unix.MADV_POPULATE_WRITE)
}

// advise is given as numbers what unix.Madvise takes as a slice: whole pages reach beyond the slice they are for, and
// Go refuses to make a slice that reaches into another one. Where the system refuses, nothing changes.
func advise(p unsafe.Pointer, before, size, advice int) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(p)-uintptr(before), uintptr(size), uintptr(advice))
}
