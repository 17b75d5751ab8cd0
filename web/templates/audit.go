package templates

import "strconv"

// Audit is the page /audit/{run}: how the ranking was computed, the queue with a card for one row, the decisions,
// and further actions.
type Audit struct {
	Progress *Progress // the ranking is being computed
	Failed   *Banner
	Said     *Banner     // result of an import
	Start    *AuditStart // no ranking yet
	Lead     []Fact
	Notes    []string
	Review   *AuditReview
	Refit    *AuditRefit
	Try      AuditTry
	Files    *AuditFiles
	Again    *AuditStart // ranks again
}

// AuditStart is the button that ranks the labels.
type AuditStart struct {
	URL, Text, Retune string // Retune is "" where there is no λ to tune
	Button            string
	Workers           string // queue of workers that may receive the rows; "" = none
}

// AuditReview is the queue.
type AuditReview struct {
	URL      string // of the page, for the filter
	Tally    []AuditCount
	Running  []ReportFigure // error rate over the course of the review
	Sort     Choice
	State    Choice
	Label    Choice
	Evidence Choice
	Table    Table
	Range    string
	Newer    string
	Older    string
	Card     *AuditCard
	Nothing  string // shown in place of a card
}

// AuditCount is one number of the review with its interval.
type AuditCount struct{ Label, Value, CI, Note string }

// AuditCard is the card of one row to decide about.
type AuditCard struct {
	Title     string // "Row 17"
	Place     string // "3 of 569"
	Question  string
	Evidence  []Fact // nil while hidden
	Hidden    string // says that the predictions are hidden
	Parts     *Table // contributions to the score
	PartsNote string
	Near      []AuditNear
	Values    []Fact
	Decision  *Chip
	Decided   string
	Note      string
	Decide    string // URL
	Undo      string
	Key, Back string
	Targets   *Choice // for several classes: the new label
	Next      string
	Previous  string
}

// AuditNear are the rows of one label nearest to the row of the card.
type AuditNear struct{ Table Table }

// AuditRefit offers a run on the reviewed labels and lists earlier ones.
type AuditRefit struct {
	URL      string
	Text     string
	Ready    bool
	Warning  string
	Children []AuditChild
	Counts   Table // labels before and after the review
}

// AuditChild is a run on reviewed labels.
type AuditChild struct {
	Name, URL, Comparison, Compare, Text string
	Status                               Chip
}

// AuditTry is the form of a trial with labels flipped deliberately.
type AuditTry struct {
	Not      string // why there is no form
	URL      string
	Kind     Choice
	Rate     Input
	Seed     Input
	Workers  string // queue of workers that may receive the rows; "" = none
	Progress *Progress
	Failed   *Banner
	Results  []AuditTrial
}

// AuditTrial is the result of one trial.
type AuditTrial struct {
	Say   string
	Table Table
}

// AuditFiles are the export and the import of the review.
type AuditFiles struct {
	Out, In string
}

// AuditComparison compares a run on reviewed labels with its parent.
type AuditComparison struct {
	Banner  Banner
	Facts   []Fact
	Buttons []Button
	Parts   []AuditPart
}

// AuditPart is a table under its heading.
type AuditPart struct {
	Title string
	Table Table
}

// partID is the id of the heading of the i-th table.
func partID(i int) string { return "part-" + strconv.Itoa(i) }
