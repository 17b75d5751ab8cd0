package playground

import (
	"slices"

	"taper/internal/engine/loss"
)

// offer is a method with what the playground offers for it.
type offer struct {
	ID, Title string
	Group     string       // heading in the list
	Kinds     []kind       // kinds of points it can classify
	Family    loss.Family  // of boost: the α-loss
	Params    []loss.Param // parameters with a control
	Kernel    bool         // a kernel is possible
	Solvers   []string     // auto and the alternatives
}

// Groups of methods.
const (
	groupTwo      = "Two classes"
	groupBands    = "Risk bands"
	groupTrees    = "Trees"
	groupSeveral  = "Multiclass"
	groupOrdered  = "Ordered classes"
	groupAbstains = "With abstention"
)

var everyKind = []kind{binary, multi, ordinal}

// methods are the methods that the playground trains: every loss except the zero-one loss, and boosted trees.
var methods = offers()

func offers() []offer {
	var all []offer
	for _, f := range loss.Families {
		if f.Untrained {
			continue
		}
		h := offer{ID: f.ID, Title: f.Title, Family: f, Kinds: everyKind, Kernel: true,
			Solvers: []string{"auto"}}
		for _, p := range f.Params {
			if p.Name != "pi" {
				h.Params = append(h.Params, p)
			}
		}
		h.place()
		all = append(all, h)
	}
	all = append(all, boosted())
	order := []string{groupTwo, groupBands, groupTrees, groupSeveral, groupOrdered, groupAbstains}
	slices.SortStableFunc(all, func(a, b offer) int { return slices.Index(order, a.Group) - slices.Index(order, b.Group) })
	return all
}

// place sets the group, the kinds of points and the solvers of a method.
func (h *offer) place() {
	switch f := h.Family; {
	case f.Kind == loss.KindInterval:
		h.Group, h.Kinds = groupBands, []kind{binary}
	case f.Margin != nil:
		h.Group, h.Kinds = groupTwo, []kind{binary}
		_, ramp := f.Margin(f.Defaults()).(loss.Ramp)
		h.Kernel = !f.Prior && !ramp // a prior refers to single columns; the dual has no smooth form of the ramp loss
	case f.Ordered:
		h.Group = groupOrdered
	case f.Abstains:
		h.Group = groupAbstains
	default:
		h.Group = groupSeveral
	}
	if s := h.Family.PaperSolver; s != "" {
		h.Solvers = append(h.Solvers, s)
	}
}

func boosted() offer {
	f, _ := loss.FamilyByID("alpha")
	return offer{ID: "boost", Title: "AdaBoost.α, trees", Group: groupTrees, Kinds: []kind{binary}, Family: f,
		Params: f.Params, Solvers: []string{"auto"}}
}

func findMethod(id string) (offer, bool) {
	i := slices.IndexFunc(methods, func(h offer) bool { return h.ID == id })
	if i < 0 {
		return offer{}, false
	}
	return methods[i], true
}

// mustMethod is the method of a valid id.
func mustMethod(id string) offer {
	h, ok := findMethod(id)
	if !ok {
		panic("web: no method " + id)
	}
	return h
}

func methodIDs() []string {
	var ids []string
	for _, h := range methods {
		ids = append(ids, h.ID)
	}
	return ids
}

// l2 is the default penalty of a method.
func (h offer) l2() string {
	switch {
	case h.Family.Prior:
		return "0.5"
	case h.Group == groupTwo, h.Group == groupBands, h.Group == groupTrees:
		return "0.0001"
	}
	return "0.001"
}

// banded reports whether a method is trained for boundaries.
func (h offer) banded() bool { return h.Family.Kind == loss.KindInterval }

// parts reports whether a method can classify points of a kind.
func (h offer) parts(k kind) bool { return slices.Contains(h.Kinds, k) }

// solvers are those that can fit with a kernel, or without.
func (h offer) solvers(kernel string) []string {
	return slices.DeleteFunc(slices.Clone(h.Solvers), func(id string) bool {
		return id == "subgradient" && kernel != noKernel
	})
}
