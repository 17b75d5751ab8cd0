package main

import (
	"html"
	"strings"

	"taper/web/templates"
)

// A formula is written as MathML, which browsers typeset by themselves. The
// functions below nest; their texts are escaped.

// mathRow is a formula on a line of its own.
func mathRow(parts ...string) templates.Math {
	return templates.Math(`<math display="block"><mrow>` + strings.Join(parts, "") + `</mrow></math>`)
}

func mi(name string) string { return "<mi>" + html.EscapeString(name) + "</mi>" }
func mn(text string) string { return "<mn>" + html.EscapeString(text) + "</mn>" }
func mo(sign string) string { return "<mo>" + html.EscapeString(sign) + "</mo>" }

// fn is the name of a function, set upright.
func fn(name string) string {
	return `<mi mathvariant="normal">` + html.EscapeString(name) + "</mi><mo>&#8289;</mo>"
}

func msub(base, sub string) string { return "<msub>" + group(base) + group(sub) + "</msub>" }
func msup(base, sup string) string { return "<msup>" + group(base) + group(sup) + "</msup>" }

func mfrac(over, under string) string { return "<mfrac>" + group(over) + group(under) + "</mfrac>" }

func group(parts ...string) string { return "<mrow>" + strings.Join(parts, "") + "</mrow>" }

// paren puts round brackets around.
func paren(parts ...string) string { return group(mo("("), strings.Join(parts, ""), mo(")")) }

// hat is a letter with a hat.
func hat(name string) string { return `<mover accent="true">` + mi(name) + mo("^") + "</mover>" }

// munder is an operator with something below: max over k.
func munder(op, under string) string {
	return `<munder><mo movablelimits="false" lspace="0.17em" rspace="0.17em">` + html.EscapeString(op) + "</mo>" + group(under) + "</munder>"
}

// fn2 is a word set upright.
func fn2(name string) string { return `<mi mathvariant="normal">` + html.EscapeString(name) + "</mi>" }
