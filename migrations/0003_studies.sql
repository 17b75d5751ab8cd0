-- Studies: replicated experiments, kept unit by unit as they finish, so that
-- one that was stopped goes on where it was.

CREATE TABLE studies (
	id       TEXT PRIMARY KEY,
	dataset  TEXT REFERENCES datasets (id) ON DELETE CASCADE,  -- NULL: generated data
	name     TEXT NOT NULL,
	preset   TEXT NOT NULL,                 -- '' for a grid of one's own
	size     TEXT NOT NULL,                 -- of a preset
	status   TEXT NOT NULL CHECK (status IN
	         ('queued', 'running', 'paused', 'done', 'failed', 'cancelled', 'interrupted')),
	error    TEXT NOT NULL,                 -- one sentence; '' when there is none
	version  TEXT NOT NULL,                 -- of the program
	created  INTEGER NOT NULL,
	finished INTEGER,
	elapsed  INTEGER NOT NULL,              -- milliseconds of work so far
	units    INTEGER NOT NULL,              -- of the plan
	done     INTEGER NOT NULL,              -- of them kept below
	spec     TEXT NOT NULL                  -- JSON
) STRICT;

CREATE INDEX studies_created ON studies (created);
CREATE INDEX studies_dataset ON studies (dataset);

-- The numbers of one unit of a plan.
CREATE TABLE study_units (
	study  TEXT NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
	unit   TEXT NOT NULL,
	number BLOB NOT NULL,                   -- float64 each, little-endian, NaN where none exists
	PRIMARY KEY (study, unit)
) STRICT, WITHOUT ROWID;

-- The summary of a study that is done, which its page shows.
CREATE TABLE study_cells (
	study TEXT PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
	cells TEXT NOT NULL                     -- JSON
) STRICT;
