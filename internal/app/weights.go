package app

import (
	"context"
	"fmt"
	"sync"

	"taper/internal/cache"
	"taper/internal/engine/cost"
	"taper/internal/engine/study"
	"taper/internal/store"
)

// weightsKept is how many histograms of studies of one's own are kept.
const weightsKept = 64

// weightGroupBytes are about those of a group of rows in a histogram.
const weightGroupBytes = 128 + 8*study.WeightBins

// studyWeights keeps what was weighed last.
type studyWeights struct {
	mu    sync.Mutex
	known *cache.Cache[study.Weights] // by study, model and rate
}

func newStudyWeights(memory cost.Memory) *studyWeights {
	w := &studyWeights{known: cache.NewSized[study.Weights](cache.Unlimited, weightsKept).Within(memory.Caches)}
	memory.GiveWay(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.known.Drop("")
	})
	return w
}

// StudyWeights fits a model of a finished study once more to see how much its rows
// weigh, at a rate of noise, both by their places in the spec. The answer is kept,
// since it never changes.
func (a *App) StudyWeights(ctx context.Context, st store.Study, model, rate int) (study.Weights, error) {
	key := fmt.Sprintf("%s %d %d", st.ID, model, rate)
	a.weights.mu.Lock()
	w, ok := a.weights.known.Get(key)
	a.weights.mu.Unlock()
	if ok {
		return w, nil
	}
	var data *study.Data
	if st.Spec.Dataset.ID != "" {
		var err error
		if data, err = a.StudyData(ctx, &st); err != nil {
			return w, err
		}
	}
	w, err := study.Weigh(ctx, st.Spec, data, model, rate, 0)
	if err != nil {
		return w, err
	}
	a.weights.mu.Lock()
	defer a.weights.mu.Unlock()
	a.weights.known.Put(key, w, weightGroupBytes*len(w.Groups))
	return w, nil
}
