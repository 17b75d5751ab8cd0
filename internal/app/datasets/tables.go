package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"taper/internal/cache"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// tableCache keeps the few tables last used, of a dataset at most two, so that
// a slider move or the next question about a file does not read it again. They
// hold what the reading gave, without roles and answers, and are shared: nobody
// changes one. What is kept is bounded by bytes, not by files.
type tableCache struct {
	mu     sync.Mutex
	tables *cache.Cache[*table.Table] // by dataset and fingerprint
}

// newTableCache makes a cache of so many bytes, beyond which the last table stays alone, and gives
// way to who needs the memory.
func newTableCache(bytes int, memory cost.Memory) *tableCache {
	c := &tableCache{tables: cache.NewSized[*table.Table](bytes, cache.Unlimited).Within(memory.Caches)}
	memory.GiveWay(c.empty)
	return c
}

// fingerprint is what a dataset's table depends on besides the bytes.
func fingerprint(d store.Dataset) [32]byte {
	j, _ := json.Marshal(struct { // plain strings and numbers cannot fail
		Kept    bool
		Options table.Options
	}{d.State == store.Kept, d.Options.Reading()})
	return sha256.Sum256(j)
}

// get returns the table of d, read by load unless it is here; fresh says that
// it was.
func (c *tableCache) get(ctx context.Context, d store.Dataset,
	load func() (*table.Table, error)) (t *table.Table, fresh bool, err error) {
	if t := c.find(d.ID, fingerprint(d)); t != nil {
		return t, false, nil
	}
	if t, err = load(); err != nil {
		return nil, true, err
	}
	c.put(d, t)
	return t, true, ctx.Err()
}

func (c *tableCache) find(id string, state [32]byte) *table.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, _ := c.tables.Get(tablePrefix(id) + string(state[:]))
	return t
}

// put makes t the table of d. Of the others of d the last used stays: the file
// as a run read it may stand beside the file as it is read now.
func (c *tableCache) put(d store.Dataset, t *table.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.KeepRecent(tablePrefix(d.ID), 1)
	state := fingerprint(d)
	c.tables.Put(tablePrefix(d.ID)+string(state[:]), t, int(t.Shape().Memory()))
}

// drop forgets a dataset.
func (c *tableCache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.Drop(tablePrefix(id))
}

// empty forgets all tables.
func (c *tableCache) empty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.Drop("")
}

// tablePrefix begins the keys of a dataset's tables, and of no other's.
func tablePrefix(id string) string { return id + " " }
