package prep

// median returns the middle of x, or the mean of the two middle values, and
// reorders x: quickselect, because a sort of every column in every fold would
// cost more than the fit of a small model.
func median(x []float64) float64 {
	n := len(x)
	hi := pick(x, n/2)
	if n%2 == 1 {
		return hi
	}
	lo := x[0] // the largest of the lower half
	for _, v := range x[:n/2] {
		lo = max(lo, v)
	}
	return (lo + hi) / 2
}

// pick moves the k-th smallest value (from 0) to x[k], nothing larger before
// it and nothing smaller after it (Hoare's FIND, median of three as pivot).
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

// middle returns the middle one of three values.
func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}
