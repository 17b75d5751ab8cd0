// Package cache keeps what was used last, within a number of bytes.
package cache

import (
	"slices"
	"strings"
)

// Cache holds values by their keys, up to a number of bytes and of entries;
// the last one stays whatever its size. It is not safe for concurrent use.
type Cache[T any] struct {
	limit int
	items []entry[T] // last used first
}

type entry[T any] struct {
	key   string
	value T
	bytes int
}

// Most bounds the entries besides their bytes.
const Most = 64

// New makes a cache of limit bytes.
func New[T any](limit int) *Cache[T] { return &Cache[T]{limit: limit} }

// Len is the number of values it holds.
func (c *Cache[T]) Len() int { return len(c.items) }

// Bytes is what they take.
func (c *Cache[T]) Bytes() int {
	n := 0
	for _, it := range c.items {
		n += it.bytes
	}
	return n
}

// Get finds a value, which is then the one used last.
func (c *Cache[T]) Get(key string) (value T, ok bool) {
	i := slices.IndexFunc(c.items, func(it entry[T]) bool { return it.key == key })
	if i < 0 {
		return value, false
	}
	it := c.items[i]
	c.items = slices.Insert(slices.Delete(c.items, i, i+1), 0, it)
	return it.value, true
}

// Put keeps a value that takes about so many bytes.
func (c *Cache[T]) Put(key string, value T, bytes int) {
	c.Forget(func(k string) bool { return k == key })
	c.items = slices.Insert(c.items, 0, entry[T]{key, value, bytes})
	total := 0
	for i, it := range c.items {
		if total += it.bytes; i > 0 && (total > c.limit || i >= Most) {
			clear(c.items[i:])
			c.items = c.items[:i]
			return
		}
	}
}

// Drop forgets the entries whose key begins with prefix.
func (c *Cache[T]) Drop(prefix string) {
	c.Forget(func(k string) bool { return strings.HasPrefix(k, prefix) })
}

// Forget drops the entries that it is told to.
func (c *Cache[T]) Forget(which func(key string) bool) {
	c.items = slices.DeleteFunc(c.items, func(it entry[T]) bool { return which(it.key) })
}
