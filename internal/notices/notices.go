// Package notices holds the licences of the program and of everything that it is made of, which go wherever it goes:
// into every release and every bundle. bench/notices collects them (make notices).
package notices

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed notices.txt.gz
var packed []byte

// Text is the licences, one after the other, each with the module and the version that it is of.
func Text() []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("notices: " + err.Error()) // the file is our own
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("notices: " + err.Error())
	}
	return text
}
