package report

import (
	"fmt"
	"math"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/check"
	"taper/internal/engine/external"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// verdict sums up the validation in at most five sentences.
func (x External) verdict() []string {
	var all []string
	for _, say := range []func() string{x.expectedSentence, x.slopeSentence, x.aucSentence} {
		if text := say(); text != "" {
			all = append(all, text)
		}
	}
	for _, text := range x.p.seen() {
		if len(all) < mostSentences && !strings.HasPrefix(text, stat.ByID("interval_loss").Label) {
			all = append(all, text)
		}
	}
	if len(all) < mostSentences && x.e.Expected == nil {
		all = append(all, "Interval loss here: "+x.lossHere()+x.before("interval_loss", doc.To(3))+".")
	}
	return all
}

// lossHere is the interval loss of the validation rows with its interval, or the reason why a masked report has none.
func (x External) lossHere() string {
	e := x.e.Performance.IntervalLoss
	switch {
	case e.Low == nil || x.p.decimals <= 0:
		return x.p.lossWords()
	case x.p.strata.Hidden():
		return x.p.lossWords() + " (its interval would disclose masked counts)"
	}
	return worded(e, doc.To(3))
}

// expectedSentence compares the observed events with those expected from the predicted risks.
func (x External) expectedSentence() string {
	oe := x.e.Performance.ObservedExpected
	if x.e.Expected == nil {
		return ""
	}
	if x.p.tells(stat.ByID("observed_expected")) {
		return "Fewer than 10 events or non-events happened: how many were predicted is not printed."
	}
	text := fmt.Sprintf("The model predicted %s and %s happened", events(phrase.Int(int(math.Round(*x.e.Expected)))),
		phrase.Int(x.e.Events))
	if oe.Value == nil || oe.Low == nil || oe.High == nil {
		return text + "."
	}
	text += " (O/E " + viz.Ratio(*oe.Value) + ", " + viz.Range(viz.Ratio(*oe.Low), viz.Ratio(*oe.High)) + "): "
	switch {
	case *oe.Low > 1:
		return text + "the predicted risks are too low here."
	case *oe.High < 1:
		return text + "the predicted risks are too high here."
	}
	return text + "O/E does not differ significantly from 1."
}

func (x External) slopeSentence() string {
	s := x.e.Performance.CalibrationSlope
	if s.Value == nil || s.Low == nil || s.High == nil || x.p.tells(stat.ByID("calibration_slope")) {
		return ""
	}
	text := "The calibration slope is " + viz.Number(*s.Value, 2) + " (" +
		viz.Range(viz.Number(*s.Low, 2), viz.Number(*s.High, 2)) + "): "
	switch {
	case *s.Low > 1:
		return text + "the predicted risks vary too little here."
	case *s.High < 0:
		return text + "patients with higher predicted risks have fewer events here."
	case *s.High < 1:
		return text + "the predicted risks vary too much here."
	}
	return text + "it does not differ significantly from 1."
}

// aucSentence compares the AUC with that of development.
func (x External) aucSentence() string {
	auc := x.e.Performance.AUC
	if auc.Value == nil {
		return ""
	}
	text := "AUC " + worded(auc, doc.To(3)) + " here"
	if x.own == nil || x.own.AUC.Value == nil {
		return text + "."
	}
	text += ", " + viz.Number(*x.own.AUC.Value, 3) + " " + x.ownName() + " in development: "
	return text + contrast(stat.ByID("auc"), auc, x.own.AUC)
}

// contrast says whether the interval of the difference to development excludes 0.
func contrast(s stat.Statistic, here, was stat.Estimate) string {
	d := stat.IndependentDifference(here, was)
	if words := s.VerdictWords(d); words != "" {
		return words + " here."
	}
	return "a difference of " + format.Statistic(s)(*d.Value) + "."
}

// before is the value in development, as a clause; "" where none may be printed.
func (x External) before(id string, as doc.Format) string {
	if x.own == nil || x.dev.tells(stat.ByID(id)) || x.own.Of(id).Value == nil {
		return ""
	}
	if id == intervalLoss && x.run.Wiped.IsZero() {
		return "; " + x.dev.lossWords() + " " + x.ownName() + " in development"
	}
	return "; " + as.Write(*x.own.Of(id).Value) + " " + x.ownName() + " in development"
}

func (x External) classVerdict() []string {
	c, dev := *x.e.Classes, x.run.Result.Classes.Metrics.Test
	s := stat.ByID("accuracy")
	if c.MAE != nil {
		s = stat.ByID("mae")
	}
	here, was := c.Of(s.ID), dev.Of(s.ID)
	switch {
	case !x.answers.counted:
		return []string{rightMasked}
	case here.Value == nil:
		return []string{"The model answers no row of the file."}
	}
	abstains := c.AbstentionRate != nil && *c.AbstentionRate > 0
	text := "Of " + phrase.Int(c.N) + " rows, " + percentWords(here) + " are answered right here"
	if abstains {
		text = "Of the answers, " + percentWords(here) + " are right here"
	}
	if s.ID == "mae" {
		text = "The answers are off by " + worded(here, doc.To(3)) + " classes on average here"
	}
	all := []string{text + "."}
	if was.Value != nil {
		text += ", " + format.WithUnit(s, was.Value) + " " + x.ownName() + " in development: "
		all[0] = text + contrast(s, here, was)
	}
	if s.ID != "mae" && x.rec.Result.Classes.MAE != nil {
		mae := stat.ByID("mae")
		all = append(all, "The "+mae.InSentence()+", by which models of ordered classes are compared, is masked: it "+
			"would disclose small counts. The accuracy above counts each wrong answer alike, whatever its distance.")
	}
	if abstains {
		all = append(all, "No answer for "+format.PercentOf(c.AbstentionRate)+" of the "+phrase.Int(c.N)+" rows.")
	}
	return all
}

// limits lists what to keep in mind.
func (x External) limits() []limit {
	items := x.doubts()
	if x.e.Classes == nil {
		items = append(items, x.ofBands()...)
	}
	for i, text := range oneFile {
		items = append(items, limit{[]harm{onlyHere, otherHarm}[min(i, 1)], text})
	}
	return items
}

// ofBands are the limits that follow from the statistics of a binary outcome.
func (x External) ofBands() (items []limit) {
	if x.e.Events < 100 || x.e.Rows-x.e.Events < 100 {
		items = append(items, limit{tooFew, "Fewer than 100 events or 100 non-events: intervals are wide (Collins et al. " +
			"2016 ask for 100 of each)."})
	}
	calibration := x.p.calibration(*x.e.Performance)
	if s := calibration.CalibrationSlope; s.Low != nil && (*s.Low > 1 || *s.High < 1) {
		word := "wide"
		if *s.Low > 1 {
			word = "narrow"
		}
		items = append(items, limit{wrongNumber, "The calibration slope’s interval excludes 1: the spread of the risks " +
			"is too " + word + " here."})
	}
	if text := atLarge(calibration); text != "" {
		items = append(items, limit{wrongNumber, text})
	}
	if x.run.Result.Apparent {
		items = append(items, limit{otherHarm, "The run had no rows held out: its own numbers are apparent, and " +
			"differences to them include its optimism."})
	}
	if x.e.Expected == nil {
		items = append(items, limit{otherHarm, "The model gives risk bands, not individual probabilities: calibration " +
			"cannot be evaluated beyond the bands."})
	}
	return items
}

// oneFile are the limits of every external validation.
var oneFile = []string{
	"One external file was used. Where it comes from, how its rows were chosen and how the outcome was assessed: " +
		"author to complete.",
	"No row of the file was stored. Whatever this report lacks needs the file again.",
}

// doubts are the warnings with counts of 1 to 9 masked.
func (x External) doubts() (items []limit) {
	add := func(h harm, text string) { items = append(items, limit{h, text}) }
	for _, w := range x.e.Warnings {
		switch w.Code {
		case check.WarnFewInStratum:
			if !x.p.strata.Hidden() { // else the verdict states it without counts
				add(saidAbove, x.small.text(w.Message))
			}
		case check.WarnNotMonotone:
			if x.p.fallTold() {
				add(saidAbove, w.Message)
			}
		case external.WarnSkipped:
			none, unknown := x.aside()
			add(tooFew, "Rows without a class of ‘"+x.m.Outcome+"’ that the model knows: "+
				plus(none, unknown).CountText()+", scored and not evaluated.")
		case external.WarnOutside:
			add(tooFew, x.outsideNote())
		case external.WarnWarned:
			add(otherHarm, "Evaluated rows with missing, unseen or out-of-range values: "+
				x.small.span(x.e.Warned).CountText()+".")
		case external.WarnKnown:
			add(tooGood, "Evaluated rows equal to a row the model was trained on, in all predictors and the outcome: "+
				x.small.span(*x.e.Same).CountText()+". The same patient, or chance.")
		case external.WarnSameData:
			add(tooGood, x.small.text(w.Message))
		default:
			add(otherHarm, x.small.text(w.Message))
		}
	}
	if x.e.Same == nil {
		add(tooGood, "Whether rows of the file were trained on could not be checked: the model’s data are not there any "+
			"more.")
	}
	return items
}
