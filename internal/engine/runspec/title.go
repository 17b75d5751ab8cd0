package runspec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

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

// DefaultName names a run that nobody named: the outcome, the method and, where there are bands, their
// boundaries: "disease: α-loss, α = 4 (25, 50, 75 %)".
func (s *Spec) DefaultName() string {
	return phrase.Shorten(s.Outcome, 60) + ": " + s.ShortName(true)
}

// ShortName is the default name without the outcome, which is enough beside runs of the same outcome, and
// without the boundaries where those are the same too.
func (s *Spec) ShortName(boundaries bool) string {
	name := s.Title()
	if how, err := fit.Parse(s.Model); err == nil {
		name = TitleOfClasses(how, s)
	}
	if !boundaries || len(s.Boundaries) == 0 {
		return name
	}
	each := make([]string, len(s.Boundaries))
	for i, pi := range s.Boundaries {
		each[i] = phrase.Significant(100*pi, 4)
	}
	return name + " (" + strings.Join(each, ", ") + "\u00a0%)"
}

// AfterDefault is what follows the default name in a run's name: nothing, or the number of a later run that
// would have had the same one. A name that somebody gave is no default.
func (s *Spec) AfterDefault(name string) (number string, isDefault bool) {
	number, isDefault = strings.CutPrefix(name, s.DefaultName())
	if !isDefault || number == "" {
		return number, isDefault
	}
	digits, numbered := strings.CutPrefix(number, " #")
	_, err := strconv.Atoi(digits)
	return number, numbered && err == nil
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
