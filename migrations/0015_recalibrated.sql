-- Earlier versions stored with a run recalibrated for another population the losses and verdicts of its rows, which are
-- those of its parent. Lists show none of them now and must not sort by them.
UPDATE runs SET interval_loss = NULL, brier = NULL, bands_ok = 0, bands_judged = 0
	WHERE id IN (SELECT run FROM run_parents);
