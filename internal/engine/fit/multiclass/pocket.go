package multiclass

// pocket is the part of the problem that the working set sees.
type pocket struct {
	gram []float64 // q×q
	z    []float64 // scores, m of q
	coef []float64 // change of a_j, m of q
	dz   []float64 // m
	deta []float64
}

// work climbs in the multipliers of the set, and then moves all scores.
func (s *decomposer) work() error {
	k := s.cut()
	for range innerSweeps {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		moved := false
		for a := range s.set {
			if s.stepIn(k, a) {
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	s.move(k.coef)
	return nil
}

// cut copies what the set sees.
func (s *decomposer) cut() *pocket {
	q, k := len(s.set), &s.pocket
	for a, i := range s.set {
		c := s.gram.columns[i]
		for b, j := range s.set {
			k.gram[a*q+b] = c[j]
		}
		for l, z := range s.z {
			k.z[l*q+a] = z[i]
		}
	}
	clear(k.coef)
	return k
}

// stepIn climbs in the multipliers of the set's row a.
func (s *decomposer) stepIn(k *pocket, a int) bool {
	q, i := len(s.set), s.set[a]
	for l := range s.z {
		k.dz[l] = k.z[l*q+a]
	}
	s.p.head.apply(s.climb.f, k.dz, s.eta)
	if !s.climb.climb(i, k.gram[a*q+a]) {
		return false
	}
	clear(k.dz)
	clear(k.deta)
	s.p.head.back(k.dz, k.deta, s.climb.du, -s.p.v[i])
	for l, v := range k.deta {
		s.eta[l] += v / s.rho
	}
	for l, v := range k.dz {
		if v != 0 {
			k.coef[l*q+a] += v / s.p.l2
			axpy(v/s.p.l2, k.gram[a*q:(a+1)*q], k.z[l*q:(l+1)*q])
		}
	}
	return true
}

// move adds the change of the set's coefficients to the scores of all rows.
func (s *decomposer) move(coef []float64) {
	q := len(s.set)
	spread(s.blocks.count, s.p.x.Rows*q*len(s.z), func(b int) {
		lo, hi := s.blocks.span(b)
		for a, i := range s.set {
			for l, z := range s.z {
				if v := coef[l*q+a]; v != 0 {
					axpy(v, s.gram.columns[i][lo:hi], z[lo:hi])
				}
			}
		}
	})
}
