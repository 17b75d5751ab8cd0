package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// mutant is one change of one file: the bytes from start to end become text.
type mutant struct {
	pkg, file, fn, change string // file from the root of the tree
	line, start, end      int
	text                  string
	together              bool // it can be built together with the others
}

// key identifies a mutant across edits: lines move more often than the names and texts of functions change.
func (m mutant) key() string { return m.file + "\t" + m.fn + "\t" + m.change }

// swaps are the operators that replace each other.
var swaps = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// collector gathers the mutants of one file.
type collector struct {
	pkg, path string
	fset      *token.FileSet
	src       []byte
	info      *types.Info
	fn        string
	seen      map[string]int
	found     []mutant
}

func (c *collector) offset(p token.Pos) int { return c.fset.Position(p).Offset }

func (c *collector) source(from, to token.Pos) string {
	return string(c.src[c.offset(from):c.offset(to)])
}

// add records the mutant that writes text over from…to; the list shows it as a change of the whole enclosing
// node.
func (c *collector) add(around ast.Node, from, to token.Pos, text string) {
	before := c.source(around.Pos(), around.End())
	after := c.source(around.Pos(), from) + text + c.source(to, around.End())
	m := mutant{pkg: c.pkg, file: c.path, fn: c.fn, line: c.fset.Position(from).Line,
		change: oneLine(before) + " → " + oneLine(after), start: c.offset(from), end: c.offset(to), text: text}
	if c.seen[m.key()]++; c.seen[m.key()] > 1 {
		m.change += fmt.Sprintf(" (%d)", c.seen[m.key()])
	}
	c.found = append(c.found, m)
}

// oneLine is code in one line, for the list.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:60]) + "…" + string(r[len(r)-39:])
	}
	if s == "" {
		return "nothing"
	}
	return s
}

// file collects mutants from every function and every value of the file.
func (c *collector) file(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.fn = d.Name.Name
			if d.Recv != nil {
				recv := c.source(d.Recv.List[0].Type.Pos(), d.Recv.List[0].Type.End())
				c.fn = strings.TrimPrefix(recv, "*") + "." + c.fn
			}
			if d.Body != nil {
				c.walk(d.Body)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					c.fn = v.Names[0].Name
					for _, value := range v.Values {
						c.walk(value)
					}
				}
			}
		}
	}
}

// walk visits every node with its parent.
func (c *collector) walk(root ast.Node) {
	path := []ast.Node{root}
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		c.node(n, path[len(path)-1])
		path = append(path, n)
		return true
	})
}

func (c *collector) node(n, parent ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		c.operator(n, n.OpPos, n.Op, n.X)
	case *ast.AssignStmt:
		c.operator(n, n.TokPos, n.Tok, n.Lhs[0])
	case *ast.IncDecStmt:
		c.operator(n, n.TokPos, n.Tok, n.X)
	case *ast.BasicLit:
		// For math.Inf only the sign of the argument counts, and so for math.IsInf if it is larger.
		of := ""
		if call, ok := parent.(*ast.CallExpr); ok {
			of = c.source(call.Fun.Pos(), call.Fun.End())
		}
		if n.Kind != token.INT && n.Kind != token.FLOAT || of == "math.Inf" || c.unread(parent) {
			return
		}
		if of != "math.IsInf" {
			c.add(parent, n.Pos(), n.End(), "("+n.Value+" + 1)")
		}
		c.add(parent, n.Pos(), n.End(), "("+n.Value+" - 1)")
	case *ast.UnaryExpr:
		if n.Op == token.SUB {
			c.add(n, n.OpPos, n.X.Pos(), "")
		}
	case *ast.BlockStmt:
		c.statements(n.List)
	case *ast.CaseClause:
		c.statements(n.Body)
	case *ast.CommClause:
		c.statements(n.Body)
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			last := n.Results[len(n.Results)-1]
			// The type of the value may be narrower than that of the result.
			t := c.info.TypeOf(last)
			if _, call := last.(*ast.CallExpr); t != nil && (!call || len(n.Results) > 1 || t.String() == "error") &&
				types.Implements(t, errorType) {
				c.add(n, last.Pos(), last.End(), "nil")
			}
		}
	case *ast.CallExpr:
		c.arguments(n)
	}
}

// newErrors are the calls that create an error.
var newErrors = map[string]bool{"usererr.New": true, "usererr.BadField": true, "fmt.Errorf": true, "errors.New": true}

// unread reports a return that ends with a new error or with false: callers do not read its other values.
func (c *collector) unread(n ast.Node) bool {
	r, ok := n.(*ast.ReturnStmt)
	if !ok || len(r.Results) < 2 {
		return false
	}
	switch last := r.Results[len(r.Results)-1].(type) {
	case *ast.Ident:
		return last.Name == "false"
	case *ast.CallExpr:
		return newErrors[c.source(last.Fun.Pos(), last.Fun.End())]
	}
	return false
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// operator swaps an operator; string concatenation has no other.
func (c *collector) operator(n ast.Node, at token.Pos, op token.Token, x ast.Expr) {
	to, ok := swaps[op]
	if b, basic := c.info.TypeOf(x).(*types.Basic); basic && b.Info()&types.IsString != 0 && op == token.ADD {
		ok = false
	}
	if ok {
		c.add(n, at, at+token.Pos(len(op.String())), to.String())
	}
}

// statements removes assignments and calls. A panic about a wrong shape is kept, since a correct program never
// reaches it.
func (c *collector) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
			// The computation stays, so that its variables are still used.
			blanks := strings.TrimSuffix(strings.Repeat("_, ", len(s.Lhs)), ", ")
			if before := c.source(s.Pos(), s.TokPos); strings.TrimSpace(before) != blanks {
				c.add(s, s.Pos(), s.Rhs[0].Pos(), blanks+" = ")
			}
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && c.source(call.Fun.Pos(), call.Fun.End()) != "panic" {
				c.add(s, s.Pos(), s.End(), "")
			}
		}
	}
}

// symmetric are functions that take their arguments in any order.
var symmetric = map[string]bool{"math.Max": true, "math.Min": true, "math.Hypot": true, "bytes.Equal": true,
	"slices.Equal": true, "reflect.DeepEqual": true, "floats.Dot": true, "dot": true}

// arguments swaps neighbouring arguments of one type with different values, except those of symmetric functions.
func (c *collector) arguments(n *ast.CallExpr) {
	tv, ok := c.info.Types[n.Fun]
	if !ok || tv.IsType() || tv.IsBuiltin() || symmetric[c.source(n.Fun.Pos(), n.Fun.End())] {
		return
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		x, y := c.source(a.Pos(), a.End()), c.source(b.Pos(), b.End())
		ta, tb := c.info.TypeOf(a), c.info.TypeOf(b)
		if x != y && ta != nil && tb != nil && types.Identical(ta, tb) && !n.Ellipsis.IsValid() {
			c.add(n, a.Pos(), b.End(), y+c.source(a.End(), b.Pos())+x)
		}
	}
}
