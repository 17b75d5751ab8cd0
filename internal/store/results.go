package store

import (
	"sync"

	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/cost"
)

// results caches the decoded results of recently read runs: decoding takes as long as most of a page. A
// result does not change while its data exist, so readers share it. All are dropped after any change
// other than the addition of a single record, in particular after a deletion, so that deleted data do not
// remain in memory.
type results struct {
	mu   sync.Mutex
	kept *cache.Cache[*engine.Result] // nil if nothing is cached
}

// resultsBytes limits the cache; a result takes about twice the bytes of its JSON.
const resultsBytes = 32 << 20

// KeepResults caches the decoded results of recently read runs as long as no one else needs the memory.
func (db *DB) KeepResults(memory cost.Memory) {
	k := &db.w.results
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = cache.New[*engine.Result](resultsBytes).Within(memory.Caches)
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

func (k *results) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept != nil {
		k.kept.Drop("")
	}
}
