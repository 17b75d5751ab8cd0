-- Label audits. What an audit found belongs to its run; what people decided
-- about labels belongs to the data, and goes with them alone.

CREATE TABLE audits (
	run      TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	created  INTEGER NOT NULL,
	version  TEXT NOT NULL,                  -- of the program
	summary  TEXT NOT NULL,                  -- JSON: method, estimate, models of the folds
	row_data BLOB NOT NULL                   -- ranked rows, see internal/engine/audit/codec.go
) STRICT;

-- Labels flipped on purpose, and how well the audit found them.
CREATE TABLE audit_trials (
	run     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	options TEXT NOT NULL,                   -- JSON: kind, rate, seed
	created INTEGER NOT NULL,
	result  TEXT NOT NULL,                   -- JSON
	PRIMARY KEY (run, options)
) STRICT;

-- Every decision ever made, in order; nothing here is changed but undone. The
-- last one of a row that was not undone counts. The label as uploaded stands
-- beside it and never changes.
CREATE TABLE audit_decisions (
	id        INTEGER PRIMARY KEY,
	dataset   TEXT NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
	data_hash TEXT NOT NULL,                 -- SHA-256 of the uploaded bytes
	outcome   TEXT NOT NULL,                 -- column whose label is meant
	row_hash  TEXT NOT NULL,                 -- of the row's kept cells
	row       INTEGER NOT NULL,              -- where it stood, from 0
	run       TEXT NOT NULL,                 -- whose audit it was made in; that may be gone
	kind      TEXT NOT NULL CHECK (kind IN ('', 'keep', 'flip', 'exclude', 'unsure')),
	label     TEXT NOT NULL,                 -- as uploaded
	to_label  TEXT NOT NULL,                 -- of a flip; else ''
	note      TEXT NOT NULL,
	control   INTEGER NOT NULL CHECK (control IN (0, 1)),  -- came up as a random control
	blind     INTEGER NOT NULL CHECK (blind IN (0, 1)),    -- decided without the model's evidence
	created   INTEGER NOT NULL,
	undone    INTEGER                        -- when; NULL: stands
) STRICT;

CREATE INDEX audit_decisions_row ON audit_decisions (dataset, outcome, data_hash, row_hash, id);
