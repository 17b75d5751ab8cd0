package job

// Roster is a crew that lists its machines and the stages they share.
type Roster interface {
	Machines() []Machine
	Shared() []Sharing
	// Again re-offers the units of a job that were set aside after repeated failures; false if
	// there are none.
	Again(job string) bool
}

// Machine is a member of a crew.
type Machine struct {
	Maker
	Cores   int       // units computed at a time
	Helps   bool      // has the same build, and the class of processor asked for
	Units   int       // finished since it joined
	Seconds float64   // total time of those units
	Holds   []Holding // currently
}

// Holding is the data of a job that a machine has in memory.
type Holding struct {
	Job    string `json:"job"`
	Kind   string `json:"kind"`
	Rows   string `json:"rows,omitempty"`  // digest of the rows; "" = none
	Bytes  int    `json:"bytes,omitempty"` // of the rows
	AtWork int    `json:"at_work"`         // units
}

// Sharing is a stage of a job that a crew works on.
type Sharing struct {
	Job                string
	Stage, Units, Done int
	Out                int          // units queued or being computed
	PerSecond          float64      // units per second since the stage began
	Failed             []FailedUnit // units that have failed so far
	Ended              bool         // the job failed because of them and is no longer shared
}

// FailedUnit is a unit that failed.
type FailedUnit struct {
	Unit    string
	On      Maker // the machine of the last attempt
	Cause   string
	Times   int
	LeftOut bool // failed too often; waits for Again
}
