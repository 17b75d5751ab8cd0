package templates

// Machines is /machines.
type Machines struct {
	Queue string // "" without workers
	Table Table
	Jobs  []SharedJob
}

// SharedJob is a job computed by worker machines.
type SharedJob struct {
	ID, URL    string
	Title, Say string
	Failed     *Table // failed units; nil: none
	Again      bool   // some can be offered again
}
