-- The columns that were dropped when a dataset was confirmed, by name and reason,
-- for what a report says of them: no cell. NULL: not confirmed, confirmed by an
-- older version, or wiped.
ALTER TABLE datasets ADD COLUMN left_out TEXT;   -- JSON
