package format

import "taper/internal/engine/synth"

// Noise is a kind of label noise as pages name it.
type Noise struct{ ID, Title string }

// Noises lists the kinds in the order they are offered.
func Noises() []Noise {
	return []Noise{
		{synth.NoiseNone, "None"},
		{synth.NoiseRandom, "Any label, an exact share"},
		{synth.NoiseSymmetric, "Any label, by chance"},
		{synth.NoiseClass, "By class"},
		{synth.NoiseLargeMargin, "Far from the border"},
		{synth.NoiseSmallMargin, "Near the border"},
		{synth.NoiseInstance, "Features replaced"},
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
