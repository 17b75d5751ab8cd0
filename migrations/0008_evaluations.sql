-- External validations: counts and statistics of a run's model on another file,
-- and nothing of a single row. They live as long as the run, also where its data
-- were wiped. One a run and file: judged again, it is replaced.
CREATE TABLE evaluations (
	id       TEXT PRIMARY KEY,
	run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	name     TEXT NOT NULL,
	file     TEXT NOT NULL,                  -- as it was called
	sha256   TEXT NOT NULL,                  -- of its bytes
	version  TEXT NOT NULL,                  -- of the program
	created  INTEGER NOT NULL,
	n        INTEGER NOT NULL,               -- rows judged
	events   INTEGER NOT NULL,
	auc      REAL,                           -- NULL: not defined
	observed_expected REAL,
	accuracy REAL,
	mae      REAL,
	result   TEXT NOT NULL                   -- JSON
) STRICT;

CREATE UNIQUE INDEX evaluations_run ON evaluations (run, sha256);
