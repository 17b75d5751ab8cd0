package resultview

import (
	"fmt"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// classStrokes distinguish the curves of up to eight classes by dash and colour.
var classStrokes = [...]string{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "ref1"}

// falseAlarmShares are the false positive rates listed in the table.
var falseAlarmShares = [...]float64{.05, .1, .2}

// roc draws the ROC curve of each class against all others.
func (s Classes) roc(p *engine.ClassPictures) *viz.Overlay {
	o := viz.Overlay{ID: "roc", Title: "ROC curve of each class against the others", Diagonal: "no better than chance",
		X: viz.Axis{Name: "1 − specificity, %", Ends: hundred}, Y: viz.Axis{Name: "sensitivity, %", Ends: hundred},
		Head: []string{"Class", "Rows", stat.ByID("auc").Label, "95" + format.Pc + " CI, " + stat.ByID("auc").How}}
	for _, at := range falseAlarmShares {
		o.Head = append(o.Head, "Sensitivity at "+viz.Percent(1-at, 0)+format.Pc+" specificity, %")
	}
	worst, best := -1, 0.0
	for k, c := range p.Classes {
		cells := []string{c.Level, phrase.Int(c.Rows), viz.NumberOf(c.ROC.AUC.Value, 3), viz.None}
		if a := c.ROC.AUC; a.Low != nil && a.High != nil {
			if cells[3] = viz.NoInterval; !viz.Widthless(*a.Low, *a.High, false) {
				cells[3] = viz.Range(viz.Number(*a.Low, 3), viz.Number(*a.High, 3))
			}
		}
		for _, at := range falseAlarmShares {
			cells = append(cells, foundAt(c.ROC.Points, at))
		}
		o.Rows = append(o.Rows, cells)
		if v := c.ROC.AUC.Value; v != nil {
			if worst < 0 || *v < *p.Classes[worst].ROC.AUC.Value {
				worst = k
			}
			best = max(best, *v)
		}
		if len(c.ROC.Points) < 2 || len(o.Lines) == len(classStrokes) {
			continue
		}
		o.Lines = append(o.Lines, rocTrace(c.Level, classStrokes[len(o.Lines)], c.ROC.Points))
	}
	if len(o.Lines) == 0 {
		return nil
	}
	ranked := "by the probability of the class"
	if p.By == engine.ByLead {
		ranked = "by the margin of the class over the others"
	}
	lowest := p.Classes[worst].ROC.AUC
	auc := viz.NumberOf(lowest.Value, 3)
	if lowest.Low != nil && lowest.High != nil && !viz.Widthless(*lowest.Low, *lowest.High, false) {
		auc += " (95" + format.Pc + " CI " + viz.Range(viz.Number(*lowest.Low, 3), viz.Number(*lowest.High, 3)) + ")"
	}
	low := fmt.Sprintf("Lowest %s: class %s, %s.", stat.ByID("auc").Label, p.Classes[worst].Level, auc)
	if *lowest.Value == best && len(p.Classes) > 1 { // no class is lower, as where all rows have the same score
		low = fmt.Sprintf("The %s of each class is %s.", stat.ByID("auc").Label, viz.NumberOf(lowest.Value, 3))
	}
	o.Sentence = fmt.Sprintf("Sensitivity against 1 − specificity, rows ranked %s. %s", ranked, low) +
		NeverAnswered(s.Result.Classes.Metrics.Test) +
		Pooled(s.Result, s.Spec, "Each AUC") + drawnWords(len(o.Lines), len(p.Classes))
	return &o
}

// NeverAnswered says of classes that are no row's answer that their AUC is of the ranking alone, after a space; ""
// where each class is an answer.
func NeverAnswered(m stat.Classes) string {
	levels := m.NeverAnswered()
	if len(levels) == 0 {
		return ""
	}
	if len(levels) == len(m.Levels) {
		return " No row is answered: the AUCs are of the ranking alone."
	}
	whose := "its"
	if len(levels) > 1 {
		whose = "their"
	}
	return " No row is answered with " + strings.Join(levels, " or ") + ": " + whose + " AUC is of the ranking alone."
}

func drawnWords(drawn, all int) string {
	if drawn == all {
		return ""
	}
	return fmt.Sprintf(" Drawn: the %d most common of %d classes.", drawn, all)
}

// foundAt is the sensitivity at a false positive rate, in per cent.
func foundAt(points []stat.ROCPoint, at float64) string {
	if len(points) < 2 {
		return viz.None
	}
	high := 0.0
	for i, p := range points {
		if p.FPR <= at {
			high = p.TPR
			continue
		}
		before := points[i-1]
		high += (p.TPR - before.TPR) * (at - before.FPR) / (p.FPR - before.FPR)
		break
	}
	return viz.Percent(high, 1)
}

// calibration draws observed against predicted risks for each class; nil for a loss without probabilities.
func (s Classes) calibration(p *engine.ClassPictures) *viz.Overlay {
	o := viz.Overlay{ID: "calibration", Title: "Calibration, " + Bands{Result: s.Result}.linkTitle(), Diagonal: "perfect",
		X:    viz.Axis{Name: "predicted probability of the class, %", Ends: hundred},
		Y:    viz.Axis{Name: "observed, %", Ends: hundred},
		Head: []string{"Class", "Predicted, %", "Observed, %", "Pointwise 95" + format.Pc + " band", "Mean distance, points"}}
	var without []string
	var off *float64 // largest mean distance from the diagonal
	drawn, farthest, ends := 0, "", ""
	for _, c := range p.Classes {
		if c.Calibration == nil {
			continue
		}
		mark := classStrokes[drawn%len(classStrokes)] // as in the ROC curves
		if drawn++; len(c.Calibration.Points) == 0 {
			without = append(without, c.Level)
			continue
		}
		line := viz.Trace{Name: c.Level, Mark: mark}
		last := len(c.Calibration.Points) - 1
		for i, at := range c.Calibration.Points {
			line.X, line.Y = append(line.X, 100*at.Predicted), append(line.Y, 100*at.Observed)
			if i%10 == 0 || i == last {
				o.Rows = append(o.Rows, []string{c.Level, viz.Percent(at.Predicted, 1), viz.Percent(at.Observed, 1),
					viz.Range(viz.Percent(at.Low, 1), viz.Percent(at.High, 1)), pointsOf(c.Calibration.ICI)})
			}
		}
		o.Lines, ends = append(o.Lines, line), c.Calibration.Ends()
		if ici := c.Calibration.ICI; ici != nil && (off == nil || *ici > *off) {
			off, farthest = ici, c.Level
		}
	}
	if len(o.Lines) == 0 {
		return nil
	}
	o.Sentence = "Observed against predicted share of each class, smoothed; the probability is " + s.Result.Link.Text() +
		"."
	if off != nil {
		o.Sentence += " Farthest from the diagonal: " + farthest + ", on average by " + pointsOf(off) + " percentage points."
	}
	if len(without) > 0 {
		o.Sentence += " No curve for " + strings.Join(without, ", ") +
			": its probability parts it from the others without error, or is the same for nearly all."
	}
	o.Sentence += ends + drawnWords(drawn, len(p.Classes))
	return &o
}

// pointsOf writes a difference of shares in percentage points.
func pointsOf(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.Percent(*v, 1)
}

// giveUp is the histogram of the weight factors, by answer.
func (s Classes) giveUp(g *engine.ClassGiveUp) *viz.Overlay {
	if g == nil {
		return nil
	}
	return weights{names: [2]string{"answered right", "answered otherwise"}, against: "softmax", expects: "class",
		head: [2]string{"Answered right", "Answered otherwise"}}.overlay(g)
}
