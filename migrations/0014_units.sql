-- Jobs of every kind with their finished units, so that a program that starts again takes them up and computes only
-- what is missing. The queue of the workers holds nothing that is not here.

-- A study has its job as long as it exists, because one that was paused or cancelled can be resumed. Any other job
-- goes when it ends, with its units; what it found is stored elsewhere.
CREATE TABLE jobs (
	id       TEXT PRIMARY KEY,
	kind     TEXT NOT NULL CHECK (kind IN ('study', 'run', 'bootstrap', 'audit', 'trial')),
	study    TEXT UNIQUE REFERENCES studies (id) ON DELETE CASCADE,  -- whose job it is: a study or a run
	run      TEXT REFERENCES runs (id) ON DELETE CASCADE,
	spec     TEXT NOT NULL,            -- JSON: what was asked for, and on which terms; '' of a study, which has its own
	bytes    INTEGER NOT NULL,         -- upper bound on its memory
	class    TEXT NOT NULL,            -- of the only processors that may compute its units; '' = any
	digest   TEXT NOT NULL,            -- of kind, spec, data and engine: units of another one are not taken up
	attempts INTEGER NOT NULL,         -- how often it began since a unit was kept or the program stopped in order
	created  INTEGER NOT NULL,
	ended    INTEGER,                  -- when it failed by single units, which it tries when it is started again
	CHECK ((study IS NULL) <> (run IS NULL))
) STRICT;

CREATE UNIQUE INDEX jobs_run ON jobs (run, kind);

-- Derived from the rows of a dataset, so they go with them.
CREATE TABLE units (
	job     TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
	stage   INTEGER NOT NULL,          -- a stage is planned from the answers of those before
	unit    TEXT NOT NULL,
	answer  BLOB NOT NULL,             -- as the kind encodes it: mostly float64 each, little-endian
	machine TEXT NOT NULL,             -- which computed it, its class of processor, and the engine: the build, whose
	class   TEXT NOT NULL,             -- numbers do not mix with those of another; '' of units from before schema 12
	engine  TEXT NOT NULL,
	PRIMARY KEY (job, stage, unit)
) STRICT;

-- Work on rows that was under way when they went must not bring them back.
CREATE TRIGGER jobs_bare BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM run_kept WHERE run = NEW.run) BEGIN SELECT RAISE(IGNORE); END;

INSERT INTO jobs (id, kind, study, spec, bytes, class, digest, attempts, created)
	SELECT id, 'study', id, '', 0, class, '', 0, created FROM studies;
INSERT INTO units (job, stage, unit, answer, machine, class, engine)
	SELECT study, 0, unit, number, machine, class, engine FROM study_units;
DROP TABLE study_units;
