-- What of a study may be done by other machines: the class of processors that alone compute its units, and the
-- queue by which the rows of its upload may leave this machine. Empty: any class; the rows stay.
ALTER TABLE studies ADD COLUMN class TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN queue TEXT NOT NULL DEFAULT '';

-- Jobs that ended without units that failed too often, with machine and cause, until they start again.
CREATE TABLE left_out (
	job   TEXT PRIMARY KEY,
	study TEXT REFERENCES studies (id) ON DELETE CASCADE,  -- whose job it is: a study or a run
	run   TEXT REFERENCES runs (id) ON DELETE CASCADE,
	ended INTEGER NOT NULL,
	told  TEXT NOT NULL                                    -- JSON of job.Sharing
) STRICT;
