package playground

import (
	"net/url"
	"strings"
	"testing"
)

// Shared settings apply to both models; a model that cannot use the kernel says so.
func TestSharedSettings(t *testing.T) {
	p := New(Config{})
	a := at(t, p, "data=moons&n=150&b.method=tempered&l2=0.01&features=quadratic")
	for k, m := range a.st.Models {
		if m.L2 != .01 || m.Features != "quadratic" {
			t.Errorf("model %d has λ %v and %s features", k, m.L2, m.Features)
		}
	}
	if a.URL != "/playground?n=150&l2=0.01&features=quadratic&b.method=tempered" {
		t.Errorf("the address is %s", a.URL)
	}
	a = at(t, p, "data=moons&n=150&settings=shared&kernel=rbf&a.method=hinge&b.method=t-logistic&l2=0.01")
	if a.st.Models[0].Kernel != "rbf" || a.st.Models[1].Kernel != noKernel || a.st.Models[1].L2 != .01 || !a.Models.B.ok() {
		t.Errorf("a hinge and t-logistic share a kernel: %+v", a.st.Models)
	}
	page := pageAt(t, p, "data=moons&n=150&settings=shared&kernel=rbf&a.method=hinge&b.method=t-logistic")
	if strings.Count(page, "t-logistic fits without a kernel") != 1 || strings.Contains(page, "Hinge fits without") {
		t.Error("the page does not say which model fits without the kernel")
	}
	if strings.Count(page, `name="l2"`) != 1 || strings.Contains(page, `name="a.l2"`) || strings.Contains(page, `name="b.kernel"`) {
		t.Error("the page has another number of penalties than one")
	}
	page = pageAt(t, p, "n=150&settings=own")
	if strings.Contains(page, `name="l2"`) || !strings.Contains(page, `name="a.l2"`) || !strings.Contains(page, `name="b.kernel"`) {
		t.Error("with settings of their own the models have no penalty each")
	}
	a = at(t, p, "n=150&kernel=rbf&b.method=interval&b.solver=subgradient")
	if len(a.Problems) != 1 || a.Problems[0].Field != "b.solver" {
		t.Errorf("the common kernel and the subgradient solver: %+v", a.Problems)
	}
}

// Addresses without the key "settings" keep the meaning they had when every model had its own settings.
func TestOlderAddressesKeepTheirSettings(t *testing.T) {
	for query, want := range map[string][2]float64{
		"b.l2=0.01": {1e-4, .01}, "a.l2=0.1&b.l2=0.1": {.1, .1}, "b.method=t-logistic": {1e-4, .5}, "b.method=al-abstain": {1e-4, 1e-3},
		"": {1e-4, 1e-4}, "data=blobs": {1e-3, 1e-3}, "a.method=boost&b.method=hinge&b.l2=0.001": {1e-4, .001},
	} {
		q, _ := url.ParseQuery(query)
		st, bad := parse(q)
		if len(bad) > 0 || st.Models[0].L2 != want[0] || st.Models[1].L2 != want[1] {
			t.Errorf("%q: λ %v and %v, want %v; %v", query, st.Models[0].L2, st.Models[1].L2, want, bad)
		}
	}
}

// Separate settings start with the shared values, and shared settings with those of model A.
func TestSettingsAreKeptOverTheChange(t *testing.T) {
	own, _ := parse(url.Values{"settings": {"own"}, "l2": {"0.01"}, "features": {"rbf"}, "gamma": {"2"}})
	for k, m := range own.Models {
		if m.L2 != .01 || m.Features != "rbf" || m.Gamma != 2 {
			t.Errorf("own settings of model %d: %+v", k, m)
		}
	}
	shared, _ := parse(url.Values{"settings": {"shared"}, "a.l2": {"0.1"}, "b.l2": {"0.01"}, "b.features": {"quadratic"}})
	if shared.Shared.L2 != .1 || shared.Models[1].L2 != .1 || shared.Models[0].Features != "quadratic" {
		t.Errorf("shared settings: %+v", shared)
	}
	trees, _ := parse(url.Values{"settings": {"shared"}, "a.method": {"boost"}, "b.l2": {"0.01"}})
	if trees.Shared.L2 != .01 {
		t.Errorf("trees have no penalty, and B's was %v", trees.Shared.L2)
	}
}
