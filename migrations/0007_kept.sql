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

-- Everything the reading of the file depended on when the run was asked for.
ALTER TABLE run_specs ADD COLUMN reading TEXT;   -- JSON; NULL: of an older version, or wiped
