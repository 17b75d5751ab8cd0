package static

import (
	"io/fs"
	"strings"
)

// CSS returns the style sheets in cascade order as one text, for a file that
// must carry its own style.
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

// Sheet returns one style sheet, for a file that carries a few rules of its own beside it.
func Sheet(name string) (string, error) {
	text, err := files.ReadFile(name)
	return string(text), err
}
