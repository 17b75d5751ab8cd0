package playground

import (
	"maps"
	"net/url"
	"runtime"
	"testing"

	"taper/internal/engine/playground"
)

// TestProbe: a prediction at a point comes from the cached fits, equals that of the page's models, and computes no
// figures.
func TestProbe(t *testing.T) {
	p := New(Config{})
	for _, query := range []string{"data=moons", "data=gmm&b.method=interval&step=3", "data=blobs&b.method=al-abstain&b.alpha=0.3", "data=ordinal-stripes&a.method=all-threshold"} {
		a := at(t, p, query)
		q, _ := url.ParseQuery(query + "&x=0.25&y=-0.5")
		fitted := p.fitted.Load()
		var got map[string]string
		var err error
		probe, show := allocated(func() { got, err = p.Probe(t.Context(), q) }), allocated(func() { at(t, p, query) })
		if err != nil {
			t.Fatal(err)
		}
		if probe > show/2 {
			t.Errorf("%s: a place takes %d bytes, all that is shown %d", query, probe, show)
		}
		if p.fitted.Load() != fitted {
			t.Errorf("%s: a place takes a fit", query)
		}
		want := map[string]string{}
		for k, m := range a.Models.models() {
			want[slots[k][:1]] = m.probeSentence(playground.Ask(m.fit, m.model, a.bench.view, .25, -.5))
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

// allocated is the memory that a call allocates, freed or not.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
