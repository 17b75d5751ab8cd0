-- One row for each deletion, so that a pass which wrote the database anew takes
-- back only the marks that were there when it began: a deletion committed meanwhile
-- keeps its own until the next pass, also across a crash.
CREATE TABLE scrubs (
	id INTEGER PRIMARY KEY
) STRICT;
INSERT INTO scrubs SELECT id FROM scrub_pending;
DROP TABLE scrub_pending;
ALTER TABLE scrubs RENAME TO scrub_pending;
