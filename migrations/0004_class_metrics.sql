-- The metric that names a run of several classes in lists; NULL for other runs.
ALTER TABLE runs ADD COLUMN accuracy REAL;        -- tasks multiclass and ordinal
ALTER TABLE runs ADD COLUMN mae REAL;             -- task ordinal: mean absolute error in classes
ALTER TABLE runs ADD COLUMN abstention_loss REAL; -- task abstain
