package multiclass

import (
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// problem is a validated training set with its loss.
type problem struct {
	spec   Spec
	x      linear.Matrix
	y      []int
	v      []float64 // weight of each row; they sum to 1
	l2     float64
	head   head
	loss   loss.Potential // smooth losses
	flat   polyhedral     // polyhedral ones; exactly one of the two is set
	kernel *Kernel
}

// newProblem panics on wrong shapes and returns a user error for invalid values.
func newProblem(x linear.Matrix, y []int, weights []float64, s Spec) (*problem, error) {
	if len(x.Data) != x.Rows*x.Cols || len(y) != x.Rows || weights != nil && len(weights) != x.Rows {
		panic("multiclass: shape mismatch")
	}
	if s.Params == nil {
		s.Params = s.Family.Defaults()
	}
	p := &problem{spec: s, x: x, y: y, l2: s.L2}
	for _, check := range []func() error{p.checkSpec, p.setLoss, p.checkCells, func() error {
		return p.setWeights(weights)
	}} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if s.Kernel == nil {
		return p, nil
	}
	k, err := s.Kernel.ready(x.Cols)
	if err == nil {
		err = k.bounded(x)
	}
	p.kernel = &k
	return p, err
}

func (p *problem) checkSpec() error {
	s := p.spec
	if p.x.Cols == 0 {
		return usererr.New(usererr.Invalid, "The design has no column. Choose at least one feature that varies.")
	}
	if !(s.L2 > 0) || math.IsInf(s.L2, 1) {
		return usererr.BadField("lambda", "must be a positive number (got %v); the penalty keeps the weights finite", s.L2)
	}
	if s.Classes < 2 || s.Classes > MaxClasses {
		return usererr.BadField("classes", "must be at least 2 and at most %d (got %d)", MaxClasses, s.Classes)
	}
	if err := checkColumns(s.Family, s.Params, s.Classes); err != nil {
		return err
	}
	switch s.Features {
	case "", PerClass:
	case Thresholds:
		if s.Family.Kind != loss.KindPotential || s.Family.SumZero {
			return usererr.BadField("features", "%q is a form of losses of potentials; %s has a form of its own", Thresholds,
				s.Family.ID)
		}
	default:
		return usererr.BadField("features", "must be %q or %q (got %q)", PerClass, Thresholds, s.Features)
	}
	return nil
}

// MaxClasses is the largest number of classes.
const MaxClasses = 200

// checkColumns requires a cost matrix to have one column per class.
func checkColumns(f loss.Family, params loss.Values, classes int) error {
	if f.Classes == nil || f.Classes(params) == classes {
		return nil
	}
	return usererr.BadField("params.matrix", "has %d columns, one per class, but the outcome has %d classes",
		f.Classes(params), classes)
}

// setLoss sets the head and the form of the loss.
func (p *problem) setLoss() error {
	s, k := p.spec, p.spec.Classes
	switch s.Family.Kind {
	case loss.KindMargin, loss.KindInterval:
		return p.setBinary()
	case loss.KindThreshold:
		p.setThresholds()
		return nil
	}
	l := s.Family.Potential(s.Params, k)
	_, smooth := l.(loss.Smooth)
	constant := !s.NoConstant && (s.Kernel == nil || smooth)
	switch {
	case s.Family.SumZero:
		p.head = sumZero(k, constant)
	case s.Features == Thresholds:
		p.head = ordinal(k)
	default:
		p.head = perClass(k, constant)
	}
	switch l := l.(type) {
	case loss.WestonWatkins:
		p.flat = pairs{k}
	case loss.LeeLinWahba:
		p.flat = others{k}
	case loss.OneVsAll:
		p.flat = each{k}
	case loss.Smooth:
		p.loss, p.head.free = l, constant && s.Features != Thresholds
	default: // Crammer–Singer and the adversarial losses
		p.flat = whole{l}
	}
	return nil
}

func (p *problem) setBinary() error {
	if p.spec.Classes != 2 {
		return usererr.BadField("loss", "%s needs two classes, but the outcome has %d", p.spec.Family.ID, p.spec.Classes)
	}
	p.head = single()
	if p.spec.Bare {
		p.head = bare()
	}
	switch l := p.spec.Family.Margin(p.spec.Params).(type) {
	case loss.Hinge, loss.Interval:
		p.flat = binary{l}
	case loss.ZeroOne, loss.Ramp:
		return usererr.BadField("loss", "%s has no smooth form to fit here; choose another loss", p.spec.Family.ID)
	default:
		p.loss = loss.Binary{Margin: l}
	}
	return nil
}

// setThresholds leaves the thresholds unpenalised for all losses except the reduction of Li and Lin.
func (p *problem) setThresholds() {
	id := p.spec.Family.ID
	p.head = cuts(p.spec.Classes, id != "reduction")
	base, all := p.spec.Params.ID("base"), id != "immediate-threshold"
	if base == "hinge" {
		p.flat = steps{p.spec.Classes, all}
		return
	}
	f, ok := loss.FamilyByID(base)
	if !ok {
		panic("multiclass: no loss " + base)
	}
	p.loss = margins{f.Margin(nil), p.spec.Classes, all}
}

const largestCell = 1e100 // the largest value whose products stay finite

func (p *problem) checkCells() error {
	for i, v := range p.x.Data {
		if !(v >= -largestCell && v <= largestCell) {
			return usererr.New(usererr.Invalid, "Row %d, column %d of the design holds %v; every value must be a finite "+
				"number of "+
				"at most %.0e.", i/p.x.Cols+1, i%p.x.Cols+1, v, largestCell)
		}
	}
	return nil
}

// setWeights requires every class to occur where offsets are free: that of an absent class would diverge.
// Otherwise two classes suffice.
func (p *problem) setWeights(weights []float64) error {
	k := p.spec.Classes
	mass, total := make([]float64, k), 0.0
	p.v = make([]float64, p.x.Rows)
	for i, c := range p.y {
		if c < 0 || c >= k {
			return usererr.New(usererr.Invalid, "Row %d has the class %d; classes count from 0 to %d.", i+1, c, k-1)
		}
		v := 1.0
		if weights != nil {
			v = weights[i]
		}
		if !(v >= 0) || math.IsInf(v, 1) {
			return usererr.New(usererr.Invalid, "Row %d has the weight %v; weights are finite and not negative.", i+1, v)
		}
		p.v[i] = v
		mass[c] += v
		total += v
	}
	if !(total > 0) {
		return usererr.New(usererr.Invalid, "No row is left to train on. Keep rows of every class in the training set.")
	}
	for i := range p.v {
		p.v[i] /= total
	}
	return p.checkMass(mass)
}

func (p *problem) checkMass(mass []float64) error {
	present, absent := 0, -1
	for c, m := range mass {
		if m > 0 {
			present++
		} else {
			absent = c
		}
	}
	switch {
	case present < 2:
		return usererr.New(usererr.Invalid, "All training rows are of one class, so there is nothing to separate. Keep "+
			"rows of "+
			"at least two classes in the training set.")
	case p.head.free && absent >= 0:
		return usererr.New(usererr.Invalid, "No training row is of class %d, so its threshold has nothing to hold it. "+
			"Leave the "+
			"class out or keep rows of it in the training set.", absent)
	}
	return nil
}
