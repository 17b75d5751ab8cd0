package templates

import "strconv"

// Slot is a place for a figure, which can change with the state.
type Slot struct {
	ID    string
	Chart Chart
}

// RowPager describes the listed rows of a band.
type RowPager struct {
	Range string // "1 – 20 of 326"
	Newer string // URL of the page before, "" on the first
	Older string // URL of the next page, "" on the last
}

// BandLink selects the band whose rows are listed.
type BandLink struct {
	Name, Rows, URL string
	On              bool
	Band            int // see Cell
}

// WhatIf is the form for one patient with its prediction.
type WhatIf struct {
	URL    string // target of the form
	Fields []WhatIfField
	Note   string
	Answer *WhatIfAnswer // nil before the first prediction
}

// WhatIfField is a predictor: an Input, or a Choice for a categorical one.
type WhatIfField struct {
	Input  *Input
	Choice *Choice
}

// WhatIfAnswer is the predicted band of one patient, without a probability.
type WhatIfAnswer struct {
	Band         int // predicted, from 1; 0 = none
	Strong, Rest string
	Warnings     []string
	Behind       *WhatIfAnswer // for a patient outside the training data: the prediction shown on demand
}

func moreNotices(n int) string {
	if n == 1 {
		return "One more note"
	}
	return strconv.Itoa(n) + " more notes"
}
