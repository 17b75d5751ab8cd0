package cache

import (
	"fmt"
	"testing"
)

func TestCache(t *testing.T) {
	c := New[int](100)
	for i := range 5 {
		c.Put(fmt.Sprint("a", i), i, 40)
	}
	if _, ok := c.Get("a2"); ok || len(c.items) != 2 {
		t.Errorf("%d entries of 40 bytes in 100", len(c.items))
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
	if _, ok := c.Get("huge"); !ok || len(c.items) != 1 {
		t.Errorf("the last entry must stay, alone: %d", len(c.items))
	}
	c.Drop("hu")
	if len(c.items) != 0 {
		t.Error("dropped and still there")
	}
}
