package arena

import (
	"runtime"
	"sync"
)

// parallel calls do on even parts of 0 … n−1 on all cores and waits.
func parallel(n int, do func(lo, hi int)) {
	parts := min(runtime.GOMAXPROCS(0), n/64)
	if parts < 2 {
		do(0, n)
		return
	}
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() { do(p*n/parts, (p+1)*n/parts) })
	}
	wg.Wait()
}
