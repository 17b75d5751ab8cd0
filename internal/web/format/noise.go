package format

import "taper/internal/engine/synth"

// Noise is a kind of label noise as pages name it.
type Noise struct{ ID, Title, About string }

// Noises lists the kinds in the order they are offered.
func Noises() []Noise {
	return []Noise{
		{synth.NoiseNone, "None", "Every label as it is."},
		{synth.NoiseRandom, "Any label, an exact share", "Exactly this share of the training labels flips."},
		{synth.NoiseSymmetric, "Any label, by chance", "Each training label flips with this probability."},
		{synth.NoiseClass, "By class", "Labels of one class flip with another probability than those of the other."},
		{synth.NoiseLargeMargin, "Far from the border",
			"Of the points on the right side of a clean fit, those farthest from its border flip."},
		{synth.NoiseSmallMargin, "Near the border",
			"Of the points on the right side of a clean fit, those nearest its border flip."},
		{synth.NoiseInstance, "Features replaced",
			"Points get the features of a point of another class and keep their label."},
	}
}

// NoiseTitle names a kind.
func NoiseTitle(kind string) string {
	for _, n := range Noises() {
		if n.ID == kind {
			return n.Title
		}
	}
	return kind
}
