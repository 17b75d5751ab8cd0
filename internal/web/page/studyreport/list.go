package studyreport

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// ListState is the address of the list of studies.
type ListState struct {
	Paper   string `form:"paper"`   // id of a paper; "" = all
	Verdict string `form:"verdict"` // "" = any
	Offset  int    `form:"offset" range:"0 2147483647"`
}

// Verdicts on the published numbers of a preset, as in the address.
const (
	replicated = "replicated" // all numbers, and no claim of the paper differs
	differs    = "differs"
	noNumber   = "no-number"
)

// Field sets the allowed values.
func (st *ListState) Field(f *form.Field) {
	switch f.Key {
	case "paper":
		for _, p := range paper.Papers {
			f.Options = append(f.Options, p.ID)
		}
	case "verdict":
		f.Options = []string{replicated, differs, noNumber}
	}
}

// url is the address of the list in a state.
func (st ListState) url() string { return form.Address("/studies", form.Values(&st).Encode()) }

// entry is a preset of the list. It never changes while the program runs.
type entry struct {
	preset   study.Preset
	report   Report // of the stored result; without cells where there is none
	verdicts []study.Verdict
	claims   []study.Note // claims of the paper that did not replicate as stated
	picture  Picture
}

// Picture is a small drawing of a stored result with its description.
type Picture struct{ SVG, Hash, Finding string }

// readEntries reads all stored results.
func readEntries() (all []entry) {
	for _, p := range paper.Presets {
		r, ok := ShippedOf(p)
		if !ok {
			r.Spec = study.Spec{Preset: p.ID}
		}
		v, err := New(presetPath(p.ID), r.Spec, r.AllCells(), State{Setting: -1, Page: 1})
		if err != nil {
			panic("studyreport: " + p.ID + ": " + err.Error()) // they are embedded and covered by a test
		}
		v.Sets = r.Sets
		e := entry{preset: p, report: v, verdicts: v.verdicts()}
		for _, n := range p.Notes {
			if n.Claim != "" {
				e.claims = append(e.claims, n)
			}
		}
		e.picture.SVG, e.picture.Finding = viz.StudyPicture(p.Drawing, v.cells)
		sum := sha256.Sum256([]byte(e.picture.SVG))
		e.picture.Hash = hex.EncodeToString(sum[:6])
		all = append(all, e)
	}
	return all
}

// held counts the published numbers that replicated.
func (e entry) held() (n int) {
	for _, v := range e.verdicts {
		if v.Holds {
			n++
		}
	}
	return n
}

func (e entry) verdict() string {
	switch {
	case e.held() < len(e.verdicts) || len(e.claims) > 0:
		return differs
	case len(e.verdicts) > 0:
		return replicated
	}
	return noNumber
}

// Picture is the small drawing of a preset's stored result; false where there is none.
func (c *Catalogue) Picture(preset string) (Picture, bool) {
	i := slices.IndexFunc(c.entries(), func(e entry) bool { return e.preset.ID == preset })
	if i < 0 || c.entries()[i].picture.SVG == "" {
		return Picture{}, false
	}
	return c.entries()[i].picture, true
}

// Shown is the number of the user's own studies on a page of their list.
const Shown = 6

// List is the list of studies: the papers' and a page of the user's own.
type List struct {
	ListState
	Own   []store.Study
	Total int // of the user's own studies
	Now   time.Time
}

// Head is the summary of the list.
func (c *Catalogue) Head() (strong, rest string) {
	held, numbers, claims, printed, without := 0, 0, 0, 0, 0
	for _, e := range c.entries() {
		held, numbers, claims = held+e.held(), numbers+len(e.verdicts), claims+len(e.claims)
		for _, v := range e.verdicts {
			if v.Printed() {
				printed++
			}
		}
		if len(e.verdicts) == 0 {
			without++
		}
	}
	return fmt.Sprintf("%d of %d reference numbers replicated", held, numbers),
		fmt.Sprintf("in %d figures and tables of %s papers. The papers print %d of these numbers; the other %d are from an "+
			"independent rerun. %s no number to compare. %s did not hold as stated.",
			len(c.entries()), phrase.Numeral(len(paper.Papers)), printed, numbers-printed,
			phrase.UpperFirst(phrase.CountWith(without, "figure", "has", "have")),
			phrase.UpperFirst(phrase.Plural(claims, "claim", "claims")))
}

// listNote explains the columns of the list.
const listNote = "±: half-width of a 95" + format.Pc + " confidence interval. Replicated: ours differs from the " +
	"reference by no more than three standard errors of the difference plus half a unit of its last digit, or " +
	"reaches a target that is shown. The arrow runs a study again."

// View is the page below its summary.
func (c *Catalogue) View(l List) templates.StudyList {
	v := templates.StudyList{Views: c.views(false), Note: listNote, Paper: templates.Choice{Name: "paper", Label: "Paper"},
		Verdict: templates.Choice{Name: "verdict", Label: "Verdict", Options: []templates.Option{
			{Label: "Any verdict", On: l.Verdict == ""},
			{Value: replicated, Label: "Replicated", On: l.Verdict == replicated},
			{Value: differs, Label: "Differs in part", On: l.Verdict == differs},
			{Value: noNumber, Label: "No number to compare", On: l.Verdict == noNumber}}}}
	v.Paper.Options = []templates.Option{{Label: "All papers", On: l.Paper == ""}}
	for _, p := range paper.Papers {
		v.Paper.Options = append(v.Paper.Options, templates.Option{Value: p.ID, Label: p.Name, On: p.ID == l.Paper})
	}
	var chosen []entry
	for _, e := range c.entries() {
		if (l.Paper == "" || paper.PaperOf(e.preset.ID).ID == l.Paper) && (l.Verdict == "" || e.verdict() == l.Verdict) {
			chosen = append(chosen, e)
		}
	}
	if l.Paper != "" || l.Verdict != "" {
		v.Clear = ListState{Offset: l.Offset}.url()
		v.Count = fmt.Sprintf("%d of %d", len(chosen), len(c.entries()))
	}
	v.Rows = c.rows(chosen)
	for _, st := range l.Own {
		v.UserStudies = append(v.UserStudies, Item(st, l.Now))
	}
	if n := len(l.Own); l.Total > n {
		at := func(offset int) string { st := l.ListState; st.Offset = offset; return st.url() }
		v.Total = viz.Range(phrase.Int(l.Offset+1), phrase.Int(l.Offset+n)) + " of " + phrase.Int(l.Total)
		if l.Offset > 0 {
			v.Prev = at(max(0, l.Offset-Shown))
		}
		if l.Offset+Shown < l.Total {
			v.Next = at(l.Offset + Shown)
		}
	}
	return v
}

// rows are the lines of the given presets; a group is placed at its first preset.
func (c *Catalogue) rows(chosen []entry) (rows []templates.StudyRow) {
	done := map[string]bool{}
	for _, e := range chosen {
		g := paper.GroupOf(e.preset)
		if done[g.Variants[0].ID] {
			continue
		}
		done[g.Variants[0].ID] = true
		var within []entry
		var labels []paper.Variant
		for _, v := range g.Variants {
			if i := slices.IndexFunc(chosen, func(e entry) bool { return e.preset.ID == v.ID }); i >= 0 {
				within, labels = append(within, chosen[i]), append(labels, v)
			}
		}
		rows = append(rows, c.row(g.Title, within, labels))
	}
	return rows
}

// row is the line of a group, with the picture and the number of its first variant.
func (c *Catalogue) row(title string, within []entry, labels []paper.Variant) templates.StudyRow {
	lead := within[0]
	row := templates.StudyRow{Title: title, URL: presetPath(lead.preset.ID), Figure: lead.preset.Figure,
		Paper: paper.PaperOf(lead.preset.ID).Name, Preset: lead.preset.ID, Form: "run-quick"}
	if c.oneSize(lead.preset) {
		row.Form = "run-full"
	}
	if p := lead.picture; p.SVG != "" {
		row.Picture = presetPath(lead.preset.ID) + "/picture.svg?v=" + p.Hash
		row.Finding = p.Finding
	}
	if len(within) > 1 || labels[0].Label != "" {
		row.Figure = ""
		for i, e := range within {
			row.Variants = append(row.Variants, templates.Link{Label: variantLabel(e.preset, labels[i]),
				URL: presetPath(e.preset.ID)})
		}
	}
	held, all, claims := 0, 0, 0
	for _, e := range within {
		held, all, claims = held+e.held(), all+len(e.verdicts), claims+len(e.claims)
		if row.Number == "" {
			row.Number, row.Reference, row.Ours = e.headline()
		}
	}
	if all > 0 {
		row.Verdict = verdictChip(held, all)
	}
	if claims > 0 {
		row.Claims = templates.Link{Label: phrase.Plural(claims, "claim differs", "claims differ"),
			URL: notReplicated + "#" + lead.preset.ID}
	}
	return row
}

// headline is a number of a preset, published and ours: the first that differs, else the first.
func (e entry) headline() (name, reference, ours string) {
	if len(e.verdicts) == 0 {
		return "", "", ""
	}
	i := max(0, slices.IndexFunc(e.verdicts, func(v study.Verdict) bool { return !v.Holds }))
	return e.report.inWords(e.verdicts[i])
}

func verdictChip(held, all int) *templates.Chip {
	chip := &templates.Chip{Icon: "check", Label: strconv.Itoa(held) + " of " + strconv.Itoa(all) + " replicated",
		Kind: "accent"}
	if held < all {
		chip.Icon, chip.Kind = "warn", "warn"
	}
	return chip
}

// notReplicated is the address of the results that did not replicate.
const notReplicated = "/studies/not-replicated"

// views link the list and the page of results that did not replicate.
func (c *Catalogue) views(differing bool) []templates.View {
	n := 0
	for _, e := range c.entries() {
		n += len(e.verdicts) - e.held() + len(e.claims)
	}
	return []templates.View{{Label: "All studies", URL: "/studies", On: !differing},
		{Label: "What did not replicate (" + strconv.Itoa(n) + ")", URL: notReplicated, On: differing}}
}
