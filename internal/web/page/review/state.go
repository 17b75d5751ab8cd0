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

// State is the state of the review: the rows, their order, and the row shown. The page is a pure function of it and
// of the decisions.
type State struct {
	Selection `prefix:""`
	Row       int `form:"row" range:"1 2147483647"`  // data row of the card, from 1; 0 = the first undecided one
	Page      int `form:"page" range:"1 2147483647"` // 0 = the page of the card
	// "0" shows the predictions before a row is decided. By default they are hidden, because a control, drawn from all
	// rows, has a small s and would be recognised by it.
	Blind string `form:"blind"`

	Imported *int // number of decisions just imported; links leave it out
}

// Selection is app.Selection with its keys.
type Selection struct {
	Sort  string `form:"sort" default:"review"` // one of auditSorts
	State string `form:"state"`                 // one of auditStates
	Label string `form:"label" about:"Class as audited"`
}

// Sorts are the orders of the list: "review" is by suspicion, with random controls mixed in.
var Sorts = []string{"review", "suspicion", "margin", "weight", "row"}

// States select rows by decision.
var States = []string{"", "open", "decided", "keep", "flip", "exclude", "unsure"}

// Shown is the number of rows of a page of the list.
const Shown = 20

// Hides reports whether the evidence of the model is hidden until a row is decided.
func (q State) Hides() bool { return q.Blind != "0" }

// Field sets the allowed values and their messages.
func (q *State) Field(f *form.Field) {
	must := "must be a whole number from 1 on"
	switch f.Key {
	case "sort":
		f.Options, must = Sorts, "must be review, suspicion, margin, weight or row"
	case "state":
		f.Options, must = States, "must be open, decided, keep, flip, exclude or unsure"
	case "blind":
		f.Options, must = []string{"", "0", "1"}, "must be 0 or 1"
	case "page": // page 1 needs no key
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

// URL is the address of the state without defaults.
func (q State) URL(run string) string {
	return form.Address("/audit/"+url.PathEscape(run), form.Values(&q).Encode())
}

// Said describes the result of an import.
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
