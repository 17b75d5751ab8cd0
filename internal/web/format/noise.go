package format

import "taper/internal/engine/synth"

// Noise is a kind of label noise with its name on pages.
type Noise struct{ ID, Title string }

// Noises lists the kinds in the order offered.
func Noises() []Noise {
	return []Noise{
		{synth.NoiseNone, "None"},
		{synth.NoiseRandom, "Random flips, exact share"},
		{synth.NoiseSymmetric, "Symmetric (uniform)"},
		{synth.NoiseClass, "Class-conditional"},
		{synth.NoiseLargeMargin, "Far from the boundary"},
		{synth.NoiseSmallMargin, "Near the boundary"},
		{synth.NoiseInstance, "Feature contamination"},
	}
}

// NoiseTitle is the name of a kind.
func NoiseTitle(kind string) string {
	for _, n := range Noises() {
		if n.ID == kind {
			return n.Title
		}
	}
	return kind
}
