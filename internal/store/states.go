package store

// The states of a dataset.
const (
	Draft = "draft" // cannot be read with its options; Problem says why
	Raw   = "raw"   // can be read; the uploaded file exists
	Kept  = "kept"  // confirmed; only the chosen columns remain
)

// The states of a run.
const (
	Queued      = "queued"
	Running     = "running"
	Done        = "done"
	Failed      = "failed"
	Cancelled   = "cancelled"
	Interrupted = "interrupted" // the program ended during the run
)
