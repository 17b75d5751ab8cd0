// Package testdata embeds the small files that the program shows on its first
// start and that tests read. Each is named with its source and licence, and a
// simulated one says so.
package testdata

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
)

// packed holds the files of csv/, compressed: the program is 0.4 MB smaller.
//
//go:embed samples.zip
var packed []byte

// Sample is a file offered as an example.
type Sample struct {
	File      string // name under csv/
	Name      string // title on the page
	Source    string
	Licence   string
	Simulated bool
	Outcome   string
	Positive  string   // the event
	Negative  string   // trained against the event
	ScoreOnly []string // levels of the outcome that are scored, never trained on
}

// Seed is the seed the simulated samples were drawn with.
const Seed = 2016

// Samples lists the files in the order they are offered.
var Samples = []Sample{
	{
		File: "wdbc.csv", Name: "Wisconsin diagnostic breast cancer",
		Source:  "Wolberg, Mangasarian, Street: UCI Machine Learning Repository, 1995, doi 10.24432/C5DW2B",
		Licence: "CC BY 4.0", Outcome: "diagnosis", Positive: "malignant", Negative: "benign",
	},
	{
		File: "adni-like.csv", Name: "Brain volumes, four groups (simulated)",
		Source:  "simulated after Kimes et al. 2016, section 7",
		Licence: "Apache-2.0", Simulated: true, Outcome: "group", Positive: "AD", Negative: "NC",
		ScoreOnly: []string{"sMCI", "pMCI"},
	},
	{
		File: "heart-clinic.csv", Name: "Heart clinic (simulated)",
		Source:  "simulated",
		Licence: "Apache-2.0", Simulated: true, Outcome: "disease", Positive: "yes", Negative: "no",
	},
	{
		File: "heart-clinic-dirty.csv", Name: "Heart clinic as it arrives (simulated)",
		Source:  "simulated: the same visits with the flaws of a real export",
		Licence: "Apache-2.0", Simulated: true, Outcome: "disease", Positive: "yes", Negative: "no",
	},
}

// Read returns a sample's bytes; it panics on a file that does not ship.
func Read(file string) []byte {
	all, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic(err)
	}
	f, err := all.Open(file)
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		panic(err)
	}
	return b
}
