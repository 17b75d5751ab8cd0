package runspec

import (
	"cmp"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
)

// Plain reports whether the model is plain logistic regression, straight lines
// throughout, which then stands beside nothing but the null model; of several
// classes softmax regression.
func (s *Spec) Plain() bool {
	return s.Model.Kind == "linear" && s.Model.Loss == s.baselineLoss() && bent(s.Splines) == nil
}

// baselineLoss is that of the regression that models of the task are compared with.
func (s *Spec) baselineLoss() string { return s.ChosenTask().Baselines()[0].Loss }

// Title names the model in words. Regression with splines is distinguished from
// the plain one beside it.
func (s *Spec) Title() string { return s.titled(s.Model.Title()) }

func (s *Spec) TitleOf(how fit.Method) string { return s.titled(how.Title()) }

func (s *Spec) titled(title string) string {
	switch m := s.Model; {
	case m.Kind != "linear" || bent(s.Splines) == nil:
	case m.Loss != s.baselineLoss():
	case s.Multiclass():
		return title + " with curves"
	default:
		return "Logistic with curves"
	}
	return title
}

// KnotWords says how a column enters a linear model.
func KnotWords(knots int) string {
	if knots == 0 {
		return "straight line"
	}
	return fmt.Sprintf("%d knots", knots)
}

// TitleOfClasses names the method of several classes in full.
func TitleOfClasses(m fit.Method, s *Spec) string {
	text := s.TitleOf(m)
	if s.ChosenTask().Ordered() && m.Family.Kind == loss.KindPotential && s.Model.Features == multiclass.Thresholds {
		text += ", one score and thresholds"
	}
	return text
}

func KernelWords(name string, degree int) string {
	switch name {
	case multiclass.KernelLinear:
		return "linear kernel"
	case multiclass.KernelPoly:
		return "polynomial kernel of degree " + phrase.Numeral(cmp.Or(degree, 3))
	}
	return "Gaussian kernel"
}
