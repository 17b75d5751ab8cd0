package playground

import (
	"maps"
	"net/url"
	"slices"

	"taper/internal/engine/playground"
	"taper/internal/web/form"
)

// sharedKeys are the keys that stand for both models, or with a prefix for one.
var sharedKeys = []string{"l2", "kernel", "features", "gamma", "degree"}

// settled turns what a form or an older address asks into the keys of a state. A form that
// changes between shared and own settings still has the controls of the other kind: their
// values are kept. An address without the key is read as it was when every model had its own
// settings, as long as it names one of them or the usual penalties differ.
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
		if q.Get("settings") != "" { // a change of the form, not an address
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

// usualL2 is the penalty that most methods for a source of points open with.
func (st state) usualL2() string {
	if kindOf(st.Data) == binary {
		return "0.0001"
	}
	return "0.001"
}

// penaltiesDiffer reports whether a method opens with another penalty than is usual
// for these points, so that one for both changes what it shows.
func (st state) penaltiesDiffer() bool {
	return slices.ContainsFunc(st.Models[:], func(m model) bool {
		h, ok := findMethod(m.Method) // none is read yet where a field above the models asks
		return ok && h.Group != groupTrees && h.l2() != st.usualL2()
	})
}

// share gives both models the settings they have in common.
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

// kernelOf is the common kernel where a method fits with one.
func (s settings) kernelOf(how offer) string {
	if !how.Kernel {
		return noKernel
	}
	return s.Kernel
}

// Field settles what depends on the kernel.
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
