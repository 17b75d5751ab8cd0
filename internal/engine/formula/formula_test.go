package formula

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/table/tabletest"
)

var patients = tabletest.ByHand(tabletest.Numbers("age", 50, 61, math.NaN()), tabletest.Numbers("CRP mg", 4, 100, 8),
	tabletest.Texts("sex", "f", "m", "m"), tabletest.Texts("grade", "1", "3", ""), tabletest.Texts("site", "a b", "c", "c"))

// TestValues compares expressions with known values.
func TestValues(t *testing.T) {
	nan := math.NaN()
	for text, want := range map[string][]float64{
		"age":                             {50, 61, nan},
		"-2^2 + age - age":                {-4, -4, nan},
		"2^3^2 + 0*age":                   {512, 512, nan},
		"−1.5·(age − 50)/10":              {0, -1.65, nan},
		"1 - 2 - 3 + 0*[CRP mg]":          {-4, -4, -4},
		"12/3/2 + 0*`CRP mg`":             {2, 2, 2},
		"log10([CRP mg])":                 {math.Log10(4), 2, math.Log10(8)},
		"log2([CRP mg])*2e0":              {4, 2 * math.Log2(100), 6},
		"ln(0*[CRP mg])":                  {nan, nan, nan},
		"sex = m":                         {0, 1, 1},
		"'m' != sex":                      {1, 0, 0},
		"0.8*(sex == \"m\") + .2":         {.2, 1, 1},
		"grade + 1":                       {2, 4, nan},
		"grade >= 2":                      {0, 1, nan},
		"grade = 3":                       {0, 1, nan},
		"site = 'a b'":                    {1, 0, 0},
		"(age > 55) + (age <= 50)":        {1, 1, nan},
		"min(age, 55, 70)":                {50, 55, nan},
		"max([CRP mg], 5)":                {5, 100, 8},
		"age^0":                           {1, 1, nan},
		"exp(1)*sqrt(abs(-4))+0*[CRP mg]": {2 * math.E, 2 * math.E, 2 * math.E},
		"(Intercept)\t-4\nage\t0.1\nsex = m\t0.5":                      {1, 2.6, nan},
		"-4;Intercept\n0.1;age":                                        {1, 2.1, nan},
		"constant: 1\n\n  ln([CRP mg])  : −2":                          {1 - 2*math.Log(4), 1 - 2*math.Log(100), 1 - 2*math.Log(8)},
		"age   0.1\n(sex = f) * age   0.2":                             {15, 6.1, nan},
		strings.Repeat("(", 50) + "[CRP mg]" + strings.Repeat(")", 50): {4, 100, 8},
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		b, err := f.Bind(patients)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for i, v := range b.Values() {
			if math.IsNaN(v) != math.IsNaN(want[i]) || math.Abs(v-want[i]) > 1e-12 {
				t.Errorf("%q, row %d: %v, want %v", text, i, v, want[i])
			}
		}
	}
}

// TestRefused: errors say where a formula is wrong, and why.
func TestRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                     "ends where a number or a column is needed",
		"age +":                                "character 6",
		"2 age":                                "an operator is needed before ‘age’",
		"(age":                                 "the bracket that opens at character 1 does not close",
		"age)":                                 "an operator is needed",
		"1,5*age":                              "a decimal point, not a comma",
		"1 < age < 2":                          "two comparisons",
		"sin(age)":                             "is not a function",
		"min(age)":                             "two numbers or more",
		"exp(age, 2)":                          "one number",
		"'m":                                   "does not close",
		"1e999*age":                            "is not a number",
		"age $ 2":                              "character 5",
		"weight*2":                             "which is not a column",
		"sex*2":                                "compare it",
		"sex = x":                              "none of its values (‘f’, ‘m’)",
		"'text' + age":                         "where a number is needed",
		"1 + 2":                                "names no column",
		"a\t1\nb\t":                            "",
		"1 < weight < 2":                       "character 12",
		"-" + strings.Repeat("-", 130) + "age": "more than 120 deep",
		strings.Repeat("(", 70) + "age" + strings.Repeat(")", 70): "more than 120 deep",
		"age" + strings.Repeat("+1", MaxNodes):                    "at most 2",
		strings.Repeat("age+", MaxBytes/4) + "1":                  "at most 20",
	} {
		f, err := Parse(text)
		if err == nil {
			_, err = f.Bind(patients)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, want %q", text, err, says)
		}
	}
}

// TestRefusedTerm: an error in a table of terms names the character of the pasted text, whatever was before it.
func TestRefusedTerm(t *testing.T) {
	for text, says := range map[string]string{
		"age\t−0.5\nweight $\t2":      "at character 17:", // a real minus sign has three bytes
		"−0.5\tage\n  2 ;  weight $ ": "at character 24:",
		"−0.5\tage\n\n2\t(weight":     "opens at character 13 does",
		"Größe: −3\nage +: 1\n":       "at character 16:",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// FuzzFormula: any text is parsed or refused, and a parsed formula gives a number or NaN for
// every row.
func FuzzFormula(f *testing.F) {
	for _, seed := range []string{"-4.3 + 0.05*age + 0.5*(sex = m)", "(Intercept)\t-4\nage\t0.1", "min(age, [CRP mg])^2 >= 3",
		"1;age\n-2;Intercept", "'m' != sex", "((((age"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := Parse(text)
		if err != nil {
			return
		}
		if n := read.nodes; n < 1 || n > MaxNodes {
			t.Fatalf("%q has %d nodes", text, n)
		}
		b, err := read.Bind(patients)
		if err != nil {
			return
		}
		again, _ := read.Bind(patients)
		for i, v := range b.Values() {
			if math.IsInf(v, 0) {
				t.Fatalf("%q: %v", text, v)
			}
			if w := again.Values()[i]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
				t.Fatalf("%q: %v and %v", text, v, w)
			}
		}
	})
}
