/**
 * The page of the calculator: a form of the model's columns, and what the model says of one patient.
 * Nothing is stored and nothing is sent; the policy of the page lets no request out.
 */
(() => {
  'use strict';
  const MOST = 1e-12; // relative difference from Taper that a test row may have
  const SVG = 'http://www.w3.org/2000/svg';
  const SHOWN = 10; // contributions in the table
  const byID = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byID(`data-${id}`).textContent);
  const model = data('model');
  const about = data('about');
  const score = taperScorer(model);
  const several = Boolean(model.potentials);
  const event = `${model.outcome} = ${model.levels[model.levels.length - 1]}`;

  // ---- words ---------------------------------------------------------------------------------------

  const minus = (text) => text.replace(/-/g, '−');
  const fixed = (v, digits) => minus(v.toFixed(digits));
  // Four digits, and all before the decimal point.
  const digitsOf = (v) => Math.max(4, String(Math.trunc(Math.abs(v))).length);
  const short = (v) => minus(String(Number(v.toPrecision(Math.min(17, digitsOf(v))))));
  const percent = (p) => `${p > 0 && p < 0.001 ? '< 0.1' : p < 1 && p > 0.999 ? '> 99.9' : fixed(100 * p, 1)} %`;
  const day = (n) => new Date(Math.floor(n) * 86400000).toISOString().slice(0, 10);
  const shown = (c, v) => (c.origin === undefined ? short(v) : day(v + c.origin));
  // A limit like that, or with as many more digits as tell it from a value on the other side of it.
  function limit(c, v, value) {
    if (c.origin !== undefined) return shown(c, v);
    let digits = digitsOf(v);
    while (typeof value === 'number' && digits < 17 && Math.sign(value - Number(v.toPrecision(digits))) !== Math.sign(value - v)) digits += 1;
    return minus(String(Number(v.toPrecision(digits))));
  }

  const unit = (name) => /^(.+?)\s*[([]([^()[\]]+)[)\]]$/.exec(name);

  function make(tag, attributes = {}, ...children) {
    const plain = ['svg', 'g', 'rect', 'path', 'circle', 'text', 'line'].includes(tag);
    const node = plain ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) if (v !== undefined) node.setAttribute(k, v);
    node.append(...children);
    return node;
  }

  const facts = (pairs, into) => into.replaceChildren(...pairs.filter(([, v]) => v)
    .flatMap(([k, v]) => [make('dt', {}, k), make('dd', {}, v)]));

  // ---- the form ------------------------------------------------------------------------------------

  // The levels that training saw, in order; those that few rows had are not named.
  const levels = (c) => [...new Set([...(c.levels ?? []), ...(c.reference ? [c.reference] : [])])].sort();
  const pools = (c) => model.terms.some((t) => t.column === c.name && t.kind === 'other');
  const OTHER = '\u0000another level'; // no level of a file can be it

  function field(c, k) {
    const id = `x${k}`;
    const [, name, of] = unit(c.name) ?? [null, c.name, ''];
    const label = make('label', { for: id }, make('span', {}, name, of ? make('small', {}, ` ${of}`) : ''));
    const hint = make('small', { id: `${id}-hint` });
    let input;
    if (c.kind === 'number') {
      const date = c.origin !== undefined;
      input = make('input', { id, type: date ? 'date' : 'text', inputmode: date ? undefined : 'decimal',
        placeholder: 'missing', 'aria-describedby': hint.id });
      hint.append([c.min ?? 0, c.max ?? 0].map((v) => (c.thousands === '.' ? shown(c, v).replace('.', ',') : shown(c, v)))
        .join(' – '));
    } else {
      input = make('select', { id, 'aria-describedby': hint.id }, make('option', { value: '' }, 'missing'),
        ...levels(c).map((l) => make('option', { value: l }, l)));
      if (pools(c)) input.append(make('option', { value: OTHER }, 'another level'));
      hint.append(`most often ${c.reference || 'missing'}`);
    }
    label.append(input, hint);
    return label;
  }

  // Whether training reads a text of a numeric column as a number.
  const reads = (c, text) => !score({ [c.name]: text }).issues.some((i) => i.column === c.name &&
    (i.kind === 'odd' || i.kind === 'missing'));

  // Where training separated thousands by a comma or a point, 1,500 would be two numbers: it is read as training did.
  const SUCH = { ',': '1,234.5', '.': '1.234,5' };

  // A number as people type it: with a comma or a point, and either minus; or what training reads, such as <0.5.
  function given(c, k) {
    const input = byID(`x${k}`);
    let text = input.value.trim();
    input.removeAttribute('aria-invalid');
    if (c.kind !== 'number') return text === OTHER ? '(another level)' : text;
    if (c.origin !== undefined || text === '') return text;
    text = text.replace('−', '-');
    const point = text.includes('.') || SUCH[c.thousands] ? text : text.replace(',', '.');
    if (!SUCH[c.thousands] && /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?$/.test(point)) return Number(point);
    const read = [text, point].find((t) => reads(c, t));
    if (read !== undefined) return read;
    input.setAttribute('aria-invalid', 'true');
    return { wrong: true };
  }

  // ---- pictures ------------------------------------------------------------------------------------

  function mark(kind, x, y) {
    const at = `translate(${x} ${y})`;
    switch (kind) {
      case 'k0': return make('circle', { class: kind, cx: x, cy: y, r: 4 });
      case 'k1': case 'maybe': return make('path', { class: kind, d: 'M0-5 5 4H-5Z', transform: at });
      case 'k2': return make('rect', { class: kind, x: x - 4, y: y - 4, width: 8, height: 8 });
      case 'k3': return make('path', { class: kind, d: 'M0-5 5 0 0 5-5 0Z', transform: at });
    }
    return make('text', { x, y: y + 3 }, kind);
  }

  const kindOf = (c) => (several && model.levels.length > 4 ? String(c + 1) : `k${c}`);

  // A hundred patients: groups of [kind, count, words].
  function people(groups, sentence) {
    const kinds = groups.flatMap(([kind, n]) => Array(n).fill(kind));
    const picture = make('svg', { class: 'people', viewBox: '0 0 160 160', role: 'img', 'aria-label': sentence },
      ...kinds.map((kind, i) => mark(kind, 8 + 16 * (i % 10), 8 + 16 * Math.floor(i / 10))));
    const key = make('ul', { class: 'key' }, ...groups.filter(([, n]) => n > 0).map(([kind, n, words]) => make('li', {},
      make('svg', { class: 'people', viewBox: '0 0 14 14', 'aria-hidden': 'true' }, mark(kind, 7, 7)), `${n} ${words}`)));
    return make('div', {}, make('h2', { class: 'part' }, 'Of 100 such patients'), make('p', { class: 'small' }, sentence), picture, key);
  }

  // Counts that add up to 100, by the largest remainders.
  function hundred(shares) {
    const counts = shares.map((p) => Math.floor(100 * p));
    const order = shares.map((p, c) => [100 * p - counts[c], c]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const left = 100 - counts.reduce((a, b) => a + b, 0);
    for (const [, c] of order.slice(0, left)) counts[c] += 1;
    return counts;
  }

  function icons(said) {
    if (several) {
      if (!said.probabilities) return null;
      const counts = hundred(said.probabilities);
      return people(counts.map((n, c) => [kindOf(c), n, model.levels[c]]),
        `The model expects ${counts.map((n, c) => `${n} ${model.levels[c]}`).join(', ')}.`);
    }
    const words = [`with ${event}`, 'without'];
    if (said.probability !== null) {
      const n = Math.round(100 * said.probability);
      return people([['k1', n, words[0]], ['k0', 100 - n, words[1]]], `The model expects ${n} with ${event}.`);
    }
    const ends = [0, ...model.boundaries, 1].slice(said.stratum, said.stratum + 2).map((p) => Math.round(100 * p));
    return people([['k1', ends[0], words[0]], ['maybe', ends[1] - ends[0], 'with or without: the band leaves it open'],
      ['k0', 100 - ends[1], words[1]]], `Limits of the band: ${ends[0]} to ${ends[1]} of 100 with ` +
      `${event}. The rate observed in the band is in the report of the run.`);
  }

  function scale(said) {
    const ends = [0, ...model.boundaries, 1];
    const x = (p) => 20 + 360 * p;
    const picture = make('svg', { class: 'scale', viewBox: '0 0 400 46', role: 'img',
      'aria-label': `Band ${said.stratum + 1} of ${model.bands.length}: ${said.band}` });
    model.bands.forEach((_, j) => picture.append(make('rect', { class: j === said.stratum ? 'on' : undefined,
      x: x(ends[j]), y: 12, width: x(ends[j + 1]) - x(ends[j]), height: 14 })));
    let free = -40;
    ends.forEach((p) => {
      if (x(p) - free < 44) return; // a label that would cover the one before
      free = x(p);
      picture.append(make('text', { x: x(p), y: 42 }, `${short(100 * p)} %`));
    });
    if (said.probability !== null) {
      picture.append(make('path', { d: 'M0 0-5-8H5Z', transform: `translate(${x(said.probability)} 11)` }));
    }
    return picture;
  }

  // ---- the answer ----------------------------------------------------------------------------------

  const usual = (c) => (c.kind !== 'number' ? c.reference ?? null
    : c.origin === undefined ? c.median ?? 0 : Math.floor((c.median ?? 0) + c.origin));

  // How far each value moves the score from where it would be with the usual value in its place.
  function contributions(row, said) {
    const best = several ? said.scores.indexOf(Math.max(...said.scores)) : 0;
    const of = (answer) => (several ? answer.scores[best] : answer.score);
    const all = model.columns.map((c) => ({ c, by: of(said) - of(score({ ...row, [c.name]: usual(c) })) }));
    return { of: several ? model.levels[best] : '', all: all.sort((a, b) => Math.abs(b.by) - Math.abs(a.by)) };
  }

  const text = (c, v) => (v === '' ? 'missing' : typeof v === 'number' ? short(v) : v);

  function moved(row, said) {
    const { of, all } = contributions(row, said);
    const most = Math.max(1e-300, Math.abs(all[0].by));
    const rows = all.slice(0, SHOWN).map(({ c, by }) => {
      const to = 50 + (48 * by) / most;
      return make('tr', {}, make('th', { scope: 'row' }, c.name), make('td', { class: 'num' }, text(c, row[c.name])),
        make('td', { class: 'num' }, fixed(by, 2)), make('td', { class: 'bar' },
          make('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
            make('rect', { class: by > 0 ? 'up' : 'down', x: Math.min(50, to), y: 1, width: Math.abs(to - 50), height: 8 }),
            make('line', { x1: 50, x2: 50, y1: 0, y2: 10 }))));
    });
    const head = make('tr', {}, ...['Column', 'Value', 'Score moves by', ''].map((h, i) => (h === ''
      ? make('td', { class: 'bar' }) : make('th', { scope: 'col', class: i > 0 && i < 3 ? 'num' : undefined }, h))));
    const rest = all.length - rows.length;
    return make('div', {}, make('h2', { class: 'part' }, `Contributions${of && ` to the score of ${of}`}`),
      make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows)),
      make('p', { class: 'small' }, 'Each line: this score less the score with the usual value (the median or the most ' +
        `common level) in the place of this one.${rest > 0 ? ` ${rest} columns that move it less are not listed.` : ''}`));
  }

  // What was odd about the values, as sentences.
  function warnings(row, said) {
    const missing = said.issues.filter((i) => i.kind === 'missing').map((i) => i.column);
    const all = said.issues.filter((i) => i.kind !== 'missing').map(({ column, kind }) => {
      const c = model.columns.find((of) => of.name === column);
      switch (kind) {
        case 'range': return `${column} ${c.origin === undefined ? minus(String(row[column])) : row[column]} ` +
          `is outside the training range ${limit(c, c.min ?? 0, row[column])} – ${limit(c, c.max ?? 0, row[column])}.`;
        case 'unnamed': return `${column}: few or no training rows had this level; it is scored as a rare level.`;
        case 'unseen': return `${column}: this level is not in the training data; it is scored as ${c.reference || 'missing'}.`;
      }
      return `${column} is not a plain number and is treated as missing.`;
    });
    if (missing.length > 0) {
      const names = missing.length > 6 ? `${missing.slice(0, 5).join(', ')} and ${missing.length - 5} more` : missing.join(', ');
      all.push(`Missing: ${names}. Replaced as in training; a number by the median.`);
    }
    return all;
  }

  function bandAnswer(said) {
    const link = { none: '', logistic: 'logistic', 'logistic-scaled': 'scaled logistic' }[model.link] ?? model.link;
    const list = make('dl', { class: 'facts' });
    facts([['Band', `${said.band}, ${said.stratum + 1} of ${model.bands.length}`],
      ['Probability', said.probability === null ? 'none: this model gives a band and no percentage'
        : `${percent(said.probability)}, by the ${link} link`],
      ['Score', `${fixed(said.score, 3)}, cut-offs ${model.delta.map((d) => fixed(d, 3)).join(', ')}`]], list);
    return [make('p', { class: 'says' }, make('strong', {}, `${said.band} risk`), ` of ${event}.`), scale(said), list];
  }

  function classAnswer(said) {
    const list = make('dl', { class: 'facts' });
    facts(model.levels.map((l, c) => [l, `${said.probabilities ? `${percent(said.probabilities[c])}, ` : ''}` +
      `score ${fixed(said.scores[c], 3)}`]).concat(said.probabilities ? [] : [['Probabilities', 'none: a score of this ' +
      'loss recovers none']]), list);
    const says = said.answer === null ? make('p', { class: 'says' }, make('strong', {}, 'No answer'),
      ` for ${model.outcome}: saying nothing costs less here.`)
      : make('p', { class: 'says' }, make('strong', {}, said.answer), ` is the answer for ${model.outcome}.`);
    return [says, list];
  }

  function show() {
    const row = {};
    const wrong = [];
    let entered = 0;
    model.columns.forEach((c, k) => {
      const v = given(c, k);
      if (v.wrong) wrong.push(c);
      else {
        row[c.name] = v;
        if (v !== '') entered += 1;
      }
    });
    const into = byID('answer');
    if (wrong.length > 0) {
      const such = SUCH[wrong.find((c) => SUCH[c.thousands])?.thousands];
      into.replaceChildren(make('p', { class: 'says' }, 'No answer yet.'),
        make('p', { class: 'note note-bad' }, `A marked field must hold a number${such ? `, such as ${such} as in the ` +
          `training file, where a ${such[1] === ',' ? 'comma' : 'point'} separates thousands` : ''}, or be empty when the ` +
          'value is missing.'));
      return;
    }
    if (entered === 0) {
      into.replaceChildren(make('p', { class: 'says' }, 'Enter the values of one patient.'),
        make('p', { class: 'small' }, 'The answer follows each change. Leave a field empty when its value is missing.'));
      return;
    }
    const said = score(row);
    const answer = several ? classAnswer(said) : bandAnswer(said);
    const notes = warnings(row, said).map((w) => make('p', { class: 'note' }, w));
    const body = make('div', { class: 'body' }, ...[icons(said), moved(row, said)].filter(Boolean));
    if (said.outside.length === 0) into.replaceChildren(...answer, ...notes, body);
    else {
      into.replaceChildren(make('p', { class: 'says' }, make('strong', {}, 'Outside the data.'),
        ` ${said.outside.join(', ')}: too far from what the model was trained on to answer.`), ...notes,
        make('h2', { class: 'part' }, 'What the model would say, as a guess'), answer[answer.length - 1]);
    }
    const note = byID('note').value.trim();
    const list = make('ul', {}, ...model.columns.map((c) => make('li', {}, make('span', {}, c.name),
      make('span', {}, text(c, row[c.name])))));
    byID('values').className = `values${model.columns.length > 36 ? ' many' : ''}`;
    byID('values').replaceChildren(make('h2', {}, note || 'Values'),
      make('p', { class: 'small' }, `Printed on ${new Date().toLocaleDateString('en-GB', { dateStyle: 'long' })}.`), list);
  }

  // ---- start ---------------------------------------------------------------------------------------

  facts([...about.facts, ['SHA-256 of the model', about.hash],
    ['Privacy', 'What is entered stays in this window: the file stores nothing, and its policy lets no request out.'],
  ], byID('about'));
  byID('lead').textContent = about.lead;
  const proof = taperReplay(model, data('replay'), score, MOST);
  if (proof.wrong) {
    byID('check').className = 'check is-bad';
    byID('check').setAttribute('role', 'alert');
    byID('check').textContent = 'This calculator does not score. It scored its test rows otherwise than Taper did, so ' +
      `this browser computes differently or the file was changed. Make a new one from the run. ${proof.wrong}`;
    return;
  }
  byID('check').textContent = `✓ ${proof.rows} test rows were scored as Taper scores them ` +
    `(largest relative difference ${proof.worst === 0 ? '0' : minus(proof.worst.toExponential(0))}).`;
  const print = make('button', { type: 'button', class: 'first' }, 'Print this patient');
  print.addEventListener('click', () => { show(); window.print(); });
  const clear = make('button', { type: 'reset' }, 'Clear');
  const form = byID('patient');
  form.append(make('div', { class: 'fields' }, ...model.columns.map(field)), make('div', { class: 'acts' },
    make('label', { for: 'note' }, 'Heading of the print', make('input', { id: 'note', type: 'text', maxlength: 80 })),
    print, clear));
  form.addEventListener('input', show);
  form.addEventListener('submit', (e) => e.preventDefault());
  form.addEventListener('reset', () => setTimeout(show));
  byID('cols').hidden = false;
  show();
})();
