package job

import (
	"context"
	"fmt"

	"taper/internal/engine/phrase"
)

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
	Units   int       // kept since it joined, each once
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

// String describes it in a phrase.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %s, class %s, engine %s", m.Machine, phrase.Count(m.Cores, "processor"), m.Class, m.Engine)
}

// String describes it in a phrase.
func (h Holding) String() string {
	text := h.Kind + " " + h.Job + ", " + phrase.Count(h.AtWork, "job") + " at work"
	if h.Rows != "" {
		text += fmt.Sprintf(", rows %s… (%s bytes)", h.Rows[:min(8, len(h.Rows))], phrase.Int(h.Bytes))
	}
	return text
}

// Sharing is a stage of a job that a crew works on.
type Sharing struct {
	Job                string
	Stage, Units, Done int
	Out                int          // units queued or being computed
	PerSecond          float64      // units per second since the stage began
	Twice              int          // units computed a second time, with equal numbers
	Failed             []FailedUnit // units that have failed so far
	Ended              bool         // the job failed because of them and is no longer shared
	Waits              string       // class of processors of which no machine is there; "" = none
}

// FailedUnit is a unit that failed.
type FailedUnit struct {
	Unit    string
	On      Maker // the machine of the last attempt
	Cause   string
	Times   int
	LeftOut bool // failed too often; waits for Again
}

// LeftOutError ends a job whose units are all stored but for those that failed too often.
type LeftOutError struct {
	Sharing Sharing
	Err     error // for the user
}

func (e *LeftOutError) Error() string { return e.Err.Error() }

func (e *LeftOutError) Unwrap() error { return e.Err }

// Ledger is what a program that starts again still knows of its jobs: the finished units of those that have not ended,
// and which units others failed by.
type Ledger interface {
	// Kept calls found for every unit of a stage that was kept. The text is valid during the call.
	Kept(ctx context.Context, job string, stage int, found func(unit string, text []byte) error) error
	// Keep stores units in one transaction.
	Keep(ctx context.Context, job string, units []Answer) error
	// LeftOut notes the units that a job ended without.
	LeftOut(ctx context.Context, s Sharing) error
	// Begun says that a job starts, which tries every unit that is not stored.
	Begun(ctx context.Context, job string) error
}
