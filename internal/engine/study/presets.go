package study

import "slices"

// Presets lists every figure and table, in the order of the papers: each paper
// has a list in a file of its own.
var Presets = slices.Concat(sypherd)

// sypherd are the presets of paper 003.
var sypherd = []Preset{}
