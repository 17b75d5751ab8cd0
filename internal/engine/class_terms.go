package engine

import (
	"cmp"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/runspec"
	"taper/internal/engine/task"
)

func featuresOf(how fit.Method, about task.Task) string {
	switch {
	case how.Family.Kind == loss.KindThreshold:
		return multiclass.Thresholds
	case about.Ordered():
		return cmp.Or(how.Spec.Features, multiclass.PerClass)
	}
	return ""
}

// criterionOf names what tuning minimises.
func criterionOf(how fit.Method, c task.Cost) string {
	switch {
	case how.Costs() != nil:
		return "mean cost"
	case c.Abstains():
		return "abstention loss"
	case c.Classes() > 2 && c[0][2] == 2:
		return "mean absolute error"
	}
	return "error rate"
}

func (b *classRun) kernel(c *ClassResult) {
	m := b.model.final.Potential
	if m.Model.Kernel == nil {
		return
	}
	c.Kernel = &KernelFit{Words: runspec.KernelWords(m.Model.Kernel.Name, m.Model.Kernel.Degree), Rows: len(m.Model.Rows),
		Landmarks: m.Landmarks}
	if given, tuned, _ := runspec.Gamma(b.spec.Model); tuned || given != 1 || m.Model.Kernel.Name != multiclass.KernelLinear {
		gamma := b.model.setting.Gamma
		c.Gamma = &gamma
		for _, s := range b.model.chosen {
			c.FoldGamma = append(c.FoldGamma, s.Gamma)
		}
	}
}

// coefficients lists the terms of each class's score, or of the one score with
// its thresholds; none of a kernel. An odds ratio is that of a class against
// the first, for softmax regression.
func (b *classRun) coefficients() (all []Coefficient, thresholds []float64) {
	m, pre := b.model.final.Potential.Model, b.p.final.design.pre
	if m.Kernel != nil {
		return []Coefficient{}, nil
	}
	levels := b.p.cohort.Target.Levels
	var first []float64
	for k, w := range m.Weights {
		class, offset := "", 0.0
		if m.Form == multiclass.FormClasses {
			class, offset = levels[k], m.Offsets[k]
		}
		natural, intercept := pre.Natural(w, offset)
		if class != "" {
			all = append(all, Coefficient{Name: "(intercept)", Class: class, Value: intercept, Standardized: offset})
		} else {
			for _, eta := range m.Offsets {
				thresholds = append(thresholds, eta-intercept)
			}
		}
		if k == 0 {
			first = natural
		}
		for j, v := range natural {
			c := Coefficient{Name: pre.Terms[j].Name, Class: class, Value: v, Standardized: w[j]}
			if m.Family.ID == "softmax" && class != "" && k > 0 && !pre.Bent(j) {
				c.OddsRatio = oddsRatio(1, v-first[j])
			}
			all = append(all, c)
		}
	}
	return all, thresholds
}

// linkOf is the link of a loss of several classes.
func linkOf(how fit.Method) LinkWords {
	link := how.Family.LinkOf(how.Values)
	return LinkWords{ID: link.ID, Formula: cmp.Or(link.Formula, "none: the answer by its scores")}
}
