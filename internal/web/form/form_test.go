package form

import (
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// shape has a key of each kind; some keys exist for round shapes only, and the range of an axis depends on the
// shape.
type shape struct {
	Kind string   `form:"kind" default:"square" options:"square,round"`
	Size float64  `form:"size" default:"0.5" range:"0 4" slider:"0 1 0.01"`
	Part float64  `form:"part" range:"0 0.5" unit:"%"`
	Side [2]int   `form:"x y" range:"0 9"`
	Seed uint64   `form:"seed" default:"7"`
	Fill bool     `form:"fill" options:"yes"`
	Tags []string `form:"tag"`
	Only []string `form:"only,none"`
	Note string   `form:"note,none"`
	Many int      `form:"many"`
	Odds *float64 `form:"odds" range:"0 9"`
	Rate *float64 `form:"rate" typed:"%" range:"0 0.45"`
	End  float64  `form:"end" default:"1" range:"0 10"`

	round `prefix:"" kind:"round"`
	Pair  [2]dot `prefix:"a. b."`
}

type round struct {
	Radius int `form:"radius" default:"3" range:"1 5"`
}

type dot struct {
	Ink  string `form:"ink" default:"black" options:"black,red"`
	Word string `form:"word"`
}

func (s *shape) Field(f *Field) {
	f.Absent = f.Group.Get("kind") != "" && f.Group.Get("kind") != s.Kind
	switch f.Key {
	case "note":
		f.Default = []string{"here"}
	case "end":
		if s.Kind == "round" {
			f.Default = []string{"2"}
		}
		f.Snap = func(v float64) float64 { return max(v, s.Size) }
	case "b.ink":
		f.Default = []string{"red"}
	}
}

func (d *dot) Field(f *Field) {
	if f.Key == "word" {
		f.Read = func(texts []string) error {
			if len(texts) == 0 {
				d.Word = ""
				return nil
			}
			if strings.Contains(texts[0], " ") {
				return usererr.BadField("word[1]", "must be one word")
			}
			d.Word = texts[0]
			return nil
		}
	}
}

func parsed(t testing.TB, text string) (s shape, bad []usererr.Field) {
	t.Helper()
	q, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	if err != nil {
		t.Fatal(err)
	}
	bad = Parse(&s, q)
	return s, bad
}

// TestQuery: an address has no redundant keys and the order of the fields.
func TestQuery(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"nothing":             {"", ""},
		"defaults":            {"kind=square&size=.5&seed=7&end=1&a.ink=black&b.ink=red&note=here", ""},
		"decimal comma":       {"size=0,25", "?size=0.25"},
		"a share in per cent": {"part.pct=12,5", "?part=0.125"},
		"keys of an array":    {"y=4&x=2", "?x=2&y=4"},
		"a long seed":         {"seed=18446744073709551615", "?seed=18446744073709551615"},
		"yes":                 {"fill=yes", "?fill=yes"},
		"what is no yes":      {"fill=no", ""},
		"a list":              {"tag=a&tag=&tag=b,c", "?tag=a&tag=b,c"},
		"an empty list":       {"tag=", ""},
		"none of a list":      {"only=", "?only="},
		"an empty text":       {"note=", "?note="},
		"of another kind":     {"radius=2", ""},
		"of this kind":        {"kind=round&radius=2", "?kind=round&radius=2"},
		"default of a kind":   {"kind=round&end=2", "?kind=round"},
		"snapped":             {"size=3&end=1.5", "?size=3&end=3"},
		"within":              {"a.ink=red&b.ink=black&b.word=x", "?a.ink=red&b.ink=black&b.word=x"},
		"thousands":           {"many=12,000&x=1", "?x=1&many=12000"},
		"more thousands":      {"many=1 234 567", "?many=1234567"},
		"a number or none":    {"odds=0&rate=", "?odds=0"},
		"typed in per cent":   {"rate=12,5", "?rate=12.5"},
		"keys of others":      {"was=1&page=2", ""},
	} {
		s, bad := parsed(t, c.in)
		if got := Query(&s); got != c.out || len(bad) > 0 {
			t.Errorf("%s: %q is %q (%v), want %q", name, c.in, got, bad, c.out)
		}
	}
}

// TestParseNames: an invalid value is replaced by its default and reported.
func TestParseNames(t *testing.T) {
	for text, want := range map[string]string{
		"kind=x":          `kind must be one of square, round, not ‘x’`,
		"size=5":          `size must be a number from 0 to 4, not ‘5’`,
		"part=x":          `part must be from 0 to 50 %, not ‘x’`,
		"part.pct=60":     "part must be from 0 to 50 %, not 60 %",
		"x=1.5":           `x must be a whole number from 0 to 9, not ‘1.5’`,
		"many=1,5":        `many must be a whole number, not ‘1,5’`,
		"many=1e19":       `many must be a whole number, not ‘1e19’`,
		"odds=10":         `odds must be a number from 0 to 9, not ‘10’`,
		"rate=50":         "rate must be from 0 to 45 %, not 50 %",
		"seed=-1":         `seed must be a whole number, not ‘-1’`,
		"b.ink=blue":      `b.ink must be one of black, red, not ‘blue’`,
		"a.word=two+here": "a.word[1] must be one word",
	} {
		s, bad := parsed(t, text)
		if len(bad) != 1 || strings.ReplaceAll(bad[0].Field+" "+bad[0].Message, "\u00a0", " ") != want {
			t.Errorf("%s: %v, want %s", text, bad, want)
		}
		if got := Query(&s); got != "" {
			t.Errorf("%s: the state is %q", text, got)
		}
	}
}

func TestProblem(t *testing.T) {
	f := Field{Options: []string{"a"}, Problem: func(text string) string { return "is not " + text }}
	if err := f.set(reflect.ValueOf(new(string)).Elem(), "b", false); err == nil || err.Error() != "is not b" {
		t.Errorf("a sentence of its own: %v", err)
	}
}

func TestGet(t *testing.T) {
	s, _ := parsed(t, "size=2&kind=round")
	if f := Get(&s, "size"); f.Number() != 2 || f.DefaultNumber() != .5 || f.Low != 0 || f.High != 1 || f.Step != .01 || f.Max != 4 {
		t.Errorf("size is %+v", f)
	}
	want := []Pair{{"size", "2"}}
	if got := HiddenPairs(&s, "a.ink", "radius", "size", "tag"); !reflect.DeepEqual(got, want) {
		t.Errorf("hidden are %v, want %v", got, want)
	}
}

// knob has keys that depend on the fields above.
type knob struct {
	Names []string `form:"name"`
	Turns map[string]float64
	Keys  any `form:"*"`
}

func (k *knob) Fields() (all []Field) {
	if k.Turns == nil {
		k.Turns = map[string]float64{}
	}
	for _, name := range k.Names {
		all = append(all, Field{Key: name, Default: []string{"1"},
			Read: func(texts []string) error {
				v, ok := ParseNumber(texts[0])
				if !ok {
					return errors.New("must be a number")
				}
				k.Turns[name] = v
				return nil
			},
			Write: func() []string { return []string{Text(k.Turns[name])} }})
	}
	return all
}

func TestDynamic(t *testing.T) {
	var k knob
	bad := Parse(&k, url.Values{"name": {"t", "u"}, "t": {"2"}, "u": {"x"}, "v": {"3"}})
	if len(bad) != 1 || bad[0].Field != "u" || k.Turns["t"] != 2 || k.Turns["u"] != 1 || len(k.Turns) != 2 {
		t.Errorf("%+v, %v", k, bad)
	}
	if got, want := Query(&k), "?name=t&name=u&t=2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzParse: for every query, the address of the parsed state parses back to the state.
func FuzzParse(f *testing.F) {
	for _, q := range []string{"", "kind=round&radius=2&end=9", "size=4&end=1&x=1e0&seed=1e3", "part.pct=7&tag=a&only=", "b.word=x&note=&seed=-0", "many=1,000&odds=1&rate=33"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		var s shape
		Parse(&s, q)
		again, bad := parsed(t, Query(&s))
		if len(bad) > 0 || !reflect.DeepEqual(s, again) {
			t.Errorf("%q: %q reads as another state: %v\n%+v\n%+v", text, Query(&s), bad, s, again)
		}
	})
}
