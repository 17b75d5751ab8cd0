-- Uploads whose wiping was committed and has not happened yet. The sweep at the
-- start wipes what is named here and nothing else.

CREATE TABLE wipes (
	dataset TEXT PRIMARY KEY                 -- its row may be gone
) STRICT;

-- An older version may have been killed between the confirmation of the columns
-- and the wiping of the file.
INSERT INTO wipes (dataset) SELECT id FROM datasets WHERE state = 'kept';
