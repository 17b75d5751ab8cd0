-- Things that happen once in the life of a data folder, such as loading a
-- sample: one that was deleted must not come back at the next start.

CREATE TABLE marks (
	name TEXT PRIMARY KEY,
	made INTEGER NOT NULL
) STRICT;
