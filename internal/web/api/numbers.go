package api

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"taper/internal/engine/usererr"
)

// mostNumbers bounds a list of numbers, or all rows of a list together. An answer contains several numbers for
// each, and is built in memory.
const mostNumbers = 1_000_000

func tooMany(field string) error {
	return usererr.BadField(field, "must have at most 1\u202f000\u202f000 numbers: ask in several calls")
}

// finiteList reads a non-empty list of finite numbers; its error names the first invalid entry. raw is known to be
// valid JSON.
func finiteList(field string, raw json.RawMessage) ([]float64, error) {
	var list []float64
	err := eachItem(field, raw, func(i int, item []byte) error {
		if i == mostNumbers {
			return tooMany(field)
		}
		x, err := finiteItem(item, field, i)
		list = append(list, x)
		return err
	})
	return list, err
}

func finiteItem(item []byte, field string, at ...int) (float64, error) {
	if c := item[0]; c != '-' && (c < '0' || c > '9') {
		return 0, usererr.BadField(entryName(field, at...), "must be a finite number")
	}
	x, err := strconv.ParseFloat(string(item), 64)
	if err != nil && math.IsInf(x, 0) {
		return 0, usererr.BadField(entryName(field, at...), "must be a finite number: %.30s is beyond what a double can hold",
			item)
	}
	return x, nil
}

// rectangle reads rows of equally many finite numbers and concatenates them.
func rectangle(field string, raw json.RawMessage) (flat []float64, width int, err error) {
	err = eachItem(field, raw, func(i int, row []byte) error {
		start := len(flat)
		err := eachItem(entryName(field, i), row, func(j int, item []byte) error {
			if len(flat) == mostNumbers {
				return tooMany(field)
			}
			x, err := finiteItem(item, field, i, j)
			flat = append(flat, x)
			return err
		})
		if n := len(flat) - start; err == nil && i > 0 && n != width {
			return usererr.BadField(entryName(field, i), "must have %d numbers, as the rows before it (got %d)", width, n)
		} else if i == 0 {
			width = n
		}
		return err
	})
	return flat, width, err
}

// labelList reads n classes from 0 to k−1, one per entry of the list named of.
func labelList(raw json.RawMessage, n, k int, of string) ([]int, error) {
	list := make([]int, 0, n)
	err := eachItem("labels", raw, func(i int, item []byte) error {
		if i == mostNumbers {
			return tooMany("labels")
		}
		x, err := finiteItem(item, "labels", i)
		if err == nil && (x != math.Trunc(x) || x < 0 || x >= float64(k)) {
			err = usererr.BadField(entryName("labels", i), "must be a whole number from 0 to %d (got %.30s)", k-1, item)
		}
		list = append(list, int(x))
		return err
	})
	if err == nil && len(list) != n {
		err = usererr.BadField("labels", "must have as many entries as %s (%d, not %d)", of, n, len(list))
	}
	return list, err
}

// eachItem calls f with each item of a JSON list, which must not be empty.
func eachItem(field string, raw []byte, f func(i int, item []byte) error) error {
	if len(raw) == 0 || raw[0] != '[' {
		return usererr.BadField(field, "must be a list of numbers")
	}
	at, n := 1, 0
	for {
		start := skipSpace(raw, at)
		if raw[start] == ']' {
			break
		}
		end := itemEnd(raw, start)
		if err := f(n, bytes.TrimRight(raw[start:end], " \n\r\t")); err != nil {
			return err
		}
		n++
		if at = end; raw[at] == ',' {
			at++
		}
	}
	if n == 0 {
		return usererr.BadField(field, "must not be empty")
	}
	return nil
}

func skipSpace(raw []byte, at int) int {
	for raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\r' || raw[at] == '\t' {
		at++
	}
	return at
}

// itemEnd returns the index of the comma or bracket that ends the value starting at index at.
func itemEnd(raw []byte, at int) int {
	depth := 0
	for ; ; at++ {
		switch raw[at] {
		case '"':
			for at++; raw[at] != '"'; at++ {
				if raw[at] == '\\' {
					at++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return at
			}
			depth--
		case ',':
			if depth == 0 {
				return at
			}
		}
	}
}

// numberWriter writes an object of lists of numbers: infinity as a string, NaN as null.
type numberWriter struct {
	b    []byte
	next bool // the next list needs a comma
}

// begin allocates for lists of n numbers.
func (w *numberWriter) begin(n int) { w.b = append(make([]byte, 0, 256+n*64), '{') }

func (w *numberWriter) end() []byte { return append(w.b, '}', '\n') }

func (w *numberWriter) key(name string) {
	if w.next {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
	w.next = true
}

func (w *numberWriter) open(name string) {
	w.key(name)
	w.b = append(w.b, '{')
	w.next = false
}

func (w *numberWriter) close() {
	w.b = append(w.b, '}')
	w.next = true
}

func (w *numberWriter) column(name string, list []float64) {
	w.key(name)
	w.list(list)
}

func (w *numberWriter) list(list []float64) {
	if list == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '[')
	for i, x := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.number(x)
	}
	w.b = append(w.b, ']')
}

func (w *numberWriter) rows(name string, flat []float64, width int) {
	w.key(name)
	if flat == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '[')
	for i := 0; i < len(flat); i += width {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.list(flat[i : i+width])
	}
	w.b = append(w.b, ']')
}

// decisions writes classes, and null for abstention.
func (w *numberWriter) decisions(name string, list []float64) {
	for i, x := range list {
		if x < 0 {
			list[i] = math.NaN()
		}
	}
	w.column(name, list)
}

func (w *numberWriter) number(x float64) {
	switch {
	case x == 0: // also −0
		w.b = append(w.b, '0')
	case math.IsNaN(x):
		w.b = append(w.b, "null"...)
	case math.IsInf(x, 1):
		w.b = append(w.b, `"inf"`...)
	case math.IsInf(x, -1):
		w.b = append(w.b, `"-inf"`...)
	default:
		w.b = strconv.AppendFloat(w.b, x, 'g', -1, 64)
	}
}
