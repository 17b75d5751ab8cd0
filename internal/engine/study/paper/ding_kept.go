package paper

import (
	"context"
	"sync"
)

// kept is a value that the units of a plan share. The first unit that asks computes it while others wait.
// If computing it failed or was cancelled, the next unit computes it again.
type kept[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
}

func (k *kept[T]) get(ctx context.Context, make func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return k.value, nil
	}
	v, err := make(ctx)
	if err != nil {
		return v, err
	}
	k.value, k.made = v, true
	return v, nil
}
