package store

// The states of a dataset.
const (
	Draft = "draft" // not readable as it is; Problem says why
	Raw   = "raw"   // readable; the uploaded file is kept
	Kept  = "kept"  // roles are confirmed; only the kept columns remain
)

// The states of a run.
const (
	Queued      = "queued"
	Running     = "running"
	Done        = "done"
	Failed      = "failed"
	Cancelled   = "cancelled"
	Interrupted = "interrupted" // the program ended before the run did
)
