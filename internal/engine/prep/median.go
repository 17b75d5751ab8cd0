package prep

// median returns the median of x and reorders x. It selects instead of sorting, because sorting
// every column in every fold would take longer than fitting a small model.
func median(x []float64) float64 {
	n := len(x)
	hi := pick(x, n/2)
	if n%2 == 1 {
		return hi
	}
	lo := x[0] // the largest value of the lower half
	for _, v := range x[:n/2] {
		lo = max(lo, v)
	}
	return (lo + hi) / 2
}

// pick moves the k-th smallest value (from 0) to x[k], with no larger value before it and no
// smaller one after it (Hoare's FIND, with the median of three as pivot).
func pick(x []float64, k int) float64 {
	lo, hi := 0, len(x)-1
	for lo < hi {
		pivot := middle(x[lo], x[lo+(hi-lo)/2], x[hi])
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}

// middle returns the median of three values.
func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}
