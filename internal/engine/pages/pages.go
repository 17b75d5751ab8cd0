// Package pages saves interruptions by the operating system, which has to make every page of memory before it is
// first written to. On a system that cannot do so, its functions change nothing.
package pages

import "unsafe"

// least is the size in bytes from which a slice is worth the call.
const least = 1 << 20

// A Number is an element of a slice without pointers.
type Number interface {
	float64 | int32 | uint64 | uint8
}

// Make returns n zeros on the heap, in pages of 2 MB rather than 4 kB.
func Make[T Number](n int) []T {
	x := make([]T, n)
	if size := n * int(unsafe.Sizeof(*new(T))); size >= least {
		large(unsafe.Pointer(unsafe.SliceData(x)), size)
	}
	return x
}

// Ready makes all pages of x, part of a file that is mapped into memory, in one go.
func Ready[T Number](x []T) {
	if len(x) > 0 {
		ready(unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(*new(T))))
	}
}
