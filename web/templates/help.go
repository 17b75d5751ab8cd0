package templates

// Help is one help topic.
type Help struct {
	Lead    string // the answer in a sentence
	Formula []Math // none where there is nothing to write down
	Parts   []HelpPart
	Source  string
	Errata  []string // where a formula of the source is wrong or easily misread
	See     []Link
	Try     []Link // states of the explorer worth a look
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
