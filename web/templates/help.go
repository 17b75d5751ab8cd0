package templates

// Help is one help topic.
type Help struct {
	Lead    string // the answer in one sentence
	Formula []Math // nil without a formula
	Parts   []HelpPart
	Source  string
	Errata  []string // errors in the source's formulas, or common misreadings
	See     []Link
	Try     []Link // example states of the explorer
}

// HelpPart is a titled paragraph or list.
type HelpPart struct {
	Title string
	Text  string
	List  []HelpItem
}

// HelpItem is a line of a list: what, and what it means.
type HelpItem [2]string

// HelpGroup is a part of the index.
type HelpGroup struct {
	Title string
	Links []Link
}
