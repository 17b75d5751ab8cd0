// Package notices holds the licences of the program and its libraries, which are part of every
// release and every bundle. bench/notices collects them (make notices).
package notices

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed notices.txt.gz
var packed []byte

// Text is all licences, each with the name and version of its module.
func Text() []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("notices: " + err.Error()) // the file is embedded
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("notices: " + err.Error())
	}
	return text
}
