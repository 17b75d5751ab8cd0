package playground

import (
	"maps"
	"net/url"
	"slices"

	"taper/internal/engine/playground"
	"taper/internal/web/form"
)

// sharedKeys are the keys that apply to both models, or with a prefix to one.
var sharedKeys = []string{"l2", "kernel", "features", "gamma", "degree"}

// settled converts the query of a form or of an older address to the keys of a state. When a form changes between
// shared and separate settings, it still has the controls of the other kind, whose values are kept. Older addresses
// have no key "settings": they mean separate settings if they name one, or if the default penalties differ.
func settled(q url.Values) url.Values {
	q = maps.Clone(form.Fractions(q))
	given := func(prefix string) bool {
		return slices.ContainsFunc(sharedKeys, func(key string) bool { return q.Get(prefix+key) != "" })
	}
	copied := func(from, to string) {
		for _, key := range sharedKeys {
			if v := q.Get(from + key); v != "" && q.Get(to+key) == "" {
				q.Set(to+key, v)
			}
		}
	}
	if q.Get("settings") == "" && !given("") {
		own := given(slots[0]) || given(slots[1])
		if st := (state{}); !own {
			form.Parse(&st, q)
			own = st.penaltiesDiffer()
		}
		if own {
			q.Set("settings", ownSettings)
		}
	}
	if q.Get("settings") == ownSettings {
		copied("", slots[0])
		copied("", slots[1])
		drop(q, "")
	} else {
		if q.Get("settings") != "" { // the form was changed, it is not an address
			copied(slots[0], "")
			copied(slots[1], "")
		}
		drop(q, slots[0])
		drop(q, slots[1])
	}
	return q
}

func drop(q url.Values, prefix string) {
	for _, key := range sharedKeys {
		q.Del(prefix + key)
	}
}

// usualL2 is the default penalty of most methods for a source of points.
func (st state) usualL2() string {
	if kindOf(st.Data) == binary {
		return "0.0001"
	}
	return "0.001"
}

// penaltiesDiffer reports whether a method has another default penalty than usual for these points, so that a
// shared penalty would change its fit.
func (st state) penaltiesDiffer() bool {
	return slices.ContainsFunc(st.Models[:], func(m model) bool {
		h, ok := findMethod(m.Method) // the models may not be parsed yet when an earlier field calls this
		return ok && h.Group != groupTrees && h.l2() != st.usualL2()
	})
}

// share gives both models the shared settings.
func (st *state) share() {
	if st.Settings == ownSettings {
		return
	}
	for k := range st.Models {
		m, s := &st.Models[k], st.Shared
		how := mustMethod(m.Method)
		m.Kernel, m.Features = s.kernelOf(how), playground.Linear
		if s.Kernel == noKernel {
			m.Features = s.Features
		}
		if how.Group != groupTrees {
			m.L2 = s.L2
		}
		m.Gamma, m.Degree = s.Gamma, 0
		if m.Kernel == "poly" {
			m.Degree = s.Degree
		}
	}
}

// kernelOf is the shared kernel, if the method can use one.
func (s settings) kernelOf(how offer) string {
	if !how.Kernel {
		return noKernel
	}
	return s.Kernel
}

// Field sets what depends on the kernel.
func (s *settings) Field(f *form.Field) {
	switch f.Key {
	case "features":
		f.Absent, f.Options = s.Kernel != noKernel, playground.FeatureKinds
	case "degree":
		if f.Absent = s.Kernel != "poly"; !f.Absent {
			f.Default = []string{"3"}
		}
	}
}
