package boundary

import (
	"net/url"
	"slices"
	"testing"

	"taper/internal/web/form"
)

type state struct {
	Pi []float64 `form:"pi" default:".5"`
}

func (s *state) Field(f *form.Field) { Field(f, &s.Pi) }

func TestField(t *testing.T) {
	plain := []float64{.5}
	for text, want := range map[string][]float64{
		"pi=.25,.75":       {.25, .75},
		"pi=0,25":          {.25},
		"pi=0,2&pi=0.45":   {.2, .45},
		"pi=.2&pi=&pi=.45": {.2, .45},
		"":                 plain,
	} {
		q, _ := url.ParseQuery(text)
		var st state
		if bad := form.Parse(&st, q); !slices.Equal(st.Pi, want) || len(bad) > 0 {
			t.Errorf("%q is %v (%v), want %v", text, st.Pi, bad, want)
		}
	}
	for text, want := range map[string]string{
		"pi=.5,.4": "pi[1] must be greater than pi[0] (0.5)",
		"pi=1.5":   "pi[0] must lie strictly between 0 and 1 (got 1.5)",
		"pi=.2,x":  `pi must be probabilities between 0 and 1, not ‘x’`,
	} {
		q, _ := url.ParseQuery(text)
		var st state
		if bad := form.Parse(&st, q); !slices.Equal(st.Pi, plain) || len(bad) != 1 || bad[0].Field+" "+bad[0].Message != want {
			t.Errorf("%q is %v, %v; want %s", text, st.Pi, bad, want)
		}
	}
}
