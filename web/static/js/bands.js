// Bands: one band, the same everywhere. What shows a band of a result lights it wherever else the
// page shows it: in the strata, among the hundreds, below the density, among the points and in the
// links to its rows. Pointing or the focus lights a band as long as it lasts; pressing the name of a
// band in the strata keeps it, and is said to a screen reader.
//
// Nothing is computed: a band is its place in the strata, and charts know its ends (chart.js).

import * as chart from './chart.js';

const places = ['#r-strata tbody tr', '#r-icons figure', '[data-bands] a'];
const charts = ['density', 'pca'];
let kept = -1; // the band that was pressed
let lit = -1;
let status; // says what was kept

export function start(doc) {
  mount(doc);
  doc.addEventListener('pointerover', ({ target }) => light(bandOf(target)));
  doc.addEventListener('pointermove', onCurve);
  doc.addEventListener('focusin', ({ target }) => light(bandOf(target)));
  doc.addEventListener('focusout', () => queueMicrotask(() => light(-1)));
  doc.addEventListener('taper:mark', ({ detail }) => light(detail.series));
  doc.addEventListener('click', onPress);
}

// mount makes the names of bands in a part buttons, and lights again what was kept.
export function mount(part) {
  for (const head of part.querySelectorAll?.('#r-strata tbody th') ?? []) button(head);
  if (part.id === 'r-strata') for (const head of part.querySelectorAll('tbody th')) button(head);
  show(lit);
}

function button(head) {
  if (head.querySelector('button')) return;
  const name = document.createElement('button');
  name.type = 'button';
  name.className = 'band-name';
  name.title = 'Highlights this band everywhere on the page';
  name.append(...head.childNodes);
  head.append(name);
}

// bandOf is the place of the band that an element shows, −1 for none.
function bandOf(target) {
  for (const selector of places) {
    const el = target?.closest?.(selector);
    if (el) return [...document.querySelectorAll(selector)].indexOf(el);
  }
  return -1;
}

// onCurve lights the band that the pointer is over in the density.
function onCurve(e) {
  const figure = e.target.closest?.('[data-chart]');
  if (figure?.id === 'density') light(chart.bandAt(figure, e));
}

function onPress(e) {
  const name = e.target.closest?.('.band-name');
  if (!name) return;
  const band = bandOf(name);
  kept = band === kept ? -1 : band;
  show(lit);
  status ??= document.querySelector('main').appendChild(Object.assign(document.createElement('p'), { className: 'vh' }));
  status.setAttribute('role', 'status');
  const cells = [...name.closest('tr').querySelectorAll('td')].map((c) => c.textContent.trim()).filter(Boolean);
  status.textContent = kept < 0 ? `${name.textContent.trim()} is no longer highlighted.` : `${name.textContent.trim()} is highlighted: ${cells.join(', ')}.`;
}

// light lights a band; where the pointer is on none, that of the focus.
function light(band) {
  const now = band < 0 ? bandOf(document.activeElement) : band;
  if (now === lit) return;
  lit = now;
  show(lit);
}

function show(band) {
  const now = band < 0 ? kept : band;
  for (const selector of places) document.querySelectorAll(selector).forEach((el, j) => el.classList.toggle('is-lit', j === now));
  document.querySelectorAll('.band-name').forEach((b, j) => b.setAttribute('aria-pressed', String(j === kept)));
  for (const id of charts) chart.light(id, now);
}
