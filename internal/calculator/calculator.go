// Package calculator exports a model as one HTML file that scores a patient offline, without a
// server or this program.
//
// The file tests itself: when opened, it scores rows included with the engine's predictions,
// and refuses to score anything if one differs. Its Content-Security-Policy blocks all
// requests.
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

// MostBytes bounds the size of the file, so that it can be mailed and opens at once.
const MostBytes = 150_000

// About is the description of the model in the file.
type About struct {
	Title string
	Lead  string
	Facts [][2]string // label and text
	Use   string      // the intended use
}

//go:embed calculator.html
var page string

//go:embed calculator.css
var style string

//go:embed calculator.js
var script string

// File is a calculator, with the policy header that a server must send with it.
type File struct {
	HTML   []byte
	Policy string
}

// Make builds the calculator of a model.
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
	// The inserted texts are JSON blocks with < escaped, texts escaped here, and this package's
	// own style and script. A template package would keep the linker from removing unused
	// methods, which adds 8 MB to the program.
	file := strings.NewReplacer("{{.Policy}}", policy, "{{.Title}}", html.EscapeString(about.Title),
		"{{.Use}}", html.EscapeString(about.Use), "{{.Style}}", css, "{{.Script}}", js, "{{.Model}}", string(m.JSON()),
		"{{.Replay}}", string(rows), "{{.About}}", string(facts)).Replace(page)
	if len(file) > MostBytes {
		return File{}, usererr.New(usererr.Conflict, "The calculator of this model would have %s kB; the limit is %s kB. "+
			"Choose fewer predictors or fewer trees, or download model.json.", phrase.Int(len(file)/1000),
			phrase.Int(MostBytes/1000))
	}
	return File{[]byte(file), policy}, nil
}

// source is the hash of an inline text for the policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
