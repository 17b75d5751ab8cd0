package templates

// Machines is /machines.
type Machines struct {
	Queue string // "" where everything is computed here
	Table Table
	Jobs  []SharedJob
}

// SharedJob is a job that other machines do.
type SharedJob struct {
	ID, URL, Say string
	Failed       *Table // units that did not succeed; nil: none
	Again        bool   // some can be offered once more
}
