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

// weightsKept is the number of cached weight histograms of users' own studies.
const weightsKept = 64

// weightGroupBytes estimates the memory of one group of a histogram.
const weightGroupBytes = 128 + 8*study.WeightBins

// studyWeights caches the histograms last used.
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

// StudyWeights refits a model of a finished study to show the weights of its rows at a noise
// rate; model and rate are indices in the spec. Results are cached, since they never change.
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
