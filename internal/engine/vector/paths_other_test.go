//go:build !amd64

package vector

import "testing"

const gonumInVectors = false

var paths = map[string]func(t testing.TB) (back func()){
	"portable": func(testing.TB) func() { return func() {} },
}
