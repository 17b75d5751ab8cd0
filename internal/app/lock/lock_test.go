package lock

import (
	"strconv"
	"sync"
	"testing"
)

// TestByID: what is done under the lock of an id is done one after another, and the lock is free again afterwards.
func TestByID(t *testing.T) {
	var l ByID
	var all sync.WaitGroup
	const ids, each = 200, 20 // more ids than locks
	counts := make([]int, ids)
	for id := range ids {
		for range each {
			all.Go(func() {
				defer l.Lock(strconv.Itoa(id))()
				counts[id]++ // the race detector sees two at a time
			})
		}
	}
	all.Wait()
	for id, n := range counts {
		if n != each {
			t.Errorf("%d of %d for id %d", n, each, id)
		}
	}
}
