// Package paper replicates the figures and tables of the papers whose losses the program has, and
// compares our trainers with published numbers (Checks).
//
// A preset is a value: a plan of units with the data, methods and rates of its protocol, how its cells
// are drawn, the same protocol as a grid to modify, and the reference numbers. It fits through
// fit.Trainer; starting points and accuracy that its protocol requires are settings (fit.Options).
package paper

import (
	"slices"

	"taper/internal/engine/study"
)

// Presets lists all figures and tables in the order of the papers. Each paper has its own list, in files
// of its own.
var Presets study.Presets = slices.Concat(amid, fathony, ding, sypherd, kimes)

// The presets of Amid, Warmuth and Srinivasan (2019), Ding and Vishwanathan
// (2010), Fathony and others (2018), Sypherd and others (2023), and Kimes and
// others (2016).
var (
	amid    = []study.Preset{amidInstance, amidLabels, amidSeconds, amidSweeps}
	ding    = []study.Preset{dingErrors, dingInfluence, dingStarts, dingSeconds}
	fathony = slices.Concat(fathonyClasses, fathonyOrdinal, fathonyThresholds, fathonyFan, fathonyAbstain)
	sypherd = slices.Concat(sypherdTheory, sypherdBoost, sypherdCancer, sypherdGMM, sypherdSurvey)
	kimes   = []study.Preset{
		kimesFigure("kimes-fig6", "Figure 6", "1.1", "1.2", "1.3"),
		kimesSample("kimes-fig6a", "Figure 6", "1.1", "1.2", "1.3"),
		kimesFigure("kimes-fig7", "Figure 7", "2.1", "2.2", "2.3"),
		kimesSample("kimes-fig7a", "Figure 7", "2.1", "2.2", "2.3"),
		kimesDensity, kimesMap,
	}
)
