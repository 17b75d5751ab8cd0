// Linked bands: what shows a band of a result highlights it everywhere on the page: in the strata, among the
// hundred people, below the density, among the points and in the links to its rows. Hovering or focus highlights a
// band temporarily; clicking the name of a band in the strata keeps it highlighted and announces it to screen
// readers.
//
// Nothing is computed: a band is identified by its index in the strata, and charts know its limits (chart.js).

import * as chart from './chart.js';

const places = ['#r-strata tbody tr', '#r-icons figure', '[data-bands] a'];
const charts = ['density', 'pca'];
let kept = -1; // the band that was clicked
let lit = -1;
let status; // announces the kept band

export function start(doc) {
  mount(doc);
  doc.addEventListener('pointerover', ({ target }) => light(bandOf(target)));
  doc.addEventListener('pointermove', onCurve);
  doc.addEventListener('focusin', ({ target }) => light(bandOf(target)));
  doc.addEventListener('focusout', () => queueMicrotask(() => light(-1)));
  doc.addEventListener('taper:mark', ({ detail }) => light(detail.series));
  doc.addEventListener('click', onPress);
}

// mount makes the names of bands inside a part clickable, and restores the kept highlight.
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

// bandOf is the index of the band that an element shows, −1 for none.
function bandOf(target) {
  for (const selector of places) {
    const el = target?.closest?.(selector);
    if (el) return [...document.querySelectorAll(selector)].indexOf(el);
  }
  return -1;
}

// onCurve highlights the band under the pointer in the density.
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

// light highlights a band; without a band under the pointer, that of the focus.
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
