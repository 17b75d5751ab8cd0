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

// tableCache caches the tables last used, at most two per dataset, so that moving a slider does
// not parse a file again. The tables are as parsed, without roles and answers; they are shared,
// and nobody may change them. The cache is bounded by bytes, not by the number of tables.
type tableCache struct {
	mu     sync.Mutex
	tables *cache.Cache[*table.Table] // by dataset and fingerprint
}

// newTableCache makes a cache of so many bytes; a larger table is kept alone. It is emptied
// when others need the memory.
func newTableCache(bytes int, memory cost.Memory) *tableCache {
	c := &tableCache{tables: cache.NewSized[*table.Table](bytes, cache.Unlimited).Within(memory.Caches)}
	memory.GiveWay(c.empty)
	return c
}

// fingerprint identifies everything besides the file's bytes that a table depends on.
func fingerprint(d store.Dataset) [32]byte {
	j, _ := json.Marshal(struct { // plain strings and numbers always encode
		Kept    bool
		Options table.Options
	}{d.State == store.Kept, d.Options.Reading()})
	return sha256.Sum256(j)
}

// get returns the table of d, calling load if it is not cached; fresh reports a call of load.
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

// put caches t as the table of d. Of d's other tables the last used one stays: the file may be
// in use in two parses, a run's and the current one.
func (c *tableCache) put(d store.Dataset, t *table.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.KeepRecent(tablePrefix(d.ID), 1)
	state := fingerprint(d)
	c.tables.Put(tablePrefix(d.ID)+string(state[:]), t, int(heapOf(t)))
}

// heapOf is the memory that a cached table takes: of one whose columns are mapped, its texts.
func heapOf(t *table.Table) int64 {
	shape := t.Shape()
	if t.Home != nil {
		shape.Rows = 0
	}
	return shape.Memory()
}

// drop removes the tables of a dataset.
func (c *tableCache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.Drop(tablePrefix(id))
}

// empty removes all tables.
func (c *tableCache) empty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables.Drop("")
}

// tablePrefix is the common prefix of the keys of a dataset's tables.
func tablePrefix(id string) string { return id + " " }
