package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"taper/internal/engine/table"
	"taper/internal/store"
)

// tableCache keeps the few tables last used, of a dataset at most two, so that
// a slider move or the next question about a file does not read it again. They
// hold what the reading gave, without roles and answers, and are shared: nobody
// changes one. What is kept is bounded by cells, not by files.
type tableCache struct {
	mu    sync.Mutex
	items []cachedTable // last used first
	cells int           // most cells to keep beyond the last table
}

type cachedTable struct {
	id    string
	state [32]byte // of everything the table depends on
	t     *table.Table
}

func newTableCache(cells int) *tableCache { return &tableCache{cells: cells} }

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
func (c *tableCache) get(ctx context.Context, d store.Dataset, load func() (*table.Table, error)) (t *table.Table, fresh bool, err error) {
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
	for i, it := range c.items {
		if it.id == id && it.state == state {
			c.items = slices.Insert(slices.Delete(c.items, i, i+1), 0, it)
			return it.t
		}
	}
	return nil
}

// put makes t the table of d.
func (c *tableCache) put(d store.Dataset, t *table.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.thin(d.ID)
	c.items = slices.Insert(c.items, 0, cachedTable{d.ID, fingerprint(d), t})
	cells := 0
	for i, it := range c.items {
		if cells += it.t.Rows * len(it.t.Columns); cells > c.cells && i > 0 {
			c.items = slices.Delete(c.items, i, len(c.items))
			return
		}
	}
}

// thin leaves one table of a dataset, the last used: the file as a run read it
// may stand beside the file as it is read now.
func (c *tableCache) thin(id string) {
	seen := 0
	c.items = slices.DeleteFunc(c.items, func(it cachedTable) bool {
		if it.id == id {
			seen++
		}
		return it.id == id && seen > 1
	})
}

// drop forgets a dataset.
func (c *tableCache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(id)
}

func (c *tableCache) forget(id string) {
	c.items = slices.DeleteFunc(c.items, func(it cachedTable) bool { return it.id == id })
}
