package cost

import "sync"

// users knows who may still read what nobody refers to any more: memory outside the heap, whose slices the garbage
// collector does not follow. A request uses it until it is answered, a job from its first row to its end.
type users struct {
	mu   sync.Mutex
	ages []*age // oldest first; new users join the last one
}

// age is the time between two calls of after.
type age struct {
	open int      // users that have not left
	then []func() // called once they, and those of older ages, have left
}

// enter counts a user until leave is called, once.
func (u *users) enter() (leave func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.ages) == 0 {
		u.ages = append(u.ages, new(age))
	}
	a := u.ages[len(u.ages)-1]
	a.open++
	return func() {
		u.mu.Lock()
		a.open--
		due := u.due()
		u.mu.Unlock()
		for _, f := range due {
			f()
		}
	}
}

// after calls f when all present users have left.
func (u *users) after(f func()) {
	u.mu.Lock()
	if len(u.ages) == 0 {
		u.ages = append(u.ages, new(age))
	}
	last := u.ages[len(u.ages)-1]
	last.then = append(last.then, f)
	u.ages = append(u.ages, new(age))
	due := u.due()
	u.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// due removes the oldest ages that nobody is left of, and returns what they wait with.
func (u *users) due() (list []func()) {
	for len(u.ages) > 1 && u.ages[0].open == 0 {
		list = append(list, u.ages[0].then...)
		u.ages = u.ages[1:]
	}
	return list
}

// WhenUnused calls f when every request and every job of this moment has ended; of an unlimited memory, which does
// not know them, never.
func (m Memory) WhenUnused(f func()) {
	if m.Jobs != nil {
		m.Jobs.all.users.after(f)
	}
}
