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

// Plain reports whether the model is logistic regression with linear terms, or softmax
// regression with several classes. Such a run is compared with the null model only.
func (s *Spec) Plain() bool {
	return s.Model.Kind == "linear" && s.Model.Loss == s.baselineLoss() && bent(s.Splines) == nil
}

// baselineLoss is the loss of the regression that models of the task are compared with.
func (s *Spec) baselineLoss() string { return s.ChosenTask().Baselines()[0].Loss }

// Title is the model's name. Regression with splines has a title different from its comparison
// model without them.
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

// DefaultName is the name of a run without one: the outcome, the method and the boundaries of
// its bands, such as "disease: α-loss, α = 4 (25, 50, 75 %)".
func (s *Spec) DefaultName() string {
	return phrase.Shorten(s.Outcome, 60) + ": " + s.ShortName(true)
}

// ShortName is the default name without the outcome, for lists of runs of one outcome; the
// boundaries are optional.
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

// AfterDefault returns what follows the default name in a run's name: nothing, or the number
// added to distinguish runs. It returns false for a name that somebody gave.
func (s *Spec) AfterDefault(name string) (number string, isDefault bool) {
	number, isDefault = strings.CutPrefix(name, s.DefaultName())
	if !isDefault || number == "" {
		return number, isDefault
	}
	digits, numbered := strings.CutPrefix(number, " #")
	_, err := strconv.Atoi(digits)
	return number, numbered && err == nil
}

// KnotWords describes how a column enters a linear model.
func KnotWords(knots int) string {
	if knots == 0 {
		return "straight line"
	}
	return fmt.Sprintf("%d knots", knots)
}

// TitleOfClasses is the full name of a multiclass method.
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
