package templates

import "strconv"

// Audit is the page /audit/{run}: how the ranking came about, the queue with a
// card for one row, what was decided, and what can be done with it.
type Audit struct {
	Progress *Progress // the ranking is being made
	Failed   *Banner
	Said     *Banner     // what an import came to
	Start    *AuditStart // no ranking yet
	Lead     []Fact
	Notes    []string
	Review   *AuditReview
	Refit    *AuditRefit
	Try      AuditTry
	Files    *AuditFiles
	Again    *AuditStart // ranks again
}

// AuditStart offers to make the ranking.
type AuditStart struct {
	URL, Text, Retune string // Retune is "" where there is no λ to tune
	Button            string
	Workers           string // queue to which the rows may go; "" = none
}

// AuditReview is the queue.
type AuditReview struct {
	URL      string // of the page, for the filter
	Tally    []AuditCount
	Running  []ReportFigure // the error rate as the review went on
	Sort     Choice
	State    Choice
	Label    Choice
	Evidence Choice
	Table    Table
	Range    string
	Newer    string
	Older    string
	Card     *AuditCard
	Nothing  string // what stands in place of a card
}

// AuditCount is one number of the review with its interval.
type AuditCount struct{ Label, Value, CI, Note string }

// AuditCard is one row to decide about.
type AuditCard struct {
	Title     string // "Row 17"
	Place     string // "3 of 569"
	Question  string
	Evidence  []Fact // nil while hidden
	Hidden    string // says that the evidence is hidden
	Parts     *Table // what the score is made of
	PartsNote string
	Near      []AuditNear
	Values    []Fact
	Decision  *Chip
	Decided   string
	Note      string
	Decide    string // URL
	Undo      string
	Key, Back string
	Targets   *Choice // several classes: where a flip goes
	Next      string
	Previous  string
}

// AuditNear is the rows of one label nearest to the card's.
type AuditNear struct{ Table Table }

// AuditRefit offers a run on the reviewed labels and lists those made.
type AuditRefit struct {
	URL      string
	Text     string
	Ready    bool
	Warning  string
	Children []AuditChild
	Counts   Table // labels before and after
}

// AuditChild is a run on reviewed labels.
type AuditChild struct {
	Name, URL, Comparison, Compare, Text string
	Status                               Chip
}

// AuditTry flips labels deliberately.
type AuditTry struct {
	Not      string // why there is no form
	URL      string
	Kind     Choice
	Rate     Input
	Seed     Input
	Workers  string // queue to which the rows may go; "" = none
	Progress *Progress
	Failed   *Banner
	Results  []AuditTrial
}

// AuditTrial is one result.
type AuditTrial struct {
	Say   string
	Table Table
}

// AuditFiles are the review as a file, out and in.
type AuditFiles struct {
	Out, In string
}

// AuditComparison is a run on reviewed labels beside its parent.
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
