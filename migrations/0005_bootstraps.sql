-- The check of a run by refits on bootstrap samples: one a run, made anew when
-- asked for again. It lives as long as the run.
CREATE TABLE run_bootstraps (
	run        TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	status     TEXT NOT NULL CHECK (status IN
	           ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
	error      TEXT NOT NULL,                -- one sentence; '' when there is none
	replicates INTEGER NOT NULL,             -- asked for
	created    INTEGER NOT NULL,
	finished   INTEGER,
	result     TEXT                          -- JSON; NULL until done
) STRICT;

-- Runs made from another: recalibrated, or on reviewed labels. The parent may
-- be gone, so its id is no reference.
CREATE TABLE run_parents (
	run    TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	parent TEXT NOT NULL,
	how    TEXT NOT NULL                     -- JSON: what was done, with its numbers
) STRICT;

CREATE INDEX run_parents_parent ON run_parents (parent);
