/**
 * Scores one row by a model of Taper, without Taper. docs/model-json.md says what each field of the
 * model means; the calculator and the model as JavaScript both run this function.
 *
 * A row is an object from column names to values: a number, a text, null, NaN or nothing for missing. A date is
 * a text such as "2024-01-31", or the number of days since 1970-01-01.
 *
 * score(row) answers {score, probability, stratum, band, outside, issues} for two classes, where
 * probability is null without a link, and {scores, probabilities, answer, outside, issues} for several,
 * where answer is a level, or null for none. `outside` lists the columns that put a row outside the data.
 * The answer is given for such a row, too: whoever shows it must say first that it is a guess.
 *
 * Sums run in the order of the terms, as in Taper, so that both round alike.
 */
function taperScorer(model) {
  'use strict';
  const EXTREME = 1e150; // a standardised value beyond it would overflow in products
  const PLAIN = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
  const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d))?$/;
  const columns = new Map(model.columns.map((c) => [c.name, c]));
  const termsOf = new Map(model.columns.map((c) => [c.name, model.terms.filter((t) => t.column === c.name)]));
  const used = usedColumns();

  // ---- cells ---------------------------------------------------------------------------------------

  function trimmed(given) {
    if (given === null || given === undefined || Number.isNaN(given)) return '';
    const text = String(given).trim();
    return /^'[=+\-@\t\r]/.test(text) ? text.slice(1).trim() : text; // the quote that guards a formula
  }

  // Levels that are joined differ by case, blanks or final dots alone.
  function fold(level) {
    return level.trim().toLowerCase().replace(/\.+$/, '').split(/\s+/).filter(Boolean).join(' ');
  }

  function days(text) {
    if (PLAIN.test(text)) return Number(text);
    const m = DATE.exec(text);
    if (!m) return NaN;
    const [year, month, day, hour, minute] = m.slice(1).map((s) => Number(s ?? 0));
    const at = new Date(Date.UTC(year, month - 1, day, hour, minute));
    const real = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && hour < 24 && minute < 60;
    return real ? at.getTime() / 86400000 : NaN;
  }

  function known(c, text) {
    const level = Object.hasOwn(c.aliases ?? {}, text) ? c.aliases[text] : text;
    const all = [c.reference ?? '', ...(c.levels ?? []), ...(c.pooled ?? [])];
    if (all.includes(level)) return level;
    return c.join ? all.find((l) => fold(l) === fold(level)) ?? null : null;
  }

  // A number as training read it: with the decimal mark of its file or a point, and, where it read them, <0.5 and 12 mg.
  function plain(text, decimal, c) {
    const escaped = (mark) => mark.replace(/[.*+?^${}()|[\]\\]/, '\\$&');
    const thousands = c.thousands ?? 'none';
    const groups = { ' ': '[ \u00a0\u202f]', "'": "['\u2019]" }[thousands] ?? escaped(thousands);
    // A point in 0.123 and in 1234.567 separates no thousands: such a text is no number there.
    const grouped = new RegExp(`^(\\D*[1-9]\\d{0,2})((?:${groups}\\d{3})+)(?!\\d)`);
    const bare = thousands.length === 1 && thousands !== decimal
      ? text.replace(grouped, (_, first, rest) => first + rest.replace(/\D/g, '')) : text;
    const mark = escaped(decimal);
    const digits = `([-+]?(?:\\d+${mark}?\\d*|${mark}\\d+)(?:[eE][-+]?\\d+)?)`;
    const unit = '(?: *[a-zA-Z%µμ°].{0,15})?';
    const before = { limit: '[<>=≤≥ ]+', strip: '[<>=≤≥ ]*' }[c.non_numeric];
    const found = new RegExp(`^${digits}$`).exec(bare) ??
      (before === undefined ? null : new RegExp(`^${before}${digits}${unit}$`).exec(bare));
    return found ? Number(found[1].replace(decimal, '.')) : NaN;
  }

  function number(c, text) {
    const marks = [c.decimal ?? model.decimal, model.decimal, ...(c.non_numeric === 'strip' ? [',', '.'] : []),
      ...(c.thousands === '.' ? [] : ['.'])]; // programs write a point
    for (const mark of marks.filter(Boolean)) {
      const v = plain(text, mark, c);
      if (!Number.isNaN(v)) return v;
    }
    return NaN;
  }

  // A cell as training read such cells: {missing}, {value} or {level}, with what is odd about it.
  function read(c, given) {
    const text = trimmed(given);
    const missing = text === '' || c.missing.some((code) => code.toLowerCase() === text.toLowerCase());
    if (missing) return { missing: true, issue: 'missing' };
    if (c.kind !== 'number') {
      const level = known(c, text);
      if (level !== null) return { level };
      // A model that was kept without its data does not name the levels that share a term.
      const pooling = termsOf.get(c.name).some((t) => t.kind === 'other') && !(c.pooled ?? []).length;
      return { level: null, issue: pooling ? 'unnamed' : 'unseen', far: !pooling };
    }
    const digits = text.replace('\u2212', '-');
    const v = typeof given === 'number' ? given : c.origin !== undefined ? days(digits) : number(c, digits);
    if (!Number.isFinite(v)) return { missing: true, issue: 'odd' };
    if (c.missing.some((code) => PLAIN.test(code) && Number(code) === v)) return { missing: true, issue: 'missing' };
    const value = v - (c.origin ?? 0);
    const low = c.min ?? 0;
    const high = c.max ?? 0;
    if (value >= low && value <= high) return { value };
    const room = (high - low) * 0.25;
    return { value, issue: 'range', far: room > 0 && (value < low - room || value > high + room) };
  }

  // ---- terms ---------------------------------------------------------------------------------------

  // A curved term of a natural cubic spline; beyond the last knot a straight line.
  function curved(x, knots, j) {
    const last = knots[knots.length - 1];
    const before = knots[knots.length - 2];
    const w = last - knots[0];
    const gap = (last - before) / w;
    const reach = (last - knots[j]) / w;
    const room = (before - knots[j]) / w;
    const cube = (u) => {
      const v = Math.max(u, 0);
      return v * v * v;
    };
    if (x >= last) return w * reach * (reach * reach - gap * gap) + 3 * reach * room * (x - last);
    return w * (cube((x - knots[j]) / w) - cube((x - before) / w) * reach / gap);
  }

  function raw(t, c, cell) {
    if (t.kind === 'missing') return cell.missing ? 1 : 0;
    if (c.kind === 'number') {
      const v = cell.missing ? c.median ?? 0 : cell.value;
      return t.kind === 'spline' ? curved(v, c.knots, t.knot - 1) : v;
    }
    if (t.kind === 'level') return !cell.missing && cell.level === t.level ? 1 : 0;
    if (cell.missing) return c.indicator ? 0 : 1; // missing where training had none: as an unseen level
    return cell.level === (c.reference ?? '') || (c.levels ?? []).includes(cell.level) ? 0 : 1;
  }

  function design(cells) {
    return model.terms.map((t) => {
      const x = (raw(t, columns.get(t.column), cells.get(t.column)) - t.mean) / t.sd;
      return Math.min(Math.max(x, -EXTREME), EXTREME);
    });
  }

  function usedColumns() {
    const weighs = model.terms.map(() => false);
    for (const tree of model.trees ?? []) {
      for (const n of tree.nodes) if (n.below && tree.theta !== 0) weighs[n.feature ?? 0] = true;
    }
    const rows = model.potentials ? model.potentials.weights : model.trees ? [] : [model.weights];
    for (const row of rows) row.forEach((w, k) => { weighs[k] ||= w !== 0; });
    return new Set(model.terms.filter((_, k) => weighs[k]).map((t) => t.column));
  }

  // ---- scores --------------------------------------------------------------------------------------

  function vote(tree, x) {
    let n = tree.nodes[0];
    while (n.below) n = tree.nodes[x[n.feature ?? 0] > (n.threshold ?? 0) ? n.above : n.below];
    return n.vote;
  }

  const weighted = (weights, x, start) => weights.reduce((sum, w, k) => sum + w * x[k], start);

  function potentials(x) {
    const { form, weights, offsets, classes } = model.potentials;
    const z = weights.map((row) => weighted(row, x, 0));
    if (form === 'thresholds') return offsets.map((eta) => z[0] - eta);
    if (form === 'ordinal') {
      return Array.from({ length: classes }, (_, c) => (c + 1) * z[0] + offsets.slice(c).reduce((a, b) => a + b, 0));
    }
    return z.map((v, c) => v + offsets[c]);
  }

  // ---- probabilities -------------------------------------------------------------------------------

  function sigmoid(z) {
    const e = Math.exp(-Math.abs(z));
    return z < 0 ? e / (1 + e) : 1 / (1 + e);
  }

  // log exp_t(y), where exp_t(y) = [1 + (1−t)y]₊^(1/(1−t)).
  function logExp(t, y) {
    if (t === 1) return y;
    const u = (1 - t) * y;
    if (u > -1) return Math.log1p(u) / (1 - t);
    return t < 1 ? -Infinity : Infinity;
  }

  // The logarithms of p_j = exp_t(a_j − G), G such that they add up to 1. What is solved for is the gap
  // G − max a, by Newton's method from 0: the sum is convex in it, so that no step passes the root.
  function logShares(t, a) {
    const top = Math.max(...a);
    const first = a.indexOf(top);
    let gap = 0;
    for (let i = 0; i < 500; i++) {
      const own = logExp(t, -gap);
      let over = Math.expm1(own);
      let slope = Math.exp(t * own);
      a.forEach((v, j) => {
        const l = logExp(t, -(top - v + gap));
        if (j === first || l === -Infinity) return;
        over += Math.exp(l);
        slope += Math.exp(t * l);
      });
      const step = over / slope;
      if (!(step > 0)) break;
      gap += step;
      if (step <= 1e-16 * gap) break;
    }
    return a.map((v) => logExp(t, -(top - v + gap)));
  }

  const { params } = model;
  const t2 = params.t2 ?? params.t;

  // P(event), null for a model of bands alone.
  function probability(f) {
    switch (model.link) {
      case 'none': return null;
      case 'logistic': return sigmoid(f);
      case 'logistic-scaled': return sigmoid((model.link_scale ?? 1) * f);
      case 'squared-hinge': return Math.min(1, Math.max(0, 0.5 + 0.5 * f));
      case 'dwd': return f > 0.5 ? 1 / (1 + 1 / (4 * f * f)) : f < -0.5 ? 1 / (4 * f * f + 1) : 0.5;
      case 'escort':
      case 'tempered': {
        const size = Math.abs(f);
        const [near, far] = logShares(t2, [0, -size]);
        const t1 = model.link === 'escort' ? params.t1 ?? 1 : 1;
        return sigmoid(f < 0 ? t1 * (far - near) : t1 * (near - far));
      }
    }
    throw new Error(`The link ‘${model.link}’ is not known here.`);
  }

  // Probabilities of several classes, null without.
  function shares(f) {
    const normalised = (logs, t) => {
      const top = Math.max(...logs);
      const e = logs.map((l) => (l === -Infinity ? 0 : Math.exp(t * (l - top))));
      const sum = e.reduce((a, b) => a + b, 0);
      return e.map((v) => v / sum);
    };
    switch (model.link) {
      case 'none': return null;
      case 'softmax': return normalised(f, 1);
      case 'escort': return normalised(logShares(t2, f), params.t1);
      case 'tempered': return logShares(t2, f).map((l) => Math.exp(l));
    }
    throw new Error(`The link ‘${model.link}’ is not known here.`);
  }

  // ---- answers -------------------------------------------------------------------------------------

  // The band is the number of boundaries below P. Where P equals one over a stretch of scores, as for
  // distance-weighted discrimination at ½, the cut-off decides.
  function stratum(f, p) {
    if (p === null) return model.delta.filter((d) => d < f).length;
    let k = 0;
    while (k < model.boundaries.length && model.boundaries[k] < p) k++;
    if (!model.link.startsWith('logistic')) {
      while (k < model.boundaries.length && model.boundaries[k] === p && model.delta[k] < f) k++;
    }
    return k;
  }

  // The number of a class, −1 for no answer.
  function called(f, raw, p) {
    const best = f.indexOf(Math.max(...f));
    const lead = f[best] - Math.max(...f.filter((_, c) => c !== best));
    switch (model.rule) {
      case 'largest-score': return best;
      case 'largest-score-if-positive': return f[best] > 0 ? best : -1;
      case 'largest-score-if-it-leads-by-half':
        return lead > 0.5 || (lead === 0.5 && model.loss === 'al-abstain') ? best : -1;
      case 'thresholds-passed': return raw.filter((d) => d > 0).length;
      case 'least-expected-cost': {
        let answer = 0;
        let least = Infinity;
        model.costs.forEach((row, a) => {
          const expected = row.reduce((sum, price, c) => sum + price * p[c], 0);
          if (expected < least - 1e-12) [answer, least] = [a, expected];
        });
        return answer < model.levels.length ? answer : -1;
      }
    }
    throw new Error(`The rule ‘${model.rule}’ is not known here.`);
  }

  function score(row) {
    const cells = new Map(model.columns.map((c) => [c.name, read(c, row[c.name])]));
    const odd = model.columns.filter((c) => cells.get(c.name).issue);
    const issues = odd.map((c) => ({ column: c.name, kind: cells.get(c.name).issue }));
    const outside = odd
      .filter((c) => cells.get(c.name).far && (c.kind !== 'number' || used.has(c.name)))
      .map((c) => c.name);
    const x = design(cells);
    if (model.potentials) {
      const of = potentials(x);
      const probabilities = shares(of);
      const thresholds = model.potentials.form === 'thresholds';
      const scores = thresholds ? of.reduce((f, d) => [...f, f[f.length - 1] + d], [0]) : of;
      const answer = called(scores, of, probabilities);
      return { scores, probabilities, answer: answer < 0 ? null : model.levels[answer], outside, issues };
    }
    const f = model.trees
      ? model.trees.reduce((sum, tree) => sum + tree.theta * vote(tree, x), 0)
      : weighted(model.weights, x, model.intercept);
    const p = probability(f);
    const band = stratum(f, p);
    return { score: f, probability: p, stratum: band, band: model.bands[band], outside, issues };
  }

  return score;
}
