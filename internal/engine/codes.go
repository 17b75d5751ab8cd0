package engine

import (
	"taper/internal/engine/check"
	"taper/internal/engine/external"
)

// Codes of the warnings that a run adds to those about the table.
const (
	WarnSeparation     = "separation"
	WarnOneSided       = "one-sided"
	WarnCollinear      = "collinear"
	WarnUnused         = "never-varies"
	WarnWeights        = "weights"
	WarnOptimistic     = "optimistic"
	WarnApparent       = "apparent"
	WarnNotCertified   = "not-certified"
	WarnOneBand        = "all-in-one-band"
	WarnNoPredictor    = "no-predictor"
	WarnLogisticBetter = "logistic-better"
	WarnStarts         = "several-minima"
	WarnLoss           = "loss"
	WarnTrees          = "trees"
	WarnKernel         = "kernel"
	WarnNoise          = "noise"
	WarnNeverPredicted = "never-predicted"
	WarnFewInClass     = "few-in-class"
	WarnGridEdge       = "grid-edge"
	WarnGiven          = "given"
)

// Codes maps these codes to their meanings for the API's description. The codes of warnings about the data are
// in table.Codes.
var Codes = map[string]string{
	WarnRecalibrated: "risks were recalibrated for another population: rates on the rows of the run can " +
		"differ from them",
	WarnSeparation:         "a predictor, or all together, predict the training rows perfectly",
	WarnOneSided:           "every row of a category has the event, or none has it",
	WarnCollinear:          "two terms correlate so closely that their coefficients share one effect",
	WarnUnused:             "a predictor never varies in the training rows",
	WarnWeights:            "row weights act in training and in no table, or are constant and do not act",
	WarnOptimistic:         "λ was chosen on the evaluation folds",
	WarnApparent:           "evaluated on the training rows",
	WarnNotCertified:       "a fit stopped before its tolerance was proven",
	WarnOneBand:            "all rows fall in one band",
	WarnNoPredictor:        "no predictor is used: rows get the same answer",
	check.WarnFewInStratum: "a band holds too few rows or events to judge",
	check.WarnNotMonotone:  "observed rates do not rise from band to band",
	check.WarnNoHorizon:    "times of follow-up are in the data and not used: the risks have no time horizon",
	WarnLogisticBetter: "the comparison regression has a lower mean loss: the interval of the " +
		"difference excludes 0",
	WarnStarts:            "some initialisations of the final fit ended at a worse minimum: a better one may exist",
	WarnLoss:              "how the chosen loss behaves beyond some margin",
	WarnTrees:             "what a boosted fit ran into",
	WarnKernel:            "a kernel of many rows was approximated by landmarks",
	WarnNoise:             "label noise was added to training rows; metrics are on the labels as they were",
	WarnNeverPredicted:    "no row gets a class, or none of a fold or by the final model although elsewhere some do",
	WarnFewInClass:        "multiclass: one class has few training rows",
	WarnGiven:             "predictions that came with the data: whether they were made from these rows is not known",
	WarnGridEdge:          "λ or γ was chosen at an end of the grid that was searched",
	external.WarnSameData: "evaluated on the data the model was trained on: no external validation",
	external.WarnKnown:    "external validation: some rows equal training rows",
	WarnSpline: "a column’s values do not hold as many knots as asked: it enters with fewer, or as a straight " +
		"line",
	external.WarnSkipped: "external validation: rows without a class the model knows",
	WarnReviewed:         "trained and evaluated after a review changed labels or left rows out",
	external.WarnWarned:  "external validation: rows with missing, unseen or out-of-range values",
	external.WarnOutside: "external validation: rows outside the data the model was trained on have no answer and are " +
		"not evaluated",
}

// WarnReviewed marks a run after a review that changed labels or left rows out.
const WarnReviewed = "reviewed-labels"
