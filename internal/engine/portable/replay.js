/**
 * Plays rows of which Taper's answer is known, and says how far a scorer is from it: {rows, worst, wrong},
 * where worst is the largest relative difference and wrong the sentence about the first row that
 * differs, '' for none. A score is compared with itself, or with the largest of its terms where
 * those cancel.
 */
function taperReplay(model, replay, score, most) {
  'use strict';
  const usual = {};
  for (const c of model.columns) {
    if (c.kind !== 'number') usual[c.name] = c.reference ?? null;
    else usual[c.name] = c.origin === undefined ? c.median ?? 0 : Math.floor((c.median ?? 0) + c.origin);
  }
  const size = Math.max(...sizes());
  let rows = 0;
  let worst = 0;
  let wrong = '';

  // The size of what a score is a sum of.
  function sizes() {
    if (model.trees) return [model.trees.reduce((sum, t) => sum + Math.abs(t.theta), 0)];
    const of = model.potentials ? model.potentials.weights : [model.weights];
    const constants = model.potentials ? model.potentials.offsets : [model.intercept];
    return [1, ...constants.map(Math.abs), ...of.map((row) => Math.max(0, ...row.map(Math.abs)))];
  }

  const distance = (got, want, scale) => (got === want ? 0 : Math.abs(got - want) / Math.max(Math.abs(want), scale));

  for (const block of replay.blocks) {
    block.rows.forEach((cells, i) => {
      const row = { ...usual };
      block.columns.forEach((k, j) => { row[model.columns[k].name] = cells[j]; });
      const want = block.answers[i];
      const got = score(row);
      const scores = got.scores ?? [got.score];
      const probabilities = got.scores ? got.probabilities ?? [] : got.probability === null ? [] : [got.probability];
      const answer = !got.scores ? got.stratum : got.answer === null ? -1 : model.levels.indexOf(got.answer);
      const far = Math.max(
        ...want.f.map((v, k) => distance(scores[k], v, size)),
        ...(want.p ?? []).map((v, k) => distance(probabilities[k], v, 0)));
      rows += 1;
      if (!(far <= worst)) worst = far;
      const alike = answer === want.a && (got.outside.length > 0) === (want.o ?? false)
        && probabilities.length === (want.p ?? []).length;
      if (wrong === '' && !(far <= most && alike)) {
        wrong = `Test row ${rows}: score ${scores.join(', ')}, Taper’s ${want.f.join(', ')}.`;
      }
    });
  }
  return { rows, worst, wrong };
}
