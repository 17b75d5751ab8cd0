package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestCache(t *testing.T) {
	c := New[int](100)
	for i := range 5 {
		c.Put(fmt.Sprint("a", i), i, 40)
	}
	if _, ok := c.Get("a2"); ok || c.Len() != 2 {
		t.Errorf("%d entries of 40 bytes in 100", c.Len())
	}
	c.Get("a3")
	c.Put("b", 9, 40)
	if _, ok := c.Get("a4"); ok {
		t.Error("the entry that was used least recently stays")
	}
	if v, ok := c.Get("a3"); !ok || v != 3 {
		t.Error("the entry that was just used is gone")
	}
	c.Put("huge", 1, 1000)
	if _, ok := c.Get("huge"); !ok || c.Len() != 1 {
		t.Errorf("the last entry must stay, alone: %d", c.Len())
	}
	c.Drop("hu")
	if c.Len() != 0 || c.Bytes() != 0 {
		t.Error("dropped and still there")
	}
}

// listed is a simple implementation as a list, for comparison.
type listed struct {
	limit, most int
	items       []item // most recently used first
}

type item struct {
	key         string
	value, cost int
}

func (l *listed) get(key string) (int, bool) {
	i := slices.IndexFunc(l.items, func(it item) bool { return it.key == key })
	if i < 0 {
		return 0, false
	}
	it := l.items[i]
	l.items = slices.Insert(slices.Delete(l.items, i, i+1), 0, it)
	return it.value, true
}

func (l *listed) put(key string, value, cost int) {
	l.forget(func(k string) bool { return k == key })
	l.items = slices.Insert(l.items, 0, item{key, value, cost})
	total := 0
	for i, it := range l.items {
		if total += it.cost; i > 0 && (total > l.limit || i >= l.most) {
			l.items = l.items[:i]
			return
		}
	}
}

func (l *listed) thin(prefix string, n int) {
	seen := 0
	l.forget(func(k string) bool {
		if strings.HasPrefix(k, prefix) {
			seen++
			return seen > n
		}
		return false
	})
}

func (l *listed) forget(which func(string) bool) {
	l.items = slices.DeleteFunc(l.items, func(it item) bool { return which(it.key) })
}

// TestCacheIsTheList applies the same random operations to both.
func TestCacheIsTheList(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		l := &listed{limit: 10 * r.IntN(20), most: 1 + r.IntN(8)}
		c := NewSized[int](l.limit, l.most)
		for step := range 200 {
			key := string(rune('a'+r.IntN(3))) + " " + fmt.Sprint(r.IntN(5))
			switch r.IntN(10) {
			default:
				v, ok := c.Get(key)
				if w, there := l.get(key); v != w || ok != there {
					t.Fatalf("get %q: %d %v, want %d %v", key, v, ok, w, there)
				}
			case 0, 1, 2, 3, 4:
				cost := r.IntN(60)
				c.Put(key, step, cost)
				l.put(key, step, cost)
			case 5:
				c.KeepRecent(key[:2], 1)
				l.thin(key[:2], 1)
			case 6:
				c.Drop(key[:2])
				l.thin(key[:2], 0)
			case 7:
				c.Forget(func(k string, v int) bool {
					e, _ := c.lru.Peek(k)
					return k == key && v == e.value
				})
				l.forget(func(k string) bool { return k == key })
			}
			keys, total := []string{}, 0
			for _, it := range l.items {
				keys, total = append([]string{it.key}, keys...), total+it.cost
			}
			if !slices.Equal(c.lru.Keys(), keys) || c.Bytes() != total || c.Len() != len(keys) {
				t.Fatalf("keys %v of %d bytes, want %v of %d", c.lru.Keys(), c.Bytes(), keys, total)
			}
		}
	}
}
