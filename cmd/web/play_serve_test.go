package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"taper/cmd/web/cache"
	"taper/internal/engine"
	"taper/internal/engine/arena"
	"taper/internal/store"
)

// What the presets claim: the opening state ten points at a fifth of the
// labels, other seeds as much on average, and the classic demonstration of
// papers 003 and 000 whatever the seed.
func TestPlaygroundPresetsHoldTheirClaims(t *testing.T) {
	p := newPlayground(nil)
	clean := func(m *playShown) float64 { return 100 * shareOf(m.verdict.Clean) }
	gain := 0.0
	for seed := range 10 {
		a := playAt(t, p, fmt.Sprintf("seed=%d", seed))
		gain += (clean(a.Models.B) - clean(a.Models.A)) / 10
		if a.bench.spoilt.Count != 60 || a.bench.spoilt.Trained != 300 || !strings.Contains(a.Sentence, "farthest from the border") {
			t.Errorf("seed %d: %d of %d flipped: %s", seed, a.bench.spoilt.Count, a.bench.spoilt.Trained, a.Sentence)
		}
		for _, link := range []string{classicAlpha, classicTempered} {
			_, query, _ := strings.Cut(link, "?")
			a := playAt(t, p, fmt.Sprintf("%s&seed=%d", query, seed))
			if x, y := clean(a.Models.A), clean(a.Models.B); x > 80 || y != 100 || a.bench.spoilt.Count != 60 {
				t.Errorf("%s, seed %d: A %.1f %%, B %.1f %%", link, seed, x, y)
			}
		}
	}
	if a := playAt(t, p, ""); clean(a.Models.B)-clean(a.Models.A) < 10 || gain < 10 || len(a.Problems) > 0 {
		t.Errorf("%s On average B is %.1f points better. %v", a.Sentence, gain, a.Problems)
	}
	if a := playAt(t, p, "data=long-servedio-2d"); !strings.Contains(strings.Join(a.Notes, " "), "2.95") {
		t.Errorf("notes %q", a.Notes)
	}
	for _, preset := range playPresets {
		_, query, _ := strings.Cut(preset.URL, "?")
		a := playAt(t, p, query)
		if drawn(t, a); len(a.Problems) > 0 {
			t.Errorf("%s: %v", preset.ID, a.Problems)
		}
		if a.URL != preset.URL {
			t.Errorf("%s: the address of %s is %s", preset.ID, preset.URL, a.URL)
		}
	}
}

// playTexts are states whose addresses must come back.
var playTexts = []string{
	"", "data=gmm&noise=class&rate=0.3&rate0=0.1&seed=9&n=1000", "data=blobs&a.method=al-cost&a.matrix=0,1,2/1,0,1/3,1,0",
	"data=own&pts=0,0,0;1,1.5,1;2,2,0;-1,3,1&ax=-1,2,-3,4", "a.method=boost&a.alpha=inf&a.rounds=20&a.depth=2&a.rule=line-search&a.step=3",
	"b.method=interval&b.pi=0.2,0.7&b.l2=0.01&b.solver=subgradient&brush=b:4", "a.method=hinge&a.kernel=poly&a.degree=2&a.gamma=0.5&present=1",
	"data=ordinal-stripes&a.method=all-threshold&a.base=logistic&test=0.25",
}

func TestPlaygroundAddressesComeBack(t *testing.T) {
	for _, text := range playTexts {
		q, _ := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
		st, bad := parsePlay(q)
		if len(bad) > 0 {
			t.Errorf("%s: %v", text, bad)
		}
		q, err := url.ParseQuery(strings.TrimPrefix(st.query(), "?"))
		if err != nil {
			t.Fatal(err)
		}
		again, bad := parsePlay(q)
		if len(bad) > 0 || !reflect.DeepEqual(st, again) {
			t.Errorf("%s: %s reads as another state: %v\n%+v\n%+v", text, st.query(), bad, st, again)
		}
	}
}

func TestPlaygroundNamesWhatItCannotUse(t *testing.T) {
	for text, field := range map[string]string{
		"data=nowhere": "data", "n=7": "n", "rate=0.9": "rate", "noise=loud": "noise", "a.method=zero-one": "a.method", "b.alpha=-1": "b.alpha",
		"b.method=interval&b.pi=0.5,0.4": "b.pi[1]", "data=own&pts=1,2": "pts", "ax=1,0,0,1": "ax", "brush=c:1": "brush", "seed=1.5": "seed", "a.l2=0": "a.l2",
	} {
		q, _ := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
		if _, bad := parsePlay(q); len(bad) != 1 || bad[0].Field != field {
			t.Errorf("%s: %+v, want the field %s", text, bad, field)
		}
	}
	p := newPlayground(nil)
	if a := playAt(t, p, "data=blobs&a.method=hinge"); len(a.Problems) != 1 || a.Problems[0].Field != "a.method" || !a.Models.A.ok() {
		t.Errorf("three classes and a hinge: %+v", a.Problems)
	}
	if a := playAt(t, p, "data=long-servedio&b.features=rbf"); len(a.Problems) != 1 || !a.Models.B.ok() {
		t.Errorf("RBF features of 21 columns: %+v", a.Problems)
	}
	q, _ := url.ParseQuery("data=own&pts=0,0,0%3B1,1,0%3B2,1,0%3B3,2,0%3B4,3,0")
	st, _ := parsePlay(q)
	if _, err := p.show(t.Context(), st, nil); err == nil || !strings.Contains(err.Error(), "class 1") {
		t.Errorf("points of one class: %v", err)
	}
}

// withoutTimes is an answer without what tells the time.
func withoutTimes(t *testing.T, a *playAnswer) string {
	t.Helper()
	plain, x, y := *a, *a.Models.A, *a.Models.B
	plain.MS, plain.Times, x.MS, y.MS = 0, playTable{}, 0, 0
	plain.Models = playPair{&x, &y}
	j, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(j)
}

func TestPlaygroundRepeatsToTheByte(t *testing.T) {
	for _, query := range []string{"", "data=blobs&b.features=rbf&b.l2=0.01", "a.method=boost&b.method=t-logistic&b.step=4", "data=long-servedio&b.method=hinge", "n=150&a.method=softmax&b.method=logistic&b.kernel=rbf"} {
		before := runtime.GOMAXPROCS(1)
		one := withoutTimes(t, playAt(t, newPlayground(nil), query))
		runtime.GOMAXPROCS(4)
		four := withoutTimes(t, playAt(t, newPlayground(nil), query))
		runtime.GOMAXPROCS(before)
		if one != four {
			t.Errorf("%q: another answer on four cores", query)
		}
	}
}

// A superseded request stops its solver: soon nothing runs any more.
func TestPlaygroundLatestWins(t *testing.T) {
	p := newPlayground(nil)
	q, _ := url.ParseQuery("data=ordinal-stripes&n=5000&a.method=al-cost&b.method=al-squared&a.features=rbf&b.features=rbf&a.l2=1e-7&b.l2=1e-7")
	st, _ := parsePlay(q)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := p.show(ctx, st, nil); done <- err }()
	for p.running.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	stop()
	start := time.Now()
	if err := <-done; err == nil {
		t.Error("a cancelled request was answered")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the solvers took %v to stop", took)
	}
	if n := p.running.Load(); n != 0 {
		t.Errorf("%d fits run on", n)
	}
}

// Ten drag at once: each request gives up the one before, and no more fits run
// than there are turns for.
func TestPlaygroundTenDraggers(t *testing.T) {
	p := newPlayground(nil)
	most, stopWatch := make(chan int64), make(chan struct{})
	go func() {
		seen := int64(0)
		for {
			select {
			case <-stopWatch:
				most <- seen
				return
			default:
				seen = max(seen, p.running.Load())
				runtime.Gosched()
			}
		}
	}()
	var wg sync.WaitGroup
	for user := range 10 {
		wg.Go(func() {
			cancel := context.CancelFunc(func() {})
			var last chan error
			for move := range 12 {
				cancel()
				var ctx context.Context
				ctx, cancel = context.WithCancel(t.Context())
				q, _ := url.ParseQuery(fmt.Sprintf("seed=%d&rate=%.3f&b.method=t-logistic", user+1, .1+float64(move)/100))
				st, _ := parsePlay(q)
				last = make(chan error, 1)
				go func(to chan error) { _, err := p.show(ctx, st, nil); to <- err }(last)
				time.Sleep(3 * time.Millisecond)
			}
			if err := <-last; err != nil {
				t.Errorf("user %d: %v", user, err)
			}
			cancel()
		})
	}
	wg.Wait()
	close(stopWatch)
	if n := <-most; n > int64(2*cap(p.turns)) {
		t.Errorf("%d fits ran at once for %d turns", n, cap(p.turns))
	}
	for end := time.Now().Add(10 * time.Second); p.running.Load() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if n := p.running.Load(); n != 0 {
		t.Errorf("%d fits run on", n)
	}
}

// Dragging for long keeps no more than the caches may.
func TestPlaygroundMemoryStaysFlat(t *testing.T) {
	p := newPlayground(nil)
	for move := range 150 {
		playAt(t, p, fmt.Sprintf("n=400&rate=%.4f&a.features=rbf&b.features=rbf", .05+float64(move)/1000))
	}
	if p.fits.Bytes() > fitBytes || p.fits.Len() > cache.Most || p.benches.Len() > cache.Most || p.samples.Len() != 1 {
		t.Errorf("%d fits of %d bytes, %d benches, %d samples", p.fits.Len(), p.fits.Bytes(), p.benches.Len(), p.samples.Len())
	}
}

// The way back through a fit: the frames of convex multiplicative programming
// alternate, no ξ-step raises the objective, and an earlier round of trees
// answers as its trees alone do.
func TestPlaygroundScrubber(t *testing.T) {
	p := newPlayground(nil)
	a := playAt(t, p, "data=long-servedio&n=300&b.method=t-logistic&b.solver=cmp&a.method=boost&a.step=2")
	m := a.Models.B
	for k, kind := range m.Steps.Kinds {
		if want := map[bool]string{true: arena.FrameXi, false: arena.FrameTheta}[k%2 == 0]; kind != want {
			t.Fatalf("frame %d is a %s-step, want %s: %s", k, kind, want, m.Steps.Labels[k])
		}
		if k > 0 && m.Steps.Objective[k] > m.Steps.Objective[k-1]*(1+1e-9) {
			t.Errorf("frame %d: the objective rises from %v to %v", k, m.Steps.Objective[k-1], m.Steps.Objective[k])
		}
	}
	if a.Models.A.Steps.At != 2 || len(a.Models.A.model.Fitted.Trees.Trees) != 2 {
		t.Errorf("frame %d shows %d trees", a.Models.A.Steps.At, len(a.Models.A.model.Fitted.Trees.Trees))
	}
	first := playAt(t, p, "data=long-servedio&n=300&b.method=t-logistic&b.solver=cmp&b.step=0&a.method=softmax&a.step=1")
	if string(first.Models.B.Surface.Levels) == string(m.Surface.Levels) {
		t.Error("the first frame looks like the last")
	}
	if begun := p.fitted.Load(); begun != 3 {
		t.Errorf("%d fits begun for three models", begun)
	}
	softmax := first.Models.A
	if n := softmax.model.Potential.Iterations; n != 2 {
		t.Errorf("frame 1 of softmax is iteration %d", n)
	}
}

// A level of the surface is what the model says at that node.
func TestPlaygroundSurfaceIsTheModel(t *testing.T) {
	p := newPlayground(nil)
	for _, query := range []string{"data=gmm&a.features=rbf&b.method=boost", "data=long-servedio&cx=x3&cy=x20", "n=120&a.kernel=rbf&b.kernel=rbf&b.gamma=2&cx=x2&b.method=squared-hinge",
		"data=blobs&n=120&a.kernel=rbf&a.gamma=1&a.l2=0.01", "data=blobs&n=120&a.method=al-abstain&a.l2=0.1", "data=ordinal-stripes&n=120&a.method=all-threshold&b.kernel=rbf&b.l2=0.01", "data=kimes-1.3&a.method=interval&b.method=interval&b.kernel=poly"} {
		a := playAt(t, p, query)
		for _, m := range a.Models.both() {
			if !m.ok() {
				t.Fatalf("%s: %s: %s", query, m.Title, m.Error)
			}
			for _, node := range [][2]int{{0, 0}, {99, 0}, {37, 81}, {99, 99}} {
				x := a.Axes.X.Min + float64(node[0])/99*(a.Axes.X.Max-a.Axes.X.Min)
				y := a.Axes.Y.Min + float64(node[1])/99*(a.Axes.Y.Max-a.Axes.Y.Min)
				ask, level := arena.Ask(m.fit, m.model, a.bench.view, x, y), int(m.Surface.Levels[node[1]*100+node[0]])
				want := float64((ask.Class + 256) % 256)
				switch m.Surface.Kind {
				case arena.KindProbability:
					want = 100 * ask.Probability[1]
				case arena.KindBands:
					want = float64(ask.Band)
				}
				if d := float64(level) - want; d > .5+1e-6 || d < -.5-1e-6 {
					t.Errorf("%s, %s at %v: level %d, want %v: %+v", query, m.Title, node, level, want, ask)
				}
			}
		}
	}
}

// Saved models are runs on the same points with the same noise.
func TestPlaygroundSaves(t *testing.T) {
	s, _ := testServer(t, config{})
	save := func(query, which string) []engine.Spec {
		t.Helper()
		w := ask(s, "POST", "/playground/save", strings.ReplaceAll(query, ";", "%3B")+"&which="+which, "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		runs, _, err := s.db.Runs(t.Context(), store.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var specs []engine.Spec
		for _, r := range runs {
			full := finished(t, s, r.ID)
			specs = append(specs, full.Spec)
		}
		return specs
	}
	if got := save("data=gmm&n=200&noise=random&rate=0.2&seed=5&b.method=tempered", "both"); len(got) != 2 {
		t.Fatalf("%d runs", len(got))
	}
	runs, _, err := s.db.Runs(t.Context(), store.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	a := playAt(t, s.play, "data=gmm&n=200&noise=random&rate=0.2&seed=5&b.method=tempered")
	r := finished(t, s, runs[0].ID)
	if r.Spec.Noise.Rate != .2 || r.Spec.Seed != 5 || r.Result.Flow.Flipped != 40 {
		t.Errorf("spec %+v", r.Spec)
	}
	flipped := 0
	rows, err := s.db.RunRows(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Flipped != a.bench.spoilt.Spoilt[row.Row] {
			t.Fatalf("row %d: flipped in the run %v, in the playground %v", row.Row, row.Flipped, !row.Flipped)
		}
		if row.Flipped {
			flipped++
		}
	}
	if flipped != 40 {
		t.Errorf("%d rows flipped", flipped)
	}
	for _, query := range []string{
		"data=own&pts=0,0,0;1,1,1;2,2,1;3,1,0;0,2,0;1,3,1;2,1,0;3,3,1;4,4,1;5,1,0;1,5,1;2,4,1;0,1,0;5,0,0;4,1,0", "data=moons&n=150&a.features=quadratic", "data=moons&n=150&a.features=rbf",
		"data=long-servedio-2d&n=200", "data=kimes-1.2&n=200&a.method=interval", "data=blobs&n=150&noise=random", "data=moons&n=120&a.kernel=rbf&a.method=hinge&a.gamma=1&noise=random",
	} {
		save(query, "a")
	}
	w := ask(s, "POST", "/playground/save", "data=moons&a.l2=no&which=a", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "a.l2") {
		t.Errorf("a state with problems: %d %s", w.Code, w.Body)
	}
}

// Rows of a dataset: two columns, all predictors with the others at their
// median, and an outcome of many classes.
func TestPlaygroundDatasets(t *testing.T) {
	s, _ := testServer(t, config{})
	d := heart(t, s)
	two := playAt(t, s.play, "data=dataset:"+d.ID+"&noise=random")
	drawn(t, two)
	c, err := s.play.columnsOf(t.Context(), playState{Data: playDataset + d.ID})
	if err != nil || len(c.Numeric) < 2 || c.Outcome != d.Choice.Outcome || two.Axes.X.Name != c.Numeric[0] || two.Axes.Y.Name != c.Numeric[1] {
		t.Errorf("axes %s and %s of %+v: %v", two.Axes.X.Name, two.Axes.Y.Name, c, err)
	}
	if two.Axes.Note != "" || !strings.Contains(two.Sentence, "held-out clean points") {
		t.Errorf("%s %s", two.Axes.Note, two.Sentence)
	}
	other := playAt(t, s.play, "data=dataset:"+d.ID+"&noise=random&cx="+c.Numeric[1]+"&cy="+c.Numeric[0]+"&b.features=rbf")
	if drawn(t, other); other.Axes.X.Name != c.Numeric[1] {
		t.Errorf("across stands %s", other.Axes.X.Name)
	}
	all := playAt(t, s.play, "data=dataset:"+d.ID+"&use=all&noise=symmetric&a.method=boost")
	if drawn(t, all); !strings.Contains(all.Axes.Note, "median") || all.bench.sample.X.Cols <= 2 {
		t.Errorf("%d columns: %q", all.bench.sample.X.Cols, all.Axes.Note)
	}
	for query, want := range map[string]string{"&cx=nonesuch": "numeric predictor", "&outcome=nonesuch": "outcome"} {
		q, _ := url.ParseQuery("data=dataset:" + d.ID + query)
		st, _ := parsePlay(q)
		if _, err := s.play.show(t.Context(), st, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
	w := ask(s, "POST", "/playground/save", "data=dataset:"+d.ID+"&noise=random&which=b", "Content-Type: application/x-www-form-urlencoded", "Origin: http://127.0.0.1:8080")
	r := finished(t, s, strings.TrimPrefix(w.Header().Get("Location"), "/runs/"))
	if r.Spec.Dataset != d.ID || len(r.Spec.Predictors) != 2 || r.Spec.Validation.Test != .3 {
		t.Errorf("spec %+v", r.Spec)
	}
}
