// Package cache keeps the values that were used last, within a total cost and
// a number of entries. It is the only such cache of the program.
package cache

import (
	"math"
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"taper/internal/engine/cost"
)

// Cache holds values by their keys. While they cost more than a limit together
// it forgets the one whose last use is longest ago; the last one stays whatever
// it costs. It is not safe for concurrent use.
type Cache[T any] struct {
	limit, total int
	budget       *cost.Budget // of bytes; nil: the limit alone
	lru          *simplelru.LRU[string, entry[T]]
}

type entry[T any] struct {
	value   T
	cost    int
	release func() // what it holds of the budget
}

// DefaultEntries bounds the entries of a cache by bytes.
const DefaultEntries = 64

// Unlimited is a limit that is never reached, on the cost or on the entries.
const Unlimited = math.MaxInt

// New makes a cache of limit bytes and Most entries.
func New[T any](limit int) *Cache[T] { return NewSized[T](limit, DefaultEntries) }

// NewSized makes a cache of at most so many entries that cost up to limit
// together, in the unit in which the caller of Put counts: bytes, or cells. It
// panics unless most is positive.
func NewSized[T any](limit, most int) *Cache[T] {
	c := &Cache[T]{limit: limit}
	var err error
	if c.lru, err = simplelru.NewLRU(most, func(_ string, e entry[T]) {
		c.total -= e.cost
		e.release()
	}); err != nil {
		panic(err) // only a caller's constant can be wrong
	}
	return c
}

// Within makes what is kept count against a budget, too: the last value does not stay where the
// budget has no room for it.
func (c *Cache[T]) Within(b *cost.Budget) *Cache[T] {
	c.budget = b
	return c
}

// Len is the number of values it holds.
func (c *Cache[T]) Len() int { return c.lru.Len() }

// Bytes is what they cost.
func (c *Cache[T]) Bytes() int { return c.total }

// Get finds a value, which is then the one used last.
func (c *Cache[T]) Get(key string) (value T, ok bool) {
	e, ok := c.lru.Get(key)
	return e.value, ok
}

// Put keeps a value that costs about so much.
func (c *Cache[T]) Put(key string, value T, size int) {
	// Add alone would replace an old value without calling back, and the cost
	// of the old value would stay in the total.
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
	// The library limits the number of entries, not their cost.
	for c.total > c.limit && c.lru.Len() > 1 {
		c.lru.RemoveOldest()
	}
}

// Drop forgets the entries whose key begins with prefix.
func (c *Cache[T]) Drop(prefix string) { c.KeepRecent(prefix, 0) }

// KeepRecent leaves the n last used of the entries whose key begins with prefix.
func (c *Cache[T]) KeepRecent(prefix string, n int) {
	keys := c.lru.Keys() // the oldest first
	for i := len(keys) - 1; i >= 0; i-- {
		if !strings.HasPrefix(keys[i], prefix) {
			continue
		}
		if n--; n < 0 {
			c.lru.Remove(keys[i])
		}
	}
}

// Forget drops the entries that it is told to.
func (c *Cache[T]) Forget(which func(key string, value T) bool) {
	for _, key := range c.lru.Keys() {
		if e, _ := c.lru.Peek(key); which(key, e.value) {
			c.lru.Remove(key)
		}
	}
}
