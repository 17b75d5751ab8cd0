package templates

// Nomogram is the interactive nomogram of a run.
type Nomogram struct {
	URL       string
	Prev, End string
	Open      string // questions about the data that were left open, "" for none
	Fields    []NomogramField
	SVG       SVG
	Narrow    SVG // for narrow screens
	Sum       string
	Answer    WhatIfAnswer
}

// NomogramField is the control of one value: a Slider, an Input, or a Choice. Points are its contribution.
type NomogramField struct {
	ID     string // of the text with the points
	Slider *Slider
	Input  *Input
	Choice *Choice
	Points string
}
