package templates

import "strconv"

// Slot is a place for a figure; what stands in it may change with the state.
type Slot struct {
	ID    string
	Chart Chart
}

// RowPager says which rows of a band are listed.
type RowPager struct {
	Range string // "1 – 20 of 326"
	Newer string // URL of the page before, "" on the first
	Older string // URL of the next page, "" on the last
}

// BandLink chooses the band whose rows are listed.
type BandLink struct {
	Name, Rows, URL string
	On              bool
}

// WhatIf asks for one row and answers with its band.
type WhatIf struct {
	URL    string // where the form goes
	Fields []WhatIfField
	Note   string
	Answer *WhatIfAnswer // nil until asked
}

// WhatIfField is a predictor: an Input, or a Choice where it has levels.
type WhatIfField struct {
	Input  *Input
	Choice *Choice
}

// WhatIfAnswer is the band of one row; there is no percentage.
type WhatIfAnswer struct {
	Strong, Rest string
	Warnings     []string
	Behind       *WhatIfAnswer // outside the data: what the model says all the same
}

func moreNotices(n int) string {
	if n == 1 {
		return "One more note"
	}
	return strconv.Itoa(n) + " more notes"
}
