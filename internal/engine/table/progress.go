package table

import "sync"

// Progress receives what a reading does, and which fraction of it is done, from 0 to 1. Its calls do not overlap.
type Progress func(doing string, fraction float64)

// Say reports the start of a step; a nil Progress receives nothing.
func (p Progress) Say(doing string, fraction float64) {
	if p != nil {
		p(doing, fraction)
	}
}

// steps counts the bytes of one pass over a file, which workers finish in any order.
type steps struct {
	tell  Progress
	doing string
	total int

	mu   sync.Mutex
	done int
	told int // reports
}

// mostReports is how often one pass reports at most; the number does not depend on the time that it takes.
const mostReports = 200

// start begins to count a pass over total bytes.
func (p Progress) start(doing string, total int) *steps {
	p.Say(doing, 0)
	return &steps{tell: p, doing: doing, total: total}
}

// add counts n more bytes as done.
func (s *steps) add(n int) {
	if s.tell == nil || s.total <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	if part := int(float64(s.done) / float64(s.total) * mostReports); part > s.told {
		s.told = part
		s.tell(s.doing, float64(s.done)/float64(s.total))
	}
}
