package static

import (
	"io/fs"
	"strings"
)

// CSS returns the style sheets in cascade order as one text, for files that must contain their style.
func CSS() (string, error) { return css(files) }

func css(files fs.FS) (string, error) {
	var b strings.Builder
	for _, name := range Sheets {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// Sheet returns one style sheet, for files that add a few rules of their own.
func Sheet(name string) (string, error) {
	text, err := files.ReadFile(name)
	return string(text), err
}
