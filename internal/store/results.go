package store

import (
	"encoding/json"
	"slices"
	"sync"

	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
)

// results caches the decoded results of recently read runs, and the decoded profiles of the columns of datasets, by
// their text: decoding takes as long as most of a page, and a tenth of the answer to a move of a slider. A
// result does not change while its data exist, so readers share it. All are dropped after any change
// other than the addition of a single record, in particular after a deletion, so that deleted data do not
// remain in memory.
type results struct {
	mu    sync.Mutex
	kept  *cache.Cache[*engine.Result] // nil if nothing is cached
	about *cache.Cache[[]table.Profile]
}

// Limits of the caches; a result takes about twice the bytes of its JSON, and profiles with their text three times.
const (
	resultsBytes  = 32 << 20
	profilesBytes = 4 << 20
)

// KeepResults caches the decoded results of recently read runs as long as no one else needs the memory.
func (db *DB) KeepResults(memory cost.Memory) {
	k := &db.w.results
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = cache.New[*engine.Result](resultsBytes).Within(memory.Caches)
	k.about = cache.New[[]table.Profile](profilesBytes).Within(memory.Caches)
	memory.GiveWay(k.drop)
}

func (k *results) get(run string) *engine.Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		return nil
	}
	r, _ := k.kept.Get(run)
	return r
}

// keepResult caches a result read at a revision of the records, unless the revision has changed since:
// the result could be from before a deletion, which has emptied the cache.
func (db *DB) keepResult(run string, r *engine.Result, size int, revision uint64) {
	k := &db.w.results
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept != nil && db.RecordsRevision() == revision {
		k.kept.Put(run, r, 2*size)
	}
}

// profiles decodes the profiles read at a revision of the records, or takes those of an equal text. The caller may
// change the list, but not the lists of levels in it.
func (db *DB) profiles(text string, revision uint64) (all []table.Profile, err error) {
	k := &db.w.results
	if all, ok := k.profiles(text); ok {
		return all, nil
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.about != nil && db.RecordsRevision() == revision {
		k.about.Put(text, slices.Clone(all), 3*len(text))
	}
	return all, nil
}

func (k *results) profiles(text string) ([]table.Profile, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.about == nil {
		return nil, false
	}
	all, ok := k.about.Get(text)
	return slices.Clone(all), ok
}

func (k *results) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept != nil {
		k.kept.Drop("")
		k.about.Drop("")
	}
}
