package studyform

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// TestModelLines: writing and parsing a model are inverse, and the models of the roster and of presets are valid.
func TestModelLines(t *testing.T) {
	for _, line := range append([]string{"kernel hinge kernel=rbf gamma=0.5 l2=0.01", "kernel logistic kernel=poly degree=2 l2=cv", "boost alpha alpha=2 rounds=50 depth=3 rule=line-search", "linear al-ordinal features=th l2=cv-1se", "linear interval pi=0.25,0.5 l2=0.01"}, Roster...) {
		m, err := ReadModel(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if again, err := ReadModel(ModelLine(m)); err != nil || !cmp.Equal(again, m) {
			t.Errorf("%s is written %q: %v", line, ModelLine(m), err)
		}
	}
	for _, line := range []string{"", "linear", "linear alpha alpha", "linear alpha alpha=x", "linear alpha l2=much", "boost alpha rounds=1.5", "linear alpha =3", strings.Repeat("x ", 300)} {
		if _, err := ReadModel(line); err == nil {
			t.Errorf("%q is a model", line)
		}
	}
	grids := 0
	for _, p := range paper.Presets {
		if g, _, err := (Start{Grid: p.ID}).Spec(); err == nil {
			grids++
			if g.Dataset.IsZero() {
				g.Dataset, g.Outcome = study.Source{ID: "theirs"}, "y"
			}
			if err := g.Validate(nil); err != nil {
				t.Errorf("grid of %s: %v", p.ID, err)
			}
			for _, m := range g.Models {
				again, err := ReadModel(ModelLine(m))
				if err != nil || study.Label(again.WithDefaults("")) != study.Label(m) {
					t.Errorf("%s: %s is written %q: %v", p.ID, study.Label(m), ModelLine(m), err)
				}
			}
		}
	}
	if grids < 5 {
		t.Errorf("%d presets can be changed", grids)
	}
}

// FuzzReadModel: a parsed line is written as a line that parses to the same model.
func FuzzReadModel(f *testing.F) {
	for _, line := range append([]string{"kernel hinge kernel=rbf gamma=0.5 l2=0.01", "kernel logistic kernel=poly degree=2 l2=cv", "linear interval pi=0.25,0.5 l2=0.01", "boost alpha rounds=1.5", "linear alpha =3"}, Roster[:3]...) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, err := ReadModel(line)
		if err != nil {
			return
		}
		written := ModelLine(m)
		again, err := ReadModel(written)
		if len(written) <= maxLine && (err != nil || ModelLine(again) != written) {
			t.Errorf("%q is written %q, that %q: %v", line, written, ModelLine(again), err)
		}
	})
}

// TestZeros: an entered zero is refused and never taken as the default; per cent fields read per cent.
func TestZeros(t *testing.T) {
	sent := func(key, text string) url.Values {
		f := url.Values{"data": {"g:moons"}, "model": {"linear logistic"}, "rates": {"0 30 12,5% 0.3"}, "noise": {"symmetric"}}
		f.Set(key, text)
		return f
	}
	for key, text := range map[string]string{"replicates": "0", "test": "0"} {
		_, err := Read(sent(key, text))
		if e, ok := usererr.As(err); !ok || len(e.Fields) != 1 || e.Fields[0].Field != key {
			t.Errorf("%s=%s: %v", key, text, err)
		}
	}
	s, err := Read(sent("test", "30 %"))
	if err != nil || s.Test != .3 || !slices.Equal(s.Noise.Rates, []float64{0, .3, .125, .003}) {
		t.Errorf("test %v, rates %v, %v", s.Test, s.Noise.Rates, err)
	}
}

// TestStateNames: all invalid values are reported at once, each at its key; missing keys take their defaults.
func TestStateNames(t *testing.T) {
	for text, want := range map[string]string{
		"rows=3":             `rows must be a whole number from 10 to 1000000, not ‘3’`,
		"rows=1,000&seed=1'": `seed must be a whole number, not ‘1'’`,
		"replicates=0":       `replicates must be a whole number from 1 to 1000, not ‘0’`,
		"test=140":           "test must be from 0 to 100 %, not 140 %",
		"rates=0+x":          `rates must be numbers from 0 to 100 (got ‘x’)`,
		"params=k":           `params must be name=number, with spaces between (got ‘k’)`,
		"more=linear%0Aboost+alpha+rounds=1.5": `model must be a kind and a loss with name=value after them (got ‘linear’) ` +
			`model has rounds = ‘1.5’, which is no whole number`,
	} {
		q, _ := url.ParseQuery("data=g:gmm&model=linear+logistic&" + text)
		_, err := Read(q)
		e, _ := usererr.As(err)
		var got []string
		if e != nil {
			for _, f := range e.Fields {
				got = append(got, strings.ReplaceAll(f.Field+" "+f.Message, "\u00a0", " "))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	s, err := Read(url.Values{"data": {"g:gmm"}, "rows": {"1 000"}, "model": {"linear logistic"}})
	if err != nil || s.Dataset.Rows != 1000 || s.Replicates != 20 || s.Test != .5 || s.Seed != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzRead: for every form, shares are between 0 and 1, no model comes without its error, and the form written from
// the result parses back to it.
func FuzzRead(f *testing.F) {
	for _, q := range []string{"data=g:gmm&rows=1 000&model=linear+alpha+alpha=4+l2=0.0001&rates=0+12,5;25&test=30", "preset=sypherd-fig3&size=smoke&seed=2", "data=d:x&more=kernel+hinge+kernel=rbf+gamma=0.5%0Aboost+alpha+alpha=2+rounds=50&noise=class&rates=10", "params=k=3+sd=0.5&model=linear+interval+pi=0.25,0.5+l2=cv"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		spec, err := Read(q)
		for _, r := range append(slices.Clone(spec.Noise.Rates), spec.Test) {
			if !(r >= 0 && r <= 1) {
				t.Errorf("%q: a share of %v", text, r)
			}
		}
		if err == nil && spec.Preset == "" && len(spec.Models) == 0 {
			t.Errorf("%q: no model", text)
		}
		written := form.Values(&State{Spec: spec})
		again, err := Read(written)
		if now := form.Values(&State{Spec: again}); err == nil && !cmp.Equal(now, written) {
			t.Errorf("%q is written %v, that %v", text, written, now)
		}
	})
}

// TestBoundariesInPerCent: boundaries of the interval loss are entered in per cent.
func TestBoundariesInPerCent(t *testing.T) {
	s, err := Read(url.Values{"data": {"g:gmm"}, "model": {"linear logistic"}, "metric": {"interval_loss"},
		"boundaries": {"25 50; 75 %"}})
	if err != nil || s.Metric != "interval_loss" || !slices.Equal(s.Boundaries, []float64{.25, .5, .75}) {
		t.Errorf("%+v, %v", s, err)
	}
	if f := Grid(s, nil); f.Boundaries != "25 50 75" {
		t.Errorf("the form shows %q", f.Boundaries)
	}
}

// TestModelGroups: each model of the roster is in the group of its kind, once.
func TestModelGroups(t *testing.T) {
	g := Grid(study.Spec{}, nil)
	got := map[string]int{}
	for _, c := range g.Models {
		got[c.Label] = len(c.Options)
		for _, o := range c.Options {
			if strings.Contains(o.Label, " = ") {
				t.Errorf("%q may break between a parameter and its value", o.Label)
			}
		}
	}
	if want := map[string]int{"Convex losses": 2, "Robust losses": 6, "Boosted trees": 3}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for line, want := range map[string]string{"linear probit": "Robust losses", "kernel hinge gamma=0.5": "Kernel models",
		"linear al-zero-one": "Other losses", "linear interval": "Convex losses"} {
		m, err := ReadModel(line)
		if title := modelGroup(m); err != nil || title != want {
			t.Errorf("%s stands under %q: %v", line, title, err)
		}
	}
}
