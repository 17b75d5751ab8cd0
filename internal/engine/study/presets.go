package study

import "slices"

// Presets lists every figure and table, in the order of the papers: each paper
// has a list in files of its own.
var Presets = slices.Concat(amid, fathony, ding, sypherd, kimes)

// sypherd are the presets of paper 003.
var sypherd = slices.Concat(sypherdTheory, sypherdBoost, sypherdCancer, sypherdGMM, sypherdSurvey)

const sypherdSource = "Sypherd, Stromberg, Nock, Berisha, Sankar: Smoothly giving up: robustness for simple models, " +
	"2023"
