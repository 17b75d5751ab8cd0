// Package cache keeps the most recently used values, bounded by total cost and by number. All
// caches of the program use it.
package cache

import (
	"math"
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"taper/internal/engine/cost"
)

// Cache is a least-recently-used cache. Above its cost limit it drops the least recently used
// values, but never the last one. It is not safe for concurrent use.
type Cache[T any] struct {
	limit, total int
	budget       *cost.Budget // of bytes; nil = limit only
	lru          *simplelru.LRU[string, entry[T]]
}

type entry[T any] struct {
	value   T
	cost    int
	release func() // releases its share of the budget
}

// DefaultEntries is the limit on the entries of a cache bounded by bytes.
const DefaultEntries = 64

// Unlimited is a limit on cost or entries that is never reached.
const Unlimited = math.MaxInt

// New makes a cache of limit bytes and DefaultEntries entries.
func New[T any](limit int) *Cache[T] { return NewSized[T](limit, DefaultEntries) }

// NewSized makes a cache of at most most entries with a total cost up to limit, in the unit of
// the sizes passed to Put. It panics unless most is positive.
func NewSized[T any](limit, most int) *Cache[T] {
	c := &Cache[T]{limit: limit}
	var err error
	if c.lru, err = simplelru.NewLRU(most, func(_ string, e entry[T]) {
		c.total -= e.cost
		e.release()
	}); err != nil {
		panic(err) // most is not positive
	}
	return c
}

// Within counts the values against a budget, too. If the budget has no room, even the last
// value is dropped.
func (c *Cache[T]) Within(b *cost.Budget) *Cache[T] {
	c.budget = b
	return c
}

// Len is the number of values.
func (c *Cache[T]) Len() int { return c.lru.Len() }

// Bytes is their total cost.
func (c *Cache[T]) Bytes() int { return c.total }

// Get returns a value and marks it as most recently used.
func (c *Cache[T]) Get(key string) (value T, ok bool) {
	e, ok := c.lru.Get(key)
	return e.value, ok
}

// Put stores a value with its approximate cost.
func (c *Cache[T]) Put(key string, value T, size int) {
	// Add alone would replace an old value without the callback, and the total would still
	// contain its cost.
	c.lru.Remove(key)
	release, ok := c.budget.TryAcquire(int64(size))
	for !ok {
		if _, _, older := c.lru.RemoveOldest(); !older {
			return
		}
		release, ok = c.budget.TryAcquire(int64(size))
	}
	c.lru.Add(key, entry[T]{value, size, release})
	c.total += size
	// The library limits the number of entries only.
	for c.total > c.limit && c.lru.Len() > 1 {
		c.lru.RemoveOldest()
	}
}

// Drop removes the entries whose key begins with prefix.
func (c *Cache[T]) Drop(prefix string) { c.KeepRecent(prefix, 0) }

// KeepRecent removes the entries whose key begins with prefix, except the n most recently used.
func (c *Cache[T]) KeepRecent(prefix string, n int) {
	keys := c.lru.Keys() // oldest first
	for i := len(keys) - 1; i >= 0; i-- {
		if !strings.HasPrefix(keys[i], prefix) {
			continue
		}
		if n--; n < 0 {
			c.lru.Remove(keys[i])
		}
	}
}

// Forget removes the entries that which selects.
func (c *Cache[T]) Forget(which func(key string, value T) bool) {
	for _, key := range c.lru.Keys() {
		if e, _ := c.lru.Peek(key); which(key, e.value) {
			c.lru.Remove(key)
		}
	}
}
