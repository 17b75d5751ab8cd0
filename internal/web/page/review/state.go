package review

import (
	"fmt"
	"net/url"
	"strconv"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/web/templates"
)

// State is the state of the review: which rows, in what order, which one
// is looked at. The page is a pure function of it and of what was decided.
type State struct {
	Selection `prefix:""`
	Row       int  `form:"row" range:"1 2147483647"`  // data row of the card, from 1; 0 = the first that is open
	Page      int  `form:"page" range:"1 2147483647"` // 0 = that of the card
	Blind     bool `form:"blind" options:"1"`         // the model's evidence is hidden until a row is decided

	Imported *int // decisions that a file brought just now; no link goes on with it
}

// Selection is app.Selection with its keys.
type Selection struct {
	Sort  string `form:"sort" default:"review"` // one of auditSorts
	State string `form:"state"`                 // one of auditStates
	Label string `form:"label" about:"Class as audited"`
}

// Sorts are the orders of the list: "review" is that of suspicion with
// random controls mixed in.
var Sorts = []string{"review", "suspicion", "margin", "weight", "row"}

// States choose rows by what was decided.
var States = []string{"", "open", "decided", "keep", "flip", "exclude", "unsure"}

// Shown is the number of rows of a page of the list.
const Shown = 20

// Field settles the words that a key may be, and what is said of others.
func (q *State) Field(f *form.Field) {
	must := "must be a whole number from 1 on"
	switch f.Key {
	case "sort":
		f.Options, must = Sorts, "must be review, suspicion, margin, weight or row"
	case "state":
		f.Options, must = States, "must be open, decided, keep, flip, exclude or unsure"
	case "page": // the first needs no key
		f.Default = nil
		f.Write = func() []string {
			if q.Page <= 1 {
				return nil
			}
			return []string{strconv.Itoa(q.Page)}
		}
	}
	f.Problem = func(text string) string { return fmt.Sprintf(must+" (got %.40q)", text) }
}

// Parse checks the query.
func Parse(v url.Values) (q State, err error) {
	if err := form.ReadStrict(&q, v); err != nil {
		return q, err
	}
	if text := v.Get("imported"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return q, usererr.BadField("imported", "must be a whole number from 0 on (got %.40q)", text)
		}
		q.Imported = &n
	}
	return q, nil
}

// URL writes the state as a link; what is the default is left out.
func (q State) URL(run string) string {
	return form.Address("/audit/"+url.PathEscape(run), form.Values(&q).Encode())
}

// Said tells what an import came to.
func (q State) Said() *templates.Banner {
	switch {
	case q.Imported == nil:
		return nil
	case *q.Imported == 0:
		return &templates.Banner{Fact: "The file changes nothing.",
			Text: "Every decision in it stands here already, or its cells are empty."}
	}
	return &templates.Banner{Fact: phrase.UpperFirst(phrase.Count(*q.Imported, "decision")) + " imported.",
		Text: "Each can be undone, the last first."}
}
