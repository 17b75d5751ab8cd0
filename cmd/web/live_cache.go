package main

import (
	"slices"
	"strings"
)

// cache keeps what was used last, within a number of bytes; the last entry
// stays whatever its size. It is not safe for concurrent use.
type cache[T any] struct {
	limit int
	items []cached[T] // last used first
}

type cached[T any] struct {
	key   string
	value T
	bytes int
}

// maxCached bounds the entries besides their bytes.
const maxCached = 64

func newCache[T any](limit int) *cache[T] { return &cache[T]{limit: limit} }

func (c *cache[T]) get(key string) (value T, ok bool) {
	i := slices.IndexFunc(c.items, func(it cached[T]) bool { return it.key == key })
	if i < 0 {
		return value, false
	}
	it := c.items[i]
	c.items = slices.Insert(slices.Delete(c.items, i, i+1), 0, it)
	return it.value, true
}

func (c *cache[T]) put(key string, value T, bytes int) {
	c.forget(func(k string) bool { return k == key })
	c.items = slices.Insert(c.items, 0, cached[T]{key, value, bytes})
	total := 0
	for i, it := range c.items {
		if total += it.bytes; i > 0 && (total > c.limit || i >= maxCached) {
			clear(c.items[i:])
			c.items = c.items[:i]
			return
		}
	}
}

// drop forgets the entries whose key begins with prefix.
func (c *cache[T]) drop(prefix string) {
	c.forget(func(k string) bool { return strings.HasPrefix(k, prefix) })
}

func (c *cache[T]) forget(which func(key string) bool) {
	c.items = slices.DeleteFunc(c.items, func(it cached[T]) bool { return which(it.key) })
}
