package templates

// Nomogram is the page on which one tries values in the nomogram of a run.
type Nomogram struct {
	URL       string
	Prev, End string
	Fields    []NomogramField
	SVG       SVG
	Sum       string
	Answer    WhatIfAnswer
}

// NomogramField asks for one value: by a Slider, an Input, or a Choice. Points is what it adds.
type NomogramField struct {
	Slider *Slider
	Input  *Input
	Choice *Choice
	Points string
}
