package studyreport

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Catalogue caches what pages show of the presets and their stored results. Both are part of the program, so they
// are read once.
type Catalogue struct {
	entries func() []entry
	mu      sync.Mutex
	plans   map[string]planShape // of presets, by id and size
}

// NewCatalogue returns an empty catalogue.
func NewCatalogue() *Catalogue {
	return &Catalogue{entries: sync.OnceValue(readEntries), plans: map[string]planShape{}}
}

// planShape is what the plan of a preset gives before it runs.
type planShape struct {
	weight float64 // sum over units, in the measure of the preset
	alone  bool    // measures time
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

// MeasuresTime reports whether the results of a preset are durations.
func (c *Catalogue) MeasuresTime(p study.Preset) bool { return c.plan(p, study.Quick).alone }

// oneSize reports whether the quick and the full size are the same.
func (c *Catalogue) oneSize(p study.Preset) bool {
	return c.plan(p, study.Full).weight <= c.plan(p, study.Quick).weight && !strings.Contains(p.Protocol, "(quick") &&
		!strings.Contains(p.Protocol, "full:")
}

// work describes the size of a preset: the duration on this machine, or the number of units.
func (c *Catalogue) work(took Took, p study.Preset) string {
	if c.oneSize(p) {
		return "One size, under a minute on 2 cores" + took.words(p.ID, study.Full)
	}
	text := "Quick: under a minute on 2 cores" + took.words(p.ID, study.Quick)
	if ratio := c.plan(p, study.Full).weight / c.plan(p, study.Quick).weight; ratio > 1 {
		return text + ". Full: about " + viz.Short(ratio, 2) + " times the work" + took.words(p.ID, study.Full)
	}
	return text + ". Full: more rows" + took.words(p.ID, study.Full)
}

// Took is the duration of the last run of a preset in a size on this machine; 0 for none.
type Took func(preset string, size study.Size) time.Duration

func (t Took) words(preset string, size study.Size) string {
	if d := t(preset, size); d > 0 {
		return " (took " + format.Duration(d) + " here)"
	}
	return ""
}

// Runs are buttons that run a preset in its sizes.
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

// DeleteDialog asks whether to delete a study.
func DeleteDialog(st store.Study) templates.Dialog {
	return templates.Dialog{ID: "delete-study", Question: "Delete ‘" + st.Name + "’?",
		Text: fmt.Sprintf("Its %d computed jobs are wiped from this machine. The same call computes them again.", st.Done),
		Keep: "Keep",
		Do: templates.Button{Label: "Delete the study", Icon: "trash", Kind: "bad", Method: "POST", URL: "/studies/" +
			st.ID + "/delete"}}
}
