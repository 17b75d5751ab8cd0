package loss

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/losses.md again")

const docs = "../../../docs/losses.md"

// TestDocs: docs/losses.md is what the list says.
func TestDocs(t *testing.T) {
	want := losses()
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/losses.md is older than the list of losses: run go test ./internal/engine/loss -run Docs -update")
	}
}

const preface = `# The losses

This page is generated from the list of losses in
[families.go](../internal/engine/loss/families.go).
The column errata lists the entries of [errata.md](errata.md) that changed the code;
[math.md](math.md) describes the numerics. For each parameter the table gives the accepted
range, then the default. Labels count from 0, y = ±1 where there are two, z = y·f is the margin.

All losses except zero-one can be trained, with linear scores or kernels: binary losses by runs
of the tasks interval and binary, multiclass losses by the tasks that list them
([task.go](../internal/engine/task/task.go)), all of them in the playground and in studies.
t-logistic regression has no kernel score, because its prior applies to single columns. Trees
are boosted with the α-loss only. Piecewise linear convex losses are fitted to a certified
duality gap; losses that are not convex are fitted from several starting points.

The link from score to class probability depends on the loss. The α-loss recovers σ(z/α), the
two-temperature loss p^t1 normalised, DWD, exponential and squared hinge loss
φ′(−z)/(φ′(z)+φ′(−z)). The hinge, ramp, 1 − erf and the interval surrogate recover no probability.

`

var kindTitles = []struct {
	kind  Kind
	title string
	about string
}{
	{KindMargin, "Two classes: functions of the margin", "Each has a value and a slope, most a second derivative. The " +
		"program states for each whether it is convex, its bound, and the margin below which its gradient redescends."},
	{KindInterval, "Two classes: risk bands", "One function per class, made of tangents of the logistic loss at the " +
		"boundaries: first φ⁺, then φ⁻. The cut-offs are δ_k = logit π_k."},
	{KindPotential, "Multiclass: functions of k potentials", "Adversarial losses are values of games. They also give " +
		"the adversary's mixture q*, with the subgradient q* − e_y, and the predictor's mixture p*. w is the parameter weight."},
	{KindThreshold, "Ordered classes: a score and thresholds", "φ is a margin loss without parameters: hinge, " +
		"squared-hinge, exponential, logistic, probit or dwd."},
}

func losses() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, k := range kindTitles {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n| id | loss | formula | parameters | source | errata | good for "+
			"|\n|---|---|---|---|---|---|---|\n", k.title, k.about)
		for _, f := range Families {
			if f.Kind == k.kind {
				fmt.Fprintf(&b, "| `%s` | %s | $%s$ | %s | %s | %s | %s "+
					"|\n", f.ID, f.Title, strings.ReplaceAll(f.Formula, "|", `\vert `),
					parameters(f), f.Source, strings.Join(f.Errata, ", "), f.Use)
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func parameters(f Family) string {
	var out []string
	for _, p := range f.Params {
		s := fmt.Sprintf("`%s` ", p.Name)
		switch p.Type {
		case Number:
			s += fmt.Sprintf("%s; %s", p.bounds(), plain(p.Default.Number))
		case List:
			s += fmt.Sprintf("1 to %d probabilities, ascending; %v", MaxBoundaries, p.Default.List)
		case Matrix:
			s += fmt.Sprintf("2 to %d rows and columns; %v", MaxSide, p.Default.Matrix)
		case ID:
			s += p.Default.ID
		}
		out = append(out, s+": "+p.Description)
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, " · ")
}

// TestAddALoss: the example of docs/add-a-loss.md is the one that the tests
// run.
func TestAddALoss(t *testing.T) {
	code, err := os.ReadFile("savage_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/add-a-loss.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```go\n"+string(code)+"```") {
		t.Error("docs/add-a-loss.md shows other code than savage_test.go")
	}
}
