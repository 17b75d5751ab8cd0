-- Which machine computed a unit, its class of processor, and the engine: the build of the
-- program whose numbers do not mix with those of another. Empty for units kept before.
ALTER TABLE study_units ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE study_units ADD COLUMN class   TEXT NOT NULL DEFAULT '';
ALTER TABLE study_units ADD COLUMN engine  TEXT NOT NULL DEFAULT '';
