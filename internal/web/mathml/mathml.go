// Package mathml writes formulas as MathML, which browsers typeset. Its functions are named after the elements and
// nest; texts are escaped.
package mathml

import (
	"html"
	"strings"

	"taper/web/templates"
)

// Display is a formula on a line of its own.
func Display(parts ...string) templates.Math {
	return templates.Math(`<math display="block"><mrow>` + strings.Join(parts, "") + `</mrow></math>`)
}

// Mi is a name, set in italics.
func Mi(name string) string { return "<mi>" + html.EscapeString(name) + "</mi>" }

// Mn is a number.
func Mn(text string) string { return "<mn>" + html.EscapeString(text) + "</mn>" }

// Mo is an operator or a bracket.
func Mo(sign string) string { return "<mo>" + html.EscapeString(sign) + "</mo>" }

// Fn is the name of a function, set upright.
func Fn(name string) string {
	return `<mi mathvariant="normal">` + html.EscapeString(name) + "</mi><mo>&#8289;</mo>"
}

// Msub is a base with a subscript.
func Msub(base, sub string) string { return "<msub>" + Mrow(base) + Mrow(sub) + "</msub>" }

// Msup is a base with a superscript.
func Msup(base, sup string) string { return "<msup>" + Mrow(base) + Mrow(sup) + "</msup>" }

// Mfrac is a fraction.
func Mfrac(over, under string) string { return "<mfrac>" + Mrow(over) + Mrow(under) + "</mfrac>" }

// Mrow groups its parts.
func Mrow(parts ...string) string { return "<mrow>" + strings.Join(parts, "") + "</mrow>" }

// Paren adds round brackets.
func Paren(parts ...string) string { return Mrow(Mo("("), strings.Join(parts, ""), Mo(")")) }

// Hat is a letter with a hat.
func Hat(name string) string { return `<mover accent="true">` + Mi(name) + Mo("^") + "</mover>" }

// Mo with an expression below: max over k.
func Munder(op, under string) string {
	return `<munder><mo movablelimits="false" lspace="0.17em" rspace="0.17em">` + html.EscapeString(op) + "</mo>" +
		Mrow(under) + "</munder>"
}

// Word is a word set upright.
func Word(name string) string { return `<mi mathvariant="normal">` + html.EscapeString(name) + "</mi>" }
