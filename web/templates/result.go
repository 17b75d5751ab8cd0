package templates

import (
	"strconv"

	"github.com/a-h/templ"
)

// Result is what a stratification found, as /stratify and /runs/{id} show it.
// Its parts are swapped one by one while a boundary is dragged; Parts names
// them.
type Result struct {
	Strong, Rest string // the headline
	Strata       Strata
	Banners      []Banner
	Open         []Notice // harmful questions nobody answered: the first lines of the page
	Notices      []Notice // the first stand open
	MoreNotices  []Notice // the others, folded away
	Reject       []Fact   // the summary of a rule that may answer "don't know"
	Figures      []Slot   // the pair under the strata: density, scatter
	Icons        []Icons
	IconsTitle   string
	Besides      Beside
	Fitting      []Slot // choice of the penalty, surrogate
	Coefficients Table
	Curves       []templ.Component // the columns that are splines; nil where every column is straight
	Rows         RowList
	Flow         Table
	Fit          []Fact // how the fit ended
	WhatIf       *WhatIf
}

// Slot is a place for a figure; what stands in it may change with the state.
type Slot struct {
	ID    string
	Chart Chart
}

// Strata is the table of the bands.
type Strata struct {
	Event string // what the risk is of
	Axis  SVG    // head of the forest column
	Bands []StrataBand
	Total StrataBand
	Notes []string
}

// StrataBand is one line of the table, every number as text.
type StrataBand struct {
	Name, Rows, Share, Events string
	Rate, CI, LR              string
	Swatch, Forest            SVG
	Verdict                   Chip
	Few                       bool   // greyed
	URL                       string // lists its rows
}

// Icons is one band as a hundred people.
type Icons struct {
	Name, Text string
	Art        SVG
}

// Beside compares the models judged on the same folds; Say names the better.
type Beside struct {
	Say   string
	Table Table
}

// RowList shows the rows of one band, a page at a time.
type RowList struct {
	Bands []BandLink
	Title string // "" while no band is chosen
	Table Table
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

// Parts are the parts of a result by their id, except the figures, whose
// options are replaced in place.
func (r Result) Parts() map[string]templ.Component {
	return map[string]templ.Component{
		"r-curves":  CurvesView(r.Curves),
		"result":    Sentence(r.Strong, r.Rest),
		"r-open":    OpenQuestions(r.Open),
		"r-strata":  StrataTable(r.Strata),
		"r-doubts":  ResultDoubts(r),
		"r-reject":  RejectFacts(r.Reject),
		"r-icons":   IconRow(r.Icons),
		"r-beside":  BesideTable(r.Besides),
		"r-coef":    TableView(r.Coefficients),
		"r-rows":    RowListView(r.Rows),
		"r-flow":    TableView(r.Flow),
		"r-fit":     FitFacts(r.Fit),
		"r-whatif":  WhatIfView(r.WhatIf),
		"r-icons-h": Words(r.IconsTitle),
	}
}

// Slots are the places of all figures of a result.
func (r Result) Slots() []Slot { return append(append([]Slot{}, r.Figures...), r.Fitting...) }

func moreNotices(n int) string {
	if n == 1 {
		return "One more note"
	}
	return strconv.Itoa(n) + " more notes"
}
