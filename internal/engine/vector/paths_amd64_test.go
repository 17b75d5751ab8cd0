package vector

import "testing"

const gonumInVectors = true

// paths allow a set of instructions; a processor without them skips the test.
var paths = map[string]func(t testing.TB) (back func()){
	"portable": func(testing.TB) func() { return allow(false) },
	"AVX2": func(t testing.TB) func() {
		if !has256 {
			t.Skip("this processor has no AVX2")
		}
		return allow(true)
	},
}

func allow(avx2 bool) (back func()) {
	had := has256
	has256 = avx2
	return func() { has256 = had }
}
