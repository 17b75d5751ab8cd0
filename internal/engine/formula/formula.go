// Package formula parses a published score, pasted as an expression or as a table of terms and
// coefficients, and evaluates it on the rows of a table.
//
// The syntax is that of papers: + − * / ^, brackets, ln, log10, log2, exp, sqrt, abs, min, max,
// and comparisons, which are 1 if true and 0 if false. A missing value makes the result
// missing. An unknown name, or a text in place of a number, is an error that gives its
// position.
package formula

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Limits of a formula: above any published one, and low enough that nested brackets cannot
// exhaust the stack.
const (
	MaxBytes = 20_000
	MaxDepth = 120
	MaxNodes = 2_000
)

// MaxWork bounds nodes × rows: about two seconds.
const MaxWork = 200_000_000

// Formula is a parsed formula, not yet bound to a table.
type Formula struct {
	root  node
	nodes int // numbers, names and operations
}

// node is a node of the syntax tree.
type node struct {
	kind  byte // 'n' number, 'c' name, 't' text, 'f' function, otherwise the operator
	value float64
	name  string
	args  []node
}

// Parse parses a formula: an expression, or lines of terms and coefficients, which are added
// up.
func Parse(text string) (*Formula, error) {
	if len(text) > MaxBytes {
		return nil, usererr.New(usererr.Invalid, "must hold at most %s bytes (got %s)", phrase.Int(MaxBytes),
			phrase.Int(len(text)))
	}
	if terms, ok := listed(text); ok {
		return parseTerms(terms)
	}
	p := &parser{text: text}
	root, err := p.whole()
	return &Formula{root, p.nodes}, err
}

// term is a line of a table of coefficients. at is where its name begins: in split bytes of the line, otherwise
// characters of the pasted text.
type term struct {
	at          int
	name, coeff string
}

// listed parses a table of terms: on each line a term and a number, in either order, separated
// by a tab, a semicolon, a colon or two blanks. A single line counts as an expression.
func listed(text string) (terms []term, ok bool) {
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		t, found := split(trimmed)
		if !found {
			return nil, false
		}
		t.at = utf8.RuneCountInString(text[:start+strings.Index(line, trimmed)+t.at])
		terms = append(terms, t)
	}
	return terms, len(terms) > 1
}

// split divides a line at its last separator, or at its first if the number comes first.
func split(line string) (term, bool) {
	for _, sep := range []string{"\t", ";", ":", "  "} {
		if i := strings.LastIndex(line, sep); i >= 0 {
			name, coeff := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+len(sep):])
			if _, ok := number(coeff); ok && name != "" {
				return term{name: strings.TrimRight(name, "\t;: "), coeff: coeff}, true
			}
		}
		if i := strings.Index(line, sep); i >= 0 {
			coeff, name := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+len(sep):])
			if _, ok := number(coeff); ok && name != "" {
				name = strings.TrimLeft(name, "\t;: ")
				return term{at: strings.LastIndex(line, name), name: name, coeff: coeff}, true
			}
		}
	}
	return term{}, false
}

// number parses a coefficient, with a real minus or a hyphen.
func number(text string) (float64, bool) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "−", "-"), "+")
	for i, c := range text {
		if !strings.ContainsRune("0123456789.eE", c) && !(c == '-' && (i == 0 || text[i-1] == 'e' || text[i-1] == 'E')) &&
			!(c == '+' && i > 0 && (text[i-1] == 'e' || text[i-1] == 'E')) {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// intercepts are the names that software gives to the intercept.
var intercepts = []string{"(intercept)", "intercept", "constant", "(constant)", "_cons", "const"}

func parseTerms(terms []term) (*Formula, error) {
	f := &Formula{root: node{kind: 'n'}, nodes: 1}
	for _, t := range terms {
		v, _ := number(t.coeff)
		own := node{kind: 'n', value: v}
		f.nodes += 2
		if !slices.Contains(intercepts, strings.ToLower(t.name)) {
			p := &parser{text: t.name, offset: t.at, nodes: f.nodes}
			factor, err := p.whole()
			if err != nil {
				return nil, err
			}
			f.nodes = p.nodes + 1
			own = node{kind: '*', args: []node{own, factor}}
		}
		f.root = node{kind: '+', args: []node{f.root, own}}
	}
	if f.nodes > MaxNodes {
		return nil, tooLong()
	}
	return f, nil
}

func tooLong() error {
	return usererr.New(usererr.Invalid, "must hold at most %s numbers, names and operations", phrase.Int(MaxNodes))
}

// parser parses one expression by recursive descent.
type parser struct {
	text   string
	offset int // of text in the pasted text, in characters
	pos    int
	depth  int
	calls  int // number of open brackets of functions, in which a comma separates arguments
	nodes  int
}

func (p *parser) fail(at int, format string, args ...any) error {
	return usererr.New(usererr.Invalid, "cannot be read at character %d: %s", p.character(at),
		usererr.Sprintf(format, args...))
}

// character is the number of the character at a byte of the text, from 1.
func (p *parser) character(at int) int {
	return p.offset + utf8.RuneCountInString(p.text[:min(at, len(p.text))]) + 1
}

func (p *parser) whole() (node, error) {
	n, err := p.comparison()
	if err != nil {
		return n, err
	}
	if p.blank(); p.pos < len(p.text) {
		return n, p.fail(p.pos, "an operator is needed before %s", phrase.Quote(p.rest()))
	}
	return n, nil
}

// rest is the remaining text, shortened.
func (p *parser) rest() string {
	r := []rune(p.text[p.pos:])
	if len(r) > 12 {
		r = append(r[:12], '…')
	}
	return string(r)
}

func (p *parser) blank() {
	for p.pos < len(p.text) {
		c, n := utf8.DecodeRuneInString(p.text[p.pos:])
		if !unicode.IsSpace(c) {
			return
		}
		p.pos += n
	}
}

// spellings of operators, the longer ones first.
var spellings = []struct {
	text string
	kind byte
}{{"==", '='}, {"!=", '!'}, {"<>", '!'}, {"<=", 'l'}, {">=", 'g'}, {"**", '^'}, {"≠", '!'}, {"≤", 'l'},
	{"≥", 'g'},
	{"−", '-'}, {"–", '-'}, {"×", '*'}, {"·", '*'}, {"÷", '/'}, {"=", '='}, {"<", '<'}, {">", '>'}, {"+", '+'},
	{"-", '-'}, {"*", '*'}, {"/", '/'}, {"^", '^'}}

// operator consumes the next operator if it is in of; otherwise it returns 0.
func (p *parser) operator(of string) byte {
	p.blank()
	for _, s := range spellings {
		if strings.HasPrefix(p.text[p.pos:], s.text) {
			if strings.IndexByte(of, s.kind) < 0 {
				return 0
			}
			p.pos += len(s.text)
			return s.kind
		}
	}
	return 0
}

func (p *parser) made(n node) (node, error) {
	if p.nodes++; p.nodes > MaxNodes {
		return n, tooLong()
	}
	return n, nil
}

// chain parses operands joined by left-associative operators of equal precedence.
func (p *parser) chain(of string, operand func() (node, error)) (node, error) {
	left, err := operand()
	for err == nil {
		kind := p.operator(of)
		if kind == 0 {
			return left, nil
		}
		var right node
		if right, err = operand(); err == nil {
			left, err = p.made(node{kind: kind, args: []node{left, right}})
		}
	}
	return left, err
}

func (p *parser) comparison() (node, error) {
	if p.depth++; p.depth > MaxDepth {
		return node{}, p.fail(p.pos, "brackets and signs are nested more than %d deep", MaxDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.sum()
	if err != nil {
		return left, err
	}
	kind := p.operator("=!lg<>")
	if kind == 0 {
		return left, nil
	}
	right, err := p.sum()
	if err != nil {
		return right, err
	}
	p.blank()
	if at := p.pos; p.operator("=!lg<>") != 0 {
		return left, p.fail(at, "two comparisons in a row: put brackets around one of them")
	}
	return p.made(node{kind: kind, args: []node{left, right}})
}

func (p *parser) sum() (node, error)     { return p.chain("+-", p.product) }
func (p *parser) product() (node, error) { return p.chain("*/", p.signed) }

// signed parses a sign, which has lower precedence than a power: −2^2 is −4.
func (p *parser) signed() (node, error) {
	if p.depth++; p.depth > MaxDepth {
		return node{}, p.fail(p.pos, "brackets and signs are nested more than %d deep", MaxDepth)
	}
	defer func() { p.depth-- }()
	kind := p.operator("+-")
	if kind == 0 {
		return p.power()
	}
	n, err := p.signed()
	if err != nil || kind == '+' {
		return n, err
	}
	return p.made(node{kind: '-', args: []node{{kind: 'n'}, n}})
}

// power is right-associative, and its exponent may have a sign.
func (p *parser) power() (node, error) {
	base, err := p.atom()
	if err != nil {
		return base, err
	}
	kind := p.operator("^")
	if kind == 0 {
		return base, nil
	}
	exponent, err := p.signed()
	if err != nil {
		return exponent, err
	}
	return p.made(node{kind: '^', args: []node{base, exponent}})
}

// quotes are the quotation marks around names and texts.
var quotes = map[rune]struct {
	close rune
	kind  byte
}{'`': {'`', 'c'}, '[': {']', 'c'}, '\'': {'\'', 't'}, '"': {'"', 't'}, '‘': {'’', 't'}, '“': {'”', 't'}}

func (p *parser) atom() (node, error) {
	p.blank()
	at := p.pos
	if at >= len(p.text) {
		return node{}, p.fail(at, "it ends where a number or a column is needed")
	}
	c, size := utf8.DecodeRuneInString(p.text[at:])
	switch q, quoted := quotes[c]; {
	case c == '(':
		p.pos++
		n, err := p.comparison()
		if err != nil {
			return n, err
		}
		if p.blank(); !strings.HasPrefix(p.text[p.pos:], ")") {
			return n, p.fail(p.pos, "the bracket that opens at character %d does not close", p.character(at))
		}
		p.pos++
		return n, nil
	case quoted:
		end := strings.IndexRune(p.text[at+size:], q.close)
		if end < 0 {
			return node{}, p.fail(at, "%s does not close", string(c))
		}
		p.pos = at + size + end + utf8.RuneLen(q.close)
		return p.made(node{kind: q.kind, name: p.text[at+size : at+size+end]})
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case unicode.IsLetter(c) || c == '_':
		return p.name()
	}
	return node{}, p.fail(at, "%s is not expected here", phrase.Quote(string(c)))
}

func (p *parser) number() (node, error) {
	at, end := p.pos, p.pos
	for end < len(p.text) {
		c := p.text[end]
		sign := (c == '+' || c == '-') && (p.text[end-1] == 'e' || p.text[end-1] == 'E') && end > at
		exponent := (c == 'e' || c == 'E') && end+1 < len(p.text) && strings.IndexByte("0123456789+-", p.text[end+1]) >= 0
		if !(c >= '0' && c <= '9' || c == '.' || exponent || sign) {
			break
		}
		end++
	}
	v, err := strconv.ParseFloat(p.text[at:end], 64)
	if err != nil || math.IsInf(v, 0) {
		return node{}, p.fail(at, "%s is not a number", phrase.Quote(p.text[at:end]))
	}
	if end < len(p.text) && p.text[end] == ',' && p.calls == 0 {
		return node{}, p.fail(end, "a number has a decimal point, not a comma")
	}
	p.pos = end
	return p.made(node{kind: 'n', value: v, name: p.text[at:end]})
}

// functions with their numbers of arguments; −1 means two or more.
var functions = map[string]struct {
	args int
	of   func(v []float64) float64
}{
	"ln":    {1, func(v []float64) float64 { return math.Log(v[0]) }},
	"log":   {1, func(v []float64) float64 { return math.Log(v[0]) }},
	"log10": {1, func(v []float64) float64 { return math.Log10(v[0]) }},
	"log2":  {1, func(v []float64) float64 { return math.Log2(v[0]) }},
	"exp":   {1, func(v []float64) float64 { return math.Exp(v[0]) }},
	"sqrt":  {1, func(v []float64) float64 { return math.Sqrt(v[0]) }},
	"abs":   {1, func(v []float64) float64 { return math.Abs(v[0]) }},
	"min":   {-1, func(v []float64) float64 { return slices.Min(v) }},
	"max":   {-1, func(v []float64) float64 { return slices.Max(v) }},
}

// name parses a column, or a function if a bracket follows.
func (p *parser) name() (node, error) {
	at := p.pos
	for p.pos < len(p.text) {
		c, n := utf8.DecodeRuneInString(p.text[p.pos:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' {
			break
		}
		p.pos += n
	}
	name := p.text[at:p.pos]
	if p.blank(); !strings.HasPrefix(p.text[p.pos:], "(") {
		return p.made(node{kind: 'c', name: name})
	}
	f, known := functions[strings.ToLower(name)]
	if !known {
		return node{}, p.fail(at, "%s is not a function: use ln, log10, log2, exp, sqrt, abs, min or max", phrase.Quote(name))
	}
	p.calls++
	defer func() { p.calls-- }()
	n := node{kind: 'f', name: strings.ToLower(name)}
	for more := true; more; more = strings.HasPrefix(p.text[p.pos:], ",") {
		p.pos++
		arg, err := p.comparison()
		if err != nil {
			return arg, err
		}
		n.args = append(n.args, arg)
		p.blank()
	}
	if !strings.HasPrefix(p.text[p.pos:], ")") {
		return n, p.fail(p.pos, "the bracket of %s does not close", name)
	}
	if p.pos++; f.args >= 0 && len(n.args) != f.args || f.args < 0 && len(n.args) < 2 {
		return n, p.fail(at, "%s takes %s", name, map[int]string{1: "one number", -1: "two numbers or more"}[f.args])
	}
	return p.made(n)
}

// Bound is a formula bound to a table.
type Bound struct {
	Columns []string // columns used, by first appearance
	of      func(row int) float64
	rows    int
}

// Bind binds the formula to a table.
func (f *Formula) Bind(t *table.Table) (*Bound, error) {
	if f.nodes*t.Rows > MaxWork {
		return nil, usererr.New(usererr.Invalid, "takes too long on this file: %s numbers, names and operations on %s rows "+
			"are more than %s together", phrase.Int(f.nodes), phrase.Int(t.Rows), phrase.Int(MaxWork))
	}
	b := &binder{t: t}
	of, err := b.number(f.root)
	if err == nil && len(b.columns) == 0 {
		err = usererr.New(usererr.Invalid, "names no column: every row would have the same number")
	}
	return &Bound{b.columns, of, t.Rows}, err
}

// Values are the results for all rows; NaN if a value is missing or the result is undefined.
func (b *Bound) Values() []float64 {
	all := make([]float64, b.rows)
	for row := range all {
		if all[row] = b.of(row); math.IsInf(all[row], 0) {
			all[row] = math.NaN()
		}
	}
	return all
}

type binder struct {
	t       *table.Table
	columns []string
}

func (b *binder) column(n node) *table.Column {
	if n.kind != 'c' {
		return nil
	}
	c := b.t.Column(n.name)
	if c != nil && !slices.Contains(b.columns, n.name) {
		b.columns = append(b.columns, n.name)
	}
	return c
}

// number compiles a node to a function of the row.
func (b *binder) number(n node) (func(row int) float64, error) {
	switch n.kind {
	case 'n':
		return func(int) float64 { return n.value }, nil
	case 't':
		return nil, usererr.New(usererr.Invalid, "has the text %s where a number is needed", phrase.Quote(n.name))
	case 'c':
		c := b.column(n)
		if c == nil {
			return nil, usererr.New(usererr.Invalid, "names %s, which is not a column of the data", phrase.Quote(n.name))
		}
		return numbers(c)
	case 'f':
		return b.function(n)
	}
	if strings.IndexByte("=!", n.kind) >= 0 {
		if of, err := b.levels(n); of != nil || err != nil {
			return of, err
		}
	}
	left, err := b.number(n.args[0])
	if err != nil {
		return nil, err
	}
	right, err := b.number(n.args[1])
	if err != nil {
		return nil, err
	}
	does := operations[n.kind]
	return func(row int) float64 { return does(left(row), right(row)) }, nil
}

func (b *binder) function(n node) (func(row int) float64, error) {
	args := make([]func(int) float64, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = b.number(a); err != nil {
			return nil, err
		}
	}
	of := functions[n.name].of
	if len(args) == 1 {
		return func(row int) float64 { return of([]float64{args[0](row)}) }, nil
	}
	return func(row int) float64 {
		v := make([]float64, len(args))
		for i, arg := range args {
			v[i] = arg(row)
		}
		return of(v)
	}, nil
}

// operations of two numbers; a comparison with a missing value is missing.
var operations = map[byte]func(a, b float64) float64{
	'+': func(a, b float64) float64 { return a + b },
	'-': func(a, b float64) float64 { return a - b },
	'*': func(a, b float64) float64 { return a * b },
	'/': func(a, b float64) float64 { return a / b },
	'^': func(a, b float64) float64 {
		if math.IsNaN(a) || math.IsNaN(b) { // math.Pow(NaN, 0) is 1
			return math.NaN()
		}
		return math.Pow(a, b)
	},
	'=': func(a, b float64) float64 { return truth(a == b, a, b) },
	'!': func(a, b float64) float64 { return truth(a != b, a, b) },
	'<': func(a, b float64) float64 { return truth(a < b, a, b) },
	'>': func(a, b float64) float64 { return truth(a > b, a, b) },
	'l': func(a, b float64) float64 { return truth(a <= b, a, b) },
	'g': func(a, b float64) float64 { return truth(a >= b, a, b) },
}

func truth(is bool, a, b float64) float64 {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return math.NaN()
	case is:
		return 1
	}
	return 0
}

// numbers reads the values of a column, also of a column of levels if all are numbers.
func numbers(c *table.Column) (func(row int) float64, error) {
	if c.Num != nil {
		return func(row int) float64 { return c.Num[row] }, nil
	}
	of := make([]float64, len(c.Levels))
	for k, l := range c.Levels {
		v, ok := table.ParseNumber(l, ".")
		if !ok {
			return nil, usererr.New(usererr.Invalid, "uses ‘%s’ as a number, but it holds texts: compare it, as in "+
				"(%s = %s)", c.Name, c.Name, phrase.Quote(l))
		}
		of[k] = v
	}
	return func(row int) float64 {
		if c.Code[row] < 0 {
			return math.NaN()
		}
		return of[c.Code[row]]
	}, nil
}

// levels compiles a comparison of a column with one of its levels; nil for a comparison of
// numbers. An unquoted word that is no column is a level: sex = male.
func (b *binder) levels(n node) (func(row int) float64, error) {
	left, right := n.args[0], n.args[1]
	if b.t.Column(left.name) == nil || left.kind != 'c' {
		left, right = right, left
	}
	text := right.kind == 't' || right.kind == 'c' && b.t.Column(right.name) == nil
	c := b.t.Column(left.name)
	if left.kind != 'c' || c == nil || c.Code == nil {
		return nil, nil
	}
	if !text && !(right.kind == 'n' && c.Num == nil && right.name != "") {
		return nil, nil
	}
	b.column(left)
	code := int32(slices.Index(c.Levels, right.name))
	if code < 0 {
		return nil, usererr.New(usererr.Invalid, "compares ‘%s’ with %s, which is none of its values (%s)", c.Name,
			phrase.Quote(right.name), shown(c.Levels))
	}
	return func(row int) float64 {
		if c.Code[row] < 0 {
			return math.NaN()
		}
		return truth((c.Code[row] == code) == (n.kind == '='), 0, 0)
	}, nil
}

// shown lists a few levels.
func shown(levels []string) string {
	var all []string
	for _, l := range levels[:min(len(levels), 6)] {
		all = append(all, phrase.Quote(l))
	}
	if len(levels) > 6 {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}
