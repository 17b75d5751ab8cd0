package studyreport

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Catalogue knows of the presets and their stored results what pages say of them;
// both never change while the program runs, and are read once.
type Catalogue struct {
	labels func() map[string]storedLabel
	mu     sync.Mutex
	plans  map[string]planShape // of presets, by id and size
}

// storedLabel is what the list says of a stored result.
type storedLabel struct {
	text    string
	verdict *templates.Chip
}

// NewCatalogue returns one that has read nothing yet.
func NewCatalogue() *Catalogue {
	return &Catalogue{labels: sync.OnceValue(readLabels), plans: map[string]planShape{}}
}

// readLabels says of each stored result how large it is and whether its
// reference numbers hold.
func readLabels() map[string]storedLabel {
	all := map[string]storedLabel{}
	for _, p := range paper.Presets {
		r, ok := ShippedOf(p)
		if !ok {
			continue
		}
		l := storedLabel{text: phrase.UpperFirst(string(r.Spec.Size)) + " size, " + DayWords(r.Date)}
		if verdicts := judged(p, r.AllCells(), r.Sets); len(verdicts) > 0 {
			l.verdict = verdictChip(verdicts)
		}
		all[p.ID] = l
	}
	return all
}

func verdictChip(all []study.Verdict) *templates.Chip {
	holds := 0
	for _, v := range all {
		if v.Holds {
			holds++
		}
	}
	if holds == len(all) {
		return &templates.Chip{Icon: "check", Label: fmt.Sprintf("%d of %d hold", holds, len(all)), Kind: "accent"}
	}
	return &templates.Chip{Icon: "warn", Label: fmt.Sprintf("%d of %d hold", holds, len(all)), Kind: "warn"}
}

// planShape is what a plan says of a preset before it runs.
type planShape struct {
	weight float64 // of its units, in the preset's own measure
	alone  bool    // it measures time
}

// plan is the shape of a preset in a size.
func (c *Catalogue) plan(p study.Preset, size study.Size) planShape {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := p.ID + " " + string(size)
	if known, ok := c.plans[key]; ok {
		return known
	}
	var now planShape
	if plan, err := p.Build(study.Input{Size: size, Seed: 1}); err == nil {
		now.alone = plan.OneAtATime
		for _, u := range plan.Units {
			now.weight += max(u.Weight, 1)
		}
	}
	c.plans[key] = now
	return now
}

// MeasuresTime reports whether the numbers of a preset are times.
func (c *Catalogue) MeasuresTime(p study.Preset) bool { return c.plan(p, study.Quick).alone }

// oneSize reports whether quick is full already.
func (c *Catalogue) oneSize(p study.Preset) bool {
	return c.plan(p, study.Full).weight <= c.plan(p, study.Quick).weight && !strings.Contains(p.Protocol, "(quick") &&
		!strings.Contains(p.Protocol, "full:")
}

// papers are the headings of the presets by the first part of their ids.
var papers = []struct{ prefix, title string }{
	{"amid", "Two-temperature logistic regression (Amid, Warmuth, Srinivasan 2019)"},
	{"fathony", "Adversarial multiclass prediction (Fathony and others 2018)"},
	{"ding", "t-logistic regression (Ding, Vishwanathan 2010)"},
	{"sypherd", "α-loss, robustness for simple models (Sypherd and others 2023)"},
	{"kimes", "Several decision rules at once (Kimes, Hayes, Marron, Liu 2016)"},
}

// Papers lists the presets by paper.
func (c *Catalogue) Papers(took Took) []templates.StudyPaper {
	var all []templates.StudyPaper
	for _, by := range papers {
		g := templates.StudyPaper{ID: "paper-" + by.prefix, Title: by.title}
		for _, p := range paper.Presets {
			if first, _, _ := strings.Cut(p.ID, "-"); first == by.prefix {
				g.Presets = append(g.Presets, c.presetLine(took, p))
			}
		}
		if len(g.Presets) > 0 {
			all = append(all, g)
		}
	}
	return all
}

func (c *Catalogue) presetLine(took Took, p study.Preset) templates.StudyPreset {
	line := templates.StudyPreset{Figure: p.Figure, Title: p.Title, Shows: firstSentences(p.Protocol, 160),
		URL:    presetPath(p.ID),
		Stored: "No stored result", Work: c.work(took, p)}
	if l, ok := c.labels()[p.ID]; ok {
		line.Stored, line.Verdict = l.text, l.verdict
		line.Runs = append(line.Runs, templates.Button{Label: "Open stored result", Icon: "go", URL: line.URL})
	}
	line.Runs = append(line.Runs, c.Runs(p)...)
	for i := range line.Runs {
		if line.Runs[i].Kind == "1" {
			line.Runs[i].Kind = ""
		}
	}
	return line
}

// firstSentences cuts a protocol after the sentence that passes n letters.
func firstSentences(text string, n int) string {
	for i := range text {
		if i >= n && strings.HasPrefix(text[i:], ". ") {
			return text[:i+1]
		}
	}
	return text
}

// work says how much a preset is: how long it took here, or its units.
func (c *Catalogue) work(took Took, p study.Preset) string {
	if c.oneSize(p) {
		return "One size, within a minute on 2 cores" + took.words(p.ID, study.Full)
	}
	text := "Quick: within a minute on 2 cores" + took.words(p.ID, study.Quick)
	if ratio := c.plan(p, study.Full).weight / c.plan(p, study.Quick).weight; ratio > 1 {
		return text + ". Full: about " + viz.Short(ratio, 2) + " times the work" + took.words(p.ID, study.Full)
	}
	return text + ". Full: more rows" + took.words(p.ID, study.Full)
}

// Took is how long the last run of a preset in a size worked here; 0 for none.
type Took func(preset string, size study.Size) time.Duration

func (t Took) words(preset string, size study.Size) string {
	if d := t(preset, size); d > 0 {
		return " (took " + format.Duration(d) + " here)"
	}
	return ""
}

// Runs start a preset in its sizes.
func (c *Catalogue) Runs(p study.Preset) []templates.Button {
	run := func(label string, size study.Size, kind string) templates.Button {
		return templates.Button{Label: label, Icon: "play", Kind: kind, Method: "POST", URL: "/studies",
			Fields: []templates.Field{{Name: "preset", Value: p.ID}, {Name: "size", Value: string(size)},
				{Name: "seed", Value: "1"}}}
	}
	change := "Change and run"
	if p.Uploads {
		change = "On my data"
	}
	more := templates.Button{Label: change, Icon: "pencil", URL: "/studies/new?preset=" + p.ID}
	if c.oneSize(p) {
		return []templates.Button{run("Run here", study.Full, "1"), more}
	}
	return []templates.Button{run("Run quick", study.Quick, "1"), run("Run full", study.Full, ""), more}
}

// Shown is the number of the user's own studies on a page of their list.
const Shown = 20

// List is the list of studies: the papers' and a page of the user's own.
type List struct {
	Papers        []templates.StudyPaper
	Own           []store.Study
	Offset, Total int // of the user's own
	Now           time.Time
}

// View is the page below its head.
func (l List) View() templates.StudyList {
	v := templates.StudyList{Papers: l.Papers}
	for _, st := range l.Own {
		v.UserStudies = append(v.UserStudies, Item(st, l.Now))
	}
	if n := len(l.Own); l.Total > n {
		v.Total = viz.Range(phrase.Int(l.Offset+1), phrase.Int(l.Offset+n)) + " of " + phrase.Int(l.Total)
		if l.Offset > 0 {
			v.Prev = "/studies?offset=" + strconv.Itoa(max(0, l.Offset-Shown))
		}
		if l.Offset+Shown < l.Total {
			v.Next = "/studies?offset=" + strconv.Itoa(l.Offset+Shown)
		}
	}
	return v
}

// DeleteDialog asks whether to delete a study.
func DeleteDialog(st store.Study) templates.Dialog {
	return templates.Dialog{ID: "delete-study", Question: "Delete ‘" + st.Name + "’?",
		Text: fmt.Sprintf("Its %d computed units are wiped from this machine. The same call computes them again.", st.Done),
		Keep: "Keep",
		Do: templates.Button{Label: "Delete the study", Icon: "trash", Kind: "bad", Method: "POST", URL: "/studies/" +
			st.ID + "/delete"}}
}
