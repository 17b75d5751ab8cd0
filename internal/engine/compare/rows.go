package compare

import (
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// sample holds the test rows of a run, in the order of the table. Two classes fill event and
// scores; several classes fill label, answer and losses.
type sample struct {
	row     []int
	outcome []string // as uploaded
	correct []bool   // predicted correctly; nil if unknown

	scores stat.Scores // two classes; without probabilities if a row has none

	label  []int // several classes: the true class, and the predicted one, where the number of classes means abstention
	answer []int
	losses map[string][]float64 // several classes: per metric, the values that it is the mean of
}

// evaluationSample selects the test rows of a run: held-out or out-of-fold rows, or all rows
// without validation.
func evaluationSample(r Run) sample {
	switch {
	case twoClasses(r):
		return events(r)
	case r.Result.Classes != nil:
		return answers(r)
	}
	return sample{}
}

// events reads the rows of two classes.
func events(r Run) (s sample) {
	rows := engine.Judged(r.Spec, r.Rows)
	for i := range rows {
		s.row, s.outcome = append(s.row, rows[i].Row), append(s.outcome, rows[i].Outcome)
	}
	s.scores = r.Result.ScoresOf(rows)
	s.call(r)
	return s
}

// call determines which rows are predicted correctly, with events predicted above the run's
// cut: by band if the cut is a boundary, otherwise by probability.
func (s *sample) call(r Run) {
	k := slices.Index(r.Result.Boundaries, r.Result.Cut)
	if k < 0 && s.scores.Probability == nil {
		return
	}
	s.correct = make([]bool, len(s.row))
	for i, event := range s.scores.Event {
		if k >= 0 {
			s.correct[i] = s.scores.Band[i] > k == event
		} else {
			s.correct[i] = s.scores.Probability[i] > r.Result.Cut == event
		}
	}
}

// answers reads the rows of several classes. correct stays nil if a row was left without an
// answer. Everything stays empty if outcomes are not level names, as for numbers cut into
// classes.
func answers(r Run) (s sample) {
	c := r.Result.Classes
	a := stat.Answers{Levels: c.Levels, Costs: c.Costs, Ordinal: task.Of(c.Task).Ordered()}
	all := true
	for _, x := range engine.Judged(r.Spec, r.Rows) {
		label, answer := slices.Index(c.Levels, x.Outcome), x.Predicted
		if answer == stat.Abstained {
			answer, all = len(c.Levels), false
		}
		if label < 0 || answer >= len(c.Costs) || label >= len(c.Costs[answer]) {
			return sample{}
		}
		s.row, s.outcome = append(s.row, x.Row), append(s.outcome, x.Outcome)
		s.label, s.answer = append(s.label, label), append(s.answer, answer)
		s.correct = append(s.correct, answer == label)
		a.Predicted, a.Probability = append(a.Predicted, x.Predicted), append(a.Probability, x.Probabilities...)
	}
	a.Label = s.label
	if len(a.Probability) != len(c.Levels)*len(s.row) {
		a.Probability = nil
	}
	if !all {
		s.correct = nil
	}
	s.losses = a.Losses()
	return s
}
