package portable_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/portable"
	"taper/internal/engine/prep"
	"taper/internal/engine/spline"
)

// TestWords parses the equation, computes scores with it, and compares them with the engine's.
func TestWords(t *testing.T) {
	sum := regexp.MustCompile(`([+−]?) ?(−?[0-9][0-9.e−+]*)(?: · \[([^\]]+)\])?`)
	for _, s := range []source{clinic(fit.Spec{Loss: "logistic"}),
		two("heart-clinic.csv", fit.Spec{Loss: "logistic"}, map[string]int{"age": 4, "chol": 3})} {
		sample := s.sample(t, 300)
		m := sample.model
		line, _, _ := strings.Cut(m.Words(), "\n")
		parts := sum.FindAllStringSubmatch(strings.TrimPrefix(line, "f = "), -1)
		if len(parts) < len(m.Columns) {
			t.Fatalf("%s: %s", s.name, line)
		}
		for i, row := range sample.rows {
			total, size := 0.0, 1.0
			for _, p := range parts {
				v, err := strconv.ParseFloat(strings.ReplaceAll(p[1]+p[2], "−", "-"), 64)
				if err != nil {
					t.Fatalf("%s: %q", s.name, p[0])
				}
				if p[3] != "" {
					v *= valueOf(t, sample, row, p[3])
				}
				total, size = total+v, max(size, math.Abs(v))
			}
			if want := sample.said[i].Scores[0]; !(math.Abs(total-want) <= near*size*10) {
				t.Fatalf("%s, row %v: %v by the equation, %v", s.name, row, total, want)
			}
		}
	}
}

// TestWordsGoBeyondTheScore: probabilities without a closed form, bands, and rows outside the data follow from the
// sentences under the equation alone.
func TestWordsGoBeyondTheScore(t *testing.T) {
	read := func(text string) float64 {
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	limits := regexp.MustCompile(`(?m)^(.*?): when missing, .*outside the data below (\S+) and above (\S+)\.$`)
	temperatures := regexp.MustCompile(`(?:t1 = (\S+) and )?t2 = (\S+)\.\n`)
	bands := regexp.MustCompile(`(?m)^(Up to|Above) f = (\S+): (.*)\.$`)
	for _, s := range slices.Concat(linkSources(), shippedSources()) {
		sample := s.sample(t, 800)
		m := sample.model
		if m.Multiclass() {
			continue
		}
		words, seen, outside := m.Words(), 0, 0
		ranges := limits.FindAllStringSubmatch(words, -1)
		for i, row := range sample.rows {
			far := false
			for _, r := range ranges {
				if v, is := row[r[1]].(float64); is && (v < read(r[2]) || v > read(r[3])) {
					far = true
				}
			}
			for _, c := range m.Columns {
				cell, is := row[c.Name].(string)
				far = far || is && strings.Contains(line(words, c.Name), "any other level is outside the data") &&
					!slices.Contains(c.Categories(), cell)
			}
			said := sample.said[i]
			if far != said.Outside {
				t.Fatalf("%s: outside the data %v by the sentences, %v, for %v\n%s", s.name, far, said.Outside, row, words)
			}
			if far {
				outside++
				continue
			}
			f, band := said.Scores[0], ""
			for _, b := range bands.FindAllStringSubmatch(words, -1) {
				if band == "" && (b[1] == "Above" || f <= read(b[2])) {
					band = b[3]
				}
			}
			if band != m.Bands[said.Answer] {
				t.Fatalf("%s: %q by the sentences, %q, at f = %v\n%s", s.name, band, m.Bands[said.Answer], f, words)
			}
			if m.Link != loss.LinkEscort && m.Link != loss.LinkTempered {
				continue
			}
			by := temperatures.FindStringSubmatch(words)
			share := func(x, g float64) float64 {
				if t2 := read(by[2]); t2 != 1 {
					return math.Pow(max(0, 1+(1-t2)*(x-g)), 1/(1-t2))
				}
				return math.Exp(x - g)
			}
			low, high := math.Abs(f)/2, math.Abs(f)/2+50 // the larger share alone is 1 at the lower end
			for range 100 {
				if g := (low + high) / 2; share(f/2, g)+share(-f/2, g) > 1 {
					low = g
				} else {
					high = g
				}
			}
			p, q := share(f/2, low), share(-f/2, low)
			want := p
			if m.Link == loss.LinkEscort {
				want = math.Pow(p, read(by[1])) / (math.Pow(p, read(by[1])) + math.Pow(q, read(by[1])))
			}
			if math.Abs(want-said.Probabilities[0]) > 1e-9 {
				t.Fatalf("%s: P = %v by the sentences, %v, at f = %v\n%s", s.name, want, said.Probabilities, f, words)
			}
			seen++
		}
		if tempered := m.Link == loss.LinkEscort || m.Link == loss.LinkTempered; outside == 0 || tempered != (seen > 0) {
			t.Errorf("%s: %d probabilities, %d rows outside the data", s.name, seen, outside)
		}
	}
}

// line is the sentence on a column.
func line(words, column string) string {
	_, rest, _ := strings.Cut(words, "\n"+column+":")
	rest, _, _ = strings.Cut(rest, "\n")
	return rest
}

// valueOf is the value of a term, found by its name as the notes of the equation define it.
func valueOf(t *testing.T, s sample, row map[string]any, name string) float64 {
	t.Helper()
	k := slices.IndexFunc(s.model.Terms, func(term prep.Term) bool { return term.Name == name })
	if k < 0 {
		t.Fatalf("no term %q", name)
	}
	term := s.model.Terms[k]
	c := &s.model.Columns[slices.IndexFunc(s.model.Columns, func(c prep.Column) bool { return c.Name == term.Column })]
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	switch cell := row[c.Name].(type) {
	case nil:
		switch term.Kind {
		case prep.MissingLevel:
			return 1
		case prep.Value:
			return c.Median
		case prep.Spline:
			return spline.Term(c.Median, c.Knots, term.Knot-1)
		}
		return is(term.Kind == prep.OtherLevel && !c.Indicator)
	case float64:
		switch term.Kind {
		case prep.Value:
			return cell
		case prep.Spline:
			return spline.Term(cell, c.Knots, term.Knot-1)
		}
		return 0
	case string:
		known := cell == c.Reference || slices.Contains(c.Levels, cell)
		return is(term.Kind == prep.Level && term.Level == cell || term.Kind == prep.OtherLevel && !known)
	}
	return 0
}

// named is a model whose columns and levels have names that LaTeX could take for its own.
func named(p *portable.Model) *portable.Model {
	out := *p
	inner := *p.Model
	out.Model = &inner
	bad := []string{`50 % & more_#1 $x$`, `\end{align*}\input{x}`, "{a^b~c}", "two\n\nlines", "größe [cm] < 3 | > 4", "a \"b\" ≥ ½ · m²"}
	was := map[string]string{}
	for k := range inner.Columns {
		was[inner.Columns[k].Name] = bad[k%len(bad)]
	}
	inner.Columns, inner.Terms = slices.Clone(inner.Columns), slices.Clone(inner.Terms)
	for k := range inner.Columns {
		inner.Columns[k].Name, inner.Columns[k].Reference = was[inner.Columns[k].Name], bad[(k+1)%len(bad)]
	}
	for k := range inner.Terms {
		inner.Terms[k].Name = was[inner.Terms[k].Column] + " = " + bad[k%len(bad)]
	}
	return &out
}

// commands are all that a formula may use.
var commands = strings.Fields(`begin end cdot text mathbf quad times item le ge eta textbackslash textasciitilde ` +
	`textasciicircum { } % _ & # $ , \`)

// TestLaTeXCommands: a formula has only known commands and environments, which are nested properly, and no line that
// is empty, whatever the columns are called.
func TestLaTeXCommands(t *testing.T) {
	command, environment := regexp.MustCompile(`\\([a-zA-Z]+|.)`), regexp.MustCompile(`\\(begin|end)\{([^}]*)\}`)
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		p := s.sample(t, 1).model
		for _, latex := range []string{p.LaTeX(), named(p).LaTeX()} {
			for _, m := range command.FindAllStringSubmatch(latex, -1) {
				if !slices.Contains(commands, m[1]) {
					t.Errorf("%s: unknown command %q", s.name, m[0])
				}
			}
			var open []string
			for _, m := range environment.FindAllStringSubmatch(latex, -1) {
				if m[1] == "begin" {
					open = append(open, m[2])
				} else if n := len(open); n == 0 || open[n-1] != m[2] {
					t.Fatalf("%s: \\end{%s} within %q", s.name, m[2], open)
				} else {
					open = open[:n-1]
				}
				if !slices.Contains([]string{"align*", "cases", "itemize"}, m[2]) {
					t.Errorf("%s: unknown environment %s", s.name, m[2])
				}
			}
			if len(open) > 0 || strings.Contains(latex, "\n\n") || strings.ContainsAny(latex, "\r\u202f") {
				t.Errorf("%s: open %q, or an empty line:\n%.400s", s.name, open, latex)
			}
		}
	}
}

// TestLaTeXCompiles: pdflatex compiles the formulas of all models, with any names.
func TestLaTeXCompiles(t *testing.T) {
	pdflatex := program(t, "pdflatex", "the equation in LaTeX")
	var b strings.Builder
	b.WriteString("\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n")
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		p := s.sample(t, 1).model
		for _, m := range []*portable.Model{p, named(p)} {
			c, err := m.Code("latex", "about")
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString("\\typeout{=== " + s.name + "}\n" + c.Text + "\\clearpage\n")
		}
	}
	b.WriteString("\\end{document}\n")
	file := write(t, "all.tex", b.String())
	run := exec.CommandContext(t.Context(), pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape",
		filepath.Base(file))
	run.Dir = filepath.Dir(file)
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-2500):])
	}
	pdf, err := os.ReadFile(strings.TrimSuffix(file, ".tex") + ".pdf")
	if err != nil || len(pdf) < 20_000 {
		t.Errorf("%d bytes, %v", len(pdf), err)
	}
	if to := os.Getenv("TAPER_SHOTS"); to != "" {
		os.WriteFile(filepath.Join(to, "equations.pdf"), pdf, 0o600)
	}
}

// TestLaTeX: the formula has the numbers of the plain version, balanced braces, and no column
// name that LaTeX would run as a command.
func TestLaTeX(t *testing.T) {
	number := regexp.MustCompile(`[0-9]+\.[0-9]{6,}`)
	for _, s := range slices.Concat(shippedSources(), linkSources()) {
		p := s.sample(t, 200).model
		words, latex := p.Words(), p.LaTeX()
		for _, n := range number.FindAllString(words, -1) {
			if !strings.Contains(latex, n) {
				t.Errorf("%s: %s is not in the formula", s.name, n)
			}
		}
		depth := 0
		for _, r := range strings.NewReplacer(`\{`, "", `\}`, "").Replace(latex) {
			if r == '{' {
				depth++
			} else if r == '}' {
				depth--
			}
			if depth < 0 {
				break
			}
		}
		if depth != 0 || strings.Count(latex, `\begin{`) != strings.Count(latex, `\end{`) {
			t.Errorf("%s: braces or environments do not match:\n%.400s", s.name, latex)
		}
		if strings.Contains(words, "%!") || strings.Contains(latex, "%!") || regexp.MustCompile(`[^\\]_[a-z]`).MatchString(latex) {
			t.Errorf("%s: %.600s", s.name, latex)
		}
	}
}
