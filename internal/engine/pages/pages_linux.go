package pages

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// span is the size of the pages of Go's heap. A long slice begins one and has the rest of its last one for itself.
const span = 8 << 10

// large asks for large pages below size bytes, before anything is written there. The whole of the last page of the
// heap is included, so that one large page can serve two slices that follow each other.
func large(p unsafe.Pointer, size int) {
	if uintptr(p)%span == 0 {
		advise(p, 0, (size+span-1)&^(span-1), unix.MADV_HUGEPAGE)
	}
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
