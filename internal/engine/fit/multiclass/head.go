package multiclass

import "math"

// head says how potentials follow from a score with m entries and r offsets: f = S·z + B·η. The
// parameters are W (m rows) and η.
type head struct {
	k, m, r int
	s, b    []float64 // k×m and k×r, row-major
	ss, bb  []float64 // S·Sᵀ and B·Bᵀ, k×k: the effect of a row's u on its own f
	free    bool      // the offsets are not penalised; B has entries ±1 then
}

// perClass has one weight vector per class, and a constant feature if wanted.
func perClass(k int, constant bool) head { return basisHead(k, k, identity(k), constant) }

// sumZero has potentials that sum to 0. It uses an orthonormal basis of these (Helmert's), so that the
// penalty equals that on k weight vectors (Lee, Lin and Wahba; docs/math.md, Baselines).
func sumZero(k int, constant bool) head {
	s := make([]float64, k*(k-1))
	for j := range k - 1 {
		scale := 1 / math.Sqrt(float64((j+1)*(j+2)))
		for c := range j + 1 {
			s[c*(k-1)+j] = scale
		}
		s[(j+1)*(k-1)+j] = -float64(j+1) * scale
	}
	return basisHead(k, k-1, s, constant)
}

func basisHead(k, m int, s []float64, constant bool) head {
	h := head{k: k, m: m, s: s}
	if constant {
		h.r, h.b = m, s
	}
	return h.ready()
}

// ordinal is the form th for ordered classes: f_c = (c+1)·z + Σ_{l≥c} η_l (docs/math.md, section 7.6).
func ordinal(k int) head {
	h := head{k: k, m: 1, r: k - 1, s: make([]float64, k), b: make([]float64, k*(k-1))}
	for c := range k {
		h.s[c] = float64(c + 1)
		for l := c; l < k-1; l++ {
			h.b[c*(k-1)+l] = 1
		}
	}
	return h.ready()
}

// cuts is one score with k−1 thresholds, f_l = z − η_l.
func cuts(k int, free bool) head {
	h := head{k: k - 1, m: 1, r: k - 1, s: make([]float64, k-1), b: make([]float64, (k-1)*(k-1)), free: free}
	for l := range k - 1 {
		h.s[l], h.b[l*(k-1)+l] = 1, -1
	}
	return h.ready()
}

// single is the score for two classes, f = z + η.
func single() head {
	return head{k: 1, m: 1, r: 1, s: []float64{1}, b: []float64{1}, free: true}.ready()
}

// bare is the score for two classes without an offset, f = z.
func bare() head { return head{k: 1, m: 1, s: []float64{1}}.ready() }

// even reports whether a change of a row's u changes its f by a multiple of itself.
func (h head) even() bool {
	for i := range h.k {
		for j := range h.k {
			s, b := h.ss[i*h.k+j], h.bb[i*h.k+j]
			if i == j && (s != h.ss[0] || b != h.bb[0]) || i != j && (s != 0 || b != 0) {
				return false
			}
		}
	}
	return true
}

func identity(k int) []float64 {
	s := make([]float64, k*k)
	for j := range k {
		s[j*k+j] = 1
	}
	return s
}

func (h head) ready() head {
	h.ss, h.bb = gramOf(h.s, h.k, h.m), gramOf(h.b, h.k, h.r)
	return h
}

// gramOf returns A·Aᵀ of a k×m matrix.
func gramOf(a []float64, k, m int) []float64 {
	g := make([]float64, k*k)
	for i := range k {
		for j := range k {
			for l := range m {
				g[i*k+j] += a[i*m+l] * a[j*m+l]
			}
		}
	}
	return g
}

// apply fills f with S·z + B·η.
func (h head) apply(f, z, eta []float64) {
	clear(f)
	h.addTo(f, h.s, z)
	h.addTo(f, h.b, eta)
}

func (h head) addTo(f, a, z []float64) {
	m := len(z)
	for c := range f {
		sum := 0.0
		for l, v := range a[c*m : (c+1)*m] {
			sum += v * z[l]
		}
		f[c] += sum
	}
}

// back adds scale·Sᵀu to z and scale·Bᵀu to η.
func (h head) back(z, eta, u []float64, scale float64) {
	for c, v := range u {
		if v *= scale; v == 0 {
			continue
		}
		for l, s := range h.s[c*h.m : (c+1)*h.m] {
			z[l] += s * v
		}
		for l, b := range h.b[c*h.r : (c+1)*h.r] {
			eta[l] += b * v
		}
	}
}
