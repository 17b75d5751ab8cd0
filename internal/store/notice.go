package store

import "sync"

// notices are sentences for the log: what opening the folder found, and what
// work in the background finds later. They name ids and folders, never a name
// or a value of the user's.
type notices struct {
	mu     sync.Mutex
	tell   func(sentence string) // nil: nobody listens yet
	waited []string
}

// Tell hands every notice so far, and every later one, to a function, which
// must not call back.
func (db *DB) Tell(tell func(sentence string)) {
	n := &db.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell = tell
	for _, s := range n.waited {
		tell(s)
	}
	n.waited = nil
}

func (db *DB) say(sentence string) {
	n := &db.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tell == nil {
		n.waited = append(n.waited, sentence)
		return
	}
	n.tell(sentence)
}
