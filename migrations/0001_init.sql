-- Datasets, their kept columns, and runs.
--
-- Conventions: times are Unix milliseconds in UTC, NULL for "not yet"; JSON is
-- text written by the program and never holds NaN; blobs are little-endian.
-- What lists show stands in narrow tables, what one page shows in wide ones
-- beside them, so that a list never reads a result.

CREATE TABLE datasets (
	id        TEXT PRIMARY KEY,
	name      TEXT NOT NULL,
	file      TEXT NOT NULL,                 -- name of the uploaded file
	sha256    TEXT NOT NULL,                 -- of the uploaded bytes
	bytes     INTEGER NOT NULL,
	row_count INTEGER NOT NULL,
	created   INTEGER NOT NULL,
	read_ms   INTEGER NOT NULL,              -- time the last reading took
	state     TEXT NOT NULL CHECK (state IN ('draft', 'raw', 'kept')),
	sample    INTEGER NOT NULL CHECK (sample IN (0, 1)),     -- shipped with the program
	simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
	source    TEXT NOT NULL,                 -- where sample data come from
	problem   TEXT,                          -- JSON; drafts only
	options   TEXT NOT NULL,                 -- JSON: what the user decided about reading
	dialect   TEXT NOT NULL,                 -- JSON: as used
	profiles  TEXT NOT NULL,                 -- JSON, one a column
	warnings  TEXT NOT NULL,                 -- JSON
	dropped   TEXT NOT NULL,                 -- JSON: rows left out while reading
	choice    TEXT NOT NULL                  -- JSON: outcome, event, roles
) STRICT;

CREATE INDEX datasets_created ON datasets (created);

-- The typed columns of a dataset in state 'kept'.
CREATE TABLE dataset_columns (
	dataset  TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	name     TEXT NOT NULL,
	meta     TEXT NOT NULL,                  -- JSON: type, role, levels, missing codes …
	num      BLOB,                           -- float64 each row, NaN missing; NULL for a column without
	code     BLOB,                           -- int32 each row, index into levels, −1 missing; NULL likewise
	PRIMARY KEY (dataset, position)
) STRICT;

-- One line of the list of runs each. A run never changes once it has ended,
-- save for its name and notes.
CREATE TABLE runs (
	id            TEXT PRIMARY KEY,
	dataset       TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
	dataset_name  TEXT NOT NULL,             -- as it was when the run was made
	dataset_sha   TEXT NOT NULL,
	row_count     INTEGER NOT NULL,          -- data rows it was made from
	name          TEXT NOT NULL,
	notes         TEXT NOT NULL,
	find          TEXT NOT NULL,             -- name, loss, data and outcome in lower case, for the search
	status        TEXT NOT NULL CHECK (status IN
	              ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
	error         TEXT NOT NULL,             -- one sentence; '' when there is none
	version       TEXT NOT NULL,             -- of the program
	created       INTEGER NOT NULL,
	started       INTEGER,
	finished      INTEGER,

	loss          TEXT NOT NULL,             -- copies from the spec
	task          TEXT NOT NULL,
	mode          TEXT NOT NULL,
	outcome       TEXT NOT NULL,
	positive      TEXT NOT NULL,
	boundaries    TEXT NOT NULL,             -- JSON

	auc           REAL,                      -- copies from the result; NULL where undefined
	interval_loss REAL,
	brier         REAL,
	n             INTEGER,                   -- rows of the strata table
	events        INTEGER,
	seconds       REAL,                      -- the final fit
	elapsed       REAL,                      -- the whole run
	bands_ok      INTEGER,                   -- verdict inside or compatible
	bands_judged  INTEGER                    -- bands with a verdict on their rate
) STRICT;

CREATE INDEX runs_created ON runs (created);
CREATE INDEX runs_dataset ON runs (dataset, created);
CREATE INDEX runs_status  ON runs (status, created);

-- What a run's own page, report and exports read.
CREATE TABLE run_specs (
	run  TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	spec TEXT NOT NULL                       -- JSON
) STRICT;

CREATE TABLE run_results (
	run      TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	result   TEXT NOT NULL,                  -- JSON
	model    TEXT,                           -- JSON: model.json
	row_data BLOB                            -- scored rows, see internal/store/rows.go
) STRICT;

-- Holds a row from a deletion until the database has been written anew, which
-- removes what deletion leaves behind.
CREATE TABLE scrub_pending (
	id INTEGER PRIMARY KEY CHECK (id = 1)
) STRICT;
