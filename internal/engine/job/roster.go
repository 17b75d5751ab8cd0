package job

// Roster is a crew that says who is in it and what it does.
type Roster interface {
	Machines() []Machine
	Shared() []Sharing
	// Again offers the units of a job once more that failed too often; false: there are none.
	Again(job string) bool
}

// Machine is one of a crew, and what it did.
type Machine struct {
	Maker
	Cores   int       // units at a time
	Helps   bool      // it is of our build, and of the class that is asked for
	Units   int       // done since it joined
	Seconds float64   // of all its units
	Holds   []Holding // now
}

// Holding is what a machine has in memory of a job.
type Holding struct {
	Job    string `json:"job"`
	Kind   string `json:"kind"`
	Rows   string `json:"rows,omitempty"`  // digest of the rows; "" = none
	Bytes  int    `json:"bytes,omitempty"` // of the rows
	AtWork int    `json:"at_work"`         // units
}

// Sharing is a stage of a job that a crew does.
type Sharing struct {
	Job                string
	Stage, Units, Done int
	Out                int          // units in the queue or at work
	PerSecond          float64      // units since the stage began
	Failed             []FailedUnit // those that did not succeed so far
	Ended              bool         // the job failed by them; nothing of it is shared any more
}

// FailedUnit is a unit that did not succeed.
type FailedUnit struct {
	Unit    string
	On      Maker // last
	Cause   string
	Times   int
	LeftOut bool // it failed too often, and waits for Again
}
