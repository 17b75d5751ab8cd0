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
	if uintptr(p)%span != 0 {
		return
	}
	size = (size + span - 1) &^ (span - 1)
	_ = unix.Madvise(unsafe.Slice((*byte)(p), size), unix.MADV_HUGEPAGE) // refused, it changes nothing
}

// ready makes the pages that size bytes lie in. Kernels before 5.14 refuse: then each is made at its first write.
func ready(p unsafe.Pointer, size int) {
	page := os.Getpagesize()
	before := int(uintptr(p) % uintptr(page))
	size = (before + size + page - 1) / page * page
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, -before)), size), unix.MADV_POPULATE_WRITE)
}
