package web

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"taper/internal/cache"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/web/templates"
)

// shelf knows of the stored results and the presets what the list of studies
// says; both never change while the program runs, and are read once.
type shelf struct {
	labels  func() map[string]storedLabel
	mu      sync.Mutex                  // of the two below
	plans   map[string]planShape        // of presets, by id and size
	weights *cache.Cache[study.Weights] // of studies, by id, model and rate
}

// storedLabel is what the list says of a stored result.
type storedLabel struct {
	text    string
	verdict *templates.Chip
}

func newShelf() *shelf {
	return &shelf{labels: sync.OnceValue(readLabels), plans: map[string]planShape{},
		weights: cache.Sized[study.Weights](cache.Unlimited, weightsKept)}
}

// readLabels says of each stored result how large it is and whether its
// reference numbers hold.
func readLabels() map[string]storedLabel {
	all := map[string]storedLabel{}
	for _, p := range paper.Presets {
		r, ok := stored.Get(p.ID)
		if !ok {
			continue
		}
		l := storedLabel{text: format.UpperFirst(string(r.Spec.Size)) + " size, " + dayWords(r.Date)}
		if verdicts := p.Verdicts(r.Cells); len(verdicts) > 0 {
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
func (s *shelf) plan(p study.Preset, size study.Size) planShape {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := p.ID + " " + string(size)
	if known, ok := s.plans[key]; ok {
		return known
	}
	var now planShape
	if plan, err := p.Build(study.Input{Size: size, Seed: 1}); err == nil {
		now.alone = plan.Alone
		for _, u := range plan.Units {
			now.weight += max(u.Weight, 1)
		}
	}
	s.plans[key] = now
	return now
}

// oneSize reports whether quick is full already.
func (s *shelf) oneSize(p study.Preset) bool {
	return s.plan(p, study.Full).weight <= s.plan(p, study.Quick).weight && !strings.Contains(p.Protocol, "(quick") &&
		!strings.Contains(p.Protocol, "full:")
}

// weightsKept is how many histograms of studies of one's own are kept.
const weightsKept = 64

// weigh fits a model of a finished study once more to see its rows; the answer
// is kept, since it never changes.
func (s *shelf) weigh(ctx context.Context, srv *Server, st store.Study, model, rate int) (study.Weights, error) {
	key := fmt.Sprintf("%s %d %d", st.ID, model, rate)
	s.mu.Lock()
	w, ok := s.weights.Get(key)
	s.mu.Unlock()
	if ok {
		return w, nil
	}
	var data *study.Data
	if st.Spec.Dataset.ID != "" {
		var err error
		if data, err = srv.app.StudyData(ctx, &st); err != nil {
			return w, err
		}
	}
	w, err := study.Weigh(ctx, st.Spec, data, model, rate, 0)
	if err != nil {
		return w, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.weights.Put(key, w, 0)
	return w, nil
}
