package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"taper/internal/engine/phrase"
)

// Tolerance is the accepted relative difference between numbers computed by different builds or
// classes of processor.
const Tolerance = 1e-9

// Difference is a value that changed when the run was recomputed.
type Difference struct {
	File   string `json:"file"`
	Path   string `json:"path"`   // in the file, such as metrics.test.auc; in the report, the words before it
	Bundle string `json:"bundle"` // in the bundle
	Refit  string `json:"refit"`  // recomputed
}

// Comparison is the result of comparing two files.
type Comparison struct {
	Values    int         `json:"values"`  // number of values compared
	Differing int         `json:"differ"`  // number of values not equal to the bit
	Largest   float64     `json:"largest"` // largest relative difference of two numbers
	Beyond    int         `json:"beyond"`  // number of differences above the tolerance, or not between numbers
	First     *Difference `json:"first"`   // first of Beyond, otherwise of Differing
}

// Add combines the comparisons of two files, c being of the first.
func (c Comparison) Add(o Comparison) Comparison {
	first := c.First
	if first == nil || c.Beyond == 0 && o.Beyond > 0 {
		first = o.First
	}
	return Comparison{c.Values + o.Values, c.Differing + o.Differing, math.Max(c.Largest, o.Largest), c.Beyond + o.Beyond,
		first}
}

// value is a leaf of a JSON text with its path.
type value struct{ path, text string }

// CompareJSON compares two JSON texts value by value, in order, except for paths that skip
// accepts.
func CompareJSON(file string, theirs, ours []byte, skip func(path string) bool) (Comparison, error) {
	if len(theirs) > allowed(len(ours)) {
		return Comparison{}, tooLong(file)
	}
	b, size, err := leaves(ours, math.MaxInt, skip)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare %s: %w", file, err)
	}
	a, _, err := leaves(theirs, allowed(size), skip)
	if errors.Is(err, errLong) {
		return Comparison{}, tooLong(file)
	}
	if err != nil {
		return Comparison{}, notABundle("%s is not JSON", file)
	}
	return compare(file, a, b), nil
}

// A comparison keeps every value in memory with its path, and a long key repeats in the paths of
// all values below it. So a file may have only twice the size of the recomputed one, and its
// values too; room is for short ones.
const (
	room      = 1 << 20
	valueSize = 64 // of a value without its text and path, at least
)

func allowed(size int) int { return 2*size + room }

var errLong = errors.New("its values and paths are too long")

func tooLong(file string) error {
	return notABundle("%s is more than twice as large as when computed again", file)
}

const absent = "nothing"

// compare walks along both lists. A path in only one of them is a difference; the walk
// continues at the next path in both.
func compare(file string, a, b []value) (c Comparison) {
	place := map[string]int{}
	for i, v := range b {
		place[v.path] = i
	}
	theirs := map[string]bool{}
	for _, v := range a {
		theirs[v.path] = true
	}
	next := 0
	missing := func(until int) {
		for ; next < until; next++ {
			if !theirs[b[next].path] {
				c.differ(Difference{file, b[next].path, absent, b[next].text}, math.Inf(1))
			}
		}
	}
	for _, v := range a {
		i, there := place[v.path]
		if !there {
			c.differ(Difference{file, v.path, v.text, absent}, math.Inf(1))
			continue
		}
		missing(i)
		c.Values++
		if v.text != b[i].text {
			c.differ(Difference{file, v.path, v.text, b[i].text}, apart(v.text, b[i].text))
		}
		next = max(next, i+1)
	}
	missing(len(b))
	return c
}

// mostShown is the number of characters of a path or value that a Difference keeps.
const mostShown = 200

func (c *Comparison) differ(d Difference, by float64) {
	c.Differing++
	if !math.IsInf(by, 0) {
		c.Largest = math.Max(c.Largest, by)
	}
	beyond := by > Tolerance
	if c.First == nil || beyond && c.Beyond == 0 {
		c.First = &Difference{d.File, phrase.Shorten(d.Path, mostShown), phrase.Shorten(d.Bundle, mostShown),
			phrase.Shorten(d.Refit, mostShown)}
	}
	if beyond {
		c.Beyond++
	}
}

// apart is the relative difference of two numbers, infinite if one is not a number.
func apart(a, b string) float64 {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil || math.IsNaN(x-y) {
		return math.Inf(1)
	}
	if x == y { // equal numbers in different notation
		return 0
	}
	return math.Abs(x-y) / math.Max(math.Abs(x), math.Abs(y))
}

// leaves lists the values of a JSON text in order, with their size in memory. Empty lists and
// objects count as values. It ends with errLong when the size exceeds most.
func leaves(text []byte, most int, skip func(path string) bool) (all []value, size int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := walk(d, "", 0, func(path, text string) error {
		if size += valueSize + len(path) + len(text); size > most {
			return errLong
		}
		if skip == nil || !skip(path) {
			all = append(all, value{path, text})
		}
		return nil
	}); err != nil {
		return nil, size, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, size, errors.New("more than one value")
	}
	return all, size, nil
}

// mostNested is far above the nesting of results and models; a file of brackets must not
// exhaust the stack.
const mostNested = 100

func walk(d *json.Decoder, path string, depth int, leaf func(path, text string) error) error {
	if depth > mostNested {
		return errors.New("nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := t.(json.Delim)
	if !ok {
		text, err := json.Marshal(t)
		if err != nil {
			return err
		}
		return leaf(path, string(text))
	}
	n := 0
	for ; d.More(); n++ {
		at := fmt.Sprintf("%s[%d]", path, n)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			at = strings.TrimPrefix(fmt.Sprintf("%s.%v", path, key), ".")
		}
		if err := walk(d, at, depth+1, leaf); err != nil {
			return err
		}
	}
	end, err := d.Token()
	if err == nil && n == 0 {
		err = leaf(path, fmt.Sprintf("%v%v", open, end))
	}
	return err
}

// CompareHTML compares the words of two pages, including those in their figures. With exact it
// also compares style and drawings.
func CompareHTML(file string, theirs, ours []byte, exact bool) (Comparison, error) {
	if bytes.Equal(theirs, ours) {
		return Comparison{Values: len(words(ours))}, nil
	}
	if len(theirs) > allowed(len(ours)) {
		return Comparison{}, tooLong(file)
	}
	a, b := words(theirs), words(ours)
	c := Comparison{}
	for i := range max(len(a), len(b)) {
		d := Difference{File: file, Bundle: absent, Refit: absent}
		if i < len(a) {
			d.Bundle = a[i]
		}
		if i < len(b) {
			d.Refit = b[i]
		}
		c.Values++
		if d.Bundle != d.Refit {
			d.Path = "… " + strings.Join(a[max(0, min(i, len(a))-6):min(i, len(a))], " ")
			c.differ(d, math.Inf(1))
			return c, nil // after this all words are shifted
		}
	}
	if !exact {
		return c, nil
	}
	c.differ(Difference{file, "What is not text", "another style or drawing", "the program’s own"}, math.Inf(1))
	return c, nil
}

// words lists the words of a page, without scripts and styles.
func words(page []byte) (all []string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	hidden := ""
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return all
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "style" || string(name) == "script" {
				hidden = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
		case html.TextToken:
			if hidden == "" {
				all = append(all, strings.Fields(string(z.Text()))...)
			}
		}
	}
}
