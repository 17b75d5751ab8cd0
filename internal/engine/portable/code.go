package portable

import (
	_ "embed"
	"strings"

	"taper/internal/engine/usererr"
)

// Code is a model written as a program in another language, or as an equation.
type Code struct {
	Name string // file name
	Kind string // media type
	Text string
}

// Languages lists the languages that Code writes, as used in addresses.
var Languages = []string{"javascript", "python", "r", "sql", "postgresql", "words", "latex"}

//go:embed score.py
var scorePy string

// Code writes the model as a program without dependencies. about is a line on its origin.
func (p *Model) Code(language, about string) (Code, error) {
	head := []string{about, "SHA-256 of the model: " + p.Hash()}
	switch language {
	case "javascript":
		return Code{"model.js", "text/javascript; charset=utf-8", p.javaScript(head)}, nil
	case "python":
		return Code{"model.py", "text/x-python; charset=utf-8", p.python(head)}, nil
	case "r":
		return Code{"model.R", "text/plain; charset=utf-8", p.r(head)}, nil
	case "sql", "postgresql":
		d := sqlite
		if language == "postgresql" {
			d = postgreSQL
		}
		text, err := p.sql(d, head)
		return Code{"model.sql", "application/sql; charset=utf-8", text}, err
	case "words":
		return Code{"model.txt", "text/plain; charset=utf-8", strings.Join(head, "\n") + "\n\n" + p.Words()}, nil
	case "latex":
		head = append(head, `To be read by \input in a document with \usepackage{amsmath} and \allowdisplaybreaks.`)
		return Code{"model.tex", "application/x-tex; charset=utf-8", commented("%", head) + p.LaTeX()}, nil
	}
	return Code{}, usererr.BadField("language", "must be one of %s (got %.40q)", strings.Join(Languages, ", "), language)
}

// commented writes lines as comments and keeps their text from ending a comment.
func commented(mark string, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(mark + " " + strings.Join(strings.Fields(l), " ") + "\n")
	}
	return b.String()
}

// javaScript is the scoring code of the calculator with the model, as a script for a page and
// for require().
func (p *Model) javaScript(head []string) string {
	return commented("//", head) + scoreJS + "\nconst model = " + string(p.text) +
		";\nconst score = taperScorer(model);\n" +
		"if (typeof module !== 'undefined') module.exports = { model, score };\n"
}

// python is score.py with the model inside. The JSON is in a raw triple-quoted string: it
// cannot contain three quotes in a row, and its escapes stay as they are.
func (p *Model) python(head []string) string {
	const place = "MODEL = None  # where Taper makes this file of a run, its model stands here\n"
	before, after, found := strings.Cut(scorePy, place)
	if !found {
		panic("portable: score.py has no place for a model")
	}
	first, rest, _ := strings.Cut(before, "\n")
	return first + "\n" + commented("#", head) + rest +
		"MODEL = json.loads(r\"\"\"" + string(p.text) + "\"\"\")\n" + after
}
