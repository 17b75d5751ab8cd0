package store

import (
	"sync"

	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/cost"
)

// results are the decoded results of the runs that were read last: decoding takes as long as most
// of a page. A result never changes while its data are there, so one serves every reader. All are
// dropped after a change that concerns more than one new record, a deletion above all: what was
// deleted stays in no memory either.
type results struct {
	mu   sync.Mutex
	kept *cache.Cache[*engine.Result] // nil: none is kept
}

// resultsBytes bounds what is kept; a result takes about twice the bytes of its JSON.
const resultsBytes = 32 << 20

// KeepResults keeps the decoded results of the runs read last, as long as nobody needs the memory.
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

// keepResult keeps the result of a run that was read after a revision of the records, unless there
// is another revision now: it may be that of before a deletion, which has dropped all.
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
