// Package calculator makes a model one HTML file that scores a patient anywhere: opened from a memory stick, without
// a server, a network or this program.
//
// The file proves itself: it holds rows with what the engine says of them, scores them when it is opened, and
// refuses to score anything else if one differs. Its policy lets no request out.
package calculator

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/portable"
	"taper/internal/engine/usererr"
	"taper/web/static"
)

// MostBytes is the size of a file that every mail and memory stick takes, and that opens at once.
const MostBytes = 150_000

// About is what the file says of itself, besides the model.
type About struct {
	Title string
	Lead  string
	Facts [][2]string // a label and what it says
	Use   string      // the intended use
}

//go:embed calculator.html
var page string

//go:embed calculator.css
var style string

//go:embed calculator.js
var script string

// File is a calculator with the policy that a server must send along to show it.
type File struct {
	HTML   []byte
	Policy string
}

// Make makes the file of a model.
func Make(m *portable.Model, about About) (File, error) {
	replay, err := m.Replay()
	if err != nil {
		return File{}, err
	}
	rows, err := json.Marshal(replay)
	if err != nil {
		return File{}, fmt.Errorf("write test rows: %w", err)
	}
	facts, err := json.Marshal(map[string]any{"lead": about.Lead, "facts": about.Facts, "hash": m.Hash()})
	if err != nil {
		return File{}, fmt.Errorf("write facts: %w", err)
	}
	tokens, err := static.Sheet("css/tokens.css")
	if err != nil {
		return File{}, err
	}
	css, js := tokens+style, portable.ScoreJS()+portable.ReplayJS()+script
	policy := "default-src 'none'; script-src '" + source(js) + "'; style-src '" + source(css) +
		"'; base-uri 'none'; form-action 'none'"
	// What is filled in are blocks of JSON, whose < is written as an escape, texts that are escaped here, and this
	// package's own style and script. A package of templates would keep every method of the program from
	// the linker's clearing: 8 MB.
	file := strings.NewReplacer("{{.Policy}}", policy, "{{.Title}}", html.EscapeString(about.Title),
		"{{.Use}}", html.EscapeString(about.Use), "{{.Style}}", css, "{{.Script}}", js, "{{.Model}}", string(m.JSON()),
		"{{.Replay}}", string(rows), "{{.About}}", string(facts)).Replace(page)
	if len(file) > MostBytes {
		return File{}, usererr.New(usererr.Conflict, "This model makes a calculator of %s kB, and %s kB are what is meant "+
			"to open anywhere. Choose fewer predictors or fewer trees, or take model.json along.", phrase.Int(len(file)/1000),
			phrase.Int(MostBytes/1000))
	}
	return File{[]byte(file), policy}, nil
}

// source names an inline text in a policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
