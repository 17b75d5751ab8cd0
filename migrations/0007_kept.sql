-- Models kept when their data are wiped, and how the file was read for a run.

-- A dataset whose models were kept stays as a bare row for its runs to point
-- at: no name, no columns, no file. It goes with the last of them.
ALTER TABLE datasets ADD COLUMN wiped INTEGER;   -- when; NULL: the data are there

CREATE TRIGGER runs_last AFTER DELETE ON runs BEGIN
	DELETE FROM datasets WHERE id = OLD.dataset AND wiped IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM runs WHERE dataset = OLD.dataset);
END;

-- What stays of a run beside its settings, its model and the numbers of its
-- result, which are those without rows; run_results.row_data is NULL then.
CREATE TABLE run_kept (
	run    TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
	report TEXT NOT NULL                     -- JSON: the printed report as it stood
) STRICT;

-- Work on rows that was under way when they went must not bring them back: what
-- it would store is dropped.
CREATE TRIGGER audits_bare BEFORE INSERT ON audits
WHEN EXISTS (SELECT 1 FROM run_kept WHERE run = NEW.run) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER audit_trials_bare BEFORE INSERT ON audit_trials
WHEN EXISTS (SELECT 1 FROM run_kept WHERE run = NEW.run) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER run_bootstraps_bare BEFORE INSERT ON run_bootstraps
WHEN EXISTS (SELECT 1 FROM run_kept WHERE run = NEW.run) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER audit_decisions_bare BEFORE INSERT ON audit_decisions
WHEN EXISTS (SELECT 1 FROM datasets WHERE id = NEW.dataset AND wiped IS NOT NULL) BEGIN SELECT RAISE(IGNORE); END;

-- Everything the reading of the file depended on when the run was asked for.
ALTER TABLE run_specs ADD COLUMN reading TEXT;   -- JSON; NULL: of an older version, or wiped
ALTER TABLE studies ADD COLUMN reading TEXT;     -- so too; NULL also for generated data
