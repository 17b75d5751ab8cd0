// Linked bands: what shows a band of a result highlights it everywhere on the page: in tables, among the hundred
// people, below the density, among the points and in the lists of rows. Hovering or focus highlights a band
// temporarily; clicking its name at the head of a row keeps it highlighted and announces it to screen readers, and so
// does listing its rows. The pages of a run show different figures, so the links between them carry the band that is
// kept, as #band=2.
//
//   <th data-band="2">, <td data-band="2">   the row is of the second band
//   <td data-band-column="2">                so is this column
//   <figure data-band="2">                   so is this
//
// Nothing is computed: the server numbers the bands, and charts know their limits (chart.js).

import * as chart from './chart.js';

const shown = '[data-band], [data-band-column]';
const points = '#pca [data-series]'; // a series per band
const charts = ['density', 'pca'];
let kept = -1; // the band that was clicked
let lit = -1;
let status; // announces the kept band

export function start(doc) {
  kept = Number(location.hash.match(/^#band=(\d+)$/)?.[1] ?? 0) - 1;
  if (kept < 0) kept = numbered(doc.querySelector('[data-bands] [aria-current]'));
  carry();
  mount(doc);
  doc.addEventListener('taper:drawn', ({ target: { id } }) => { if (charts.includes(id)) chart.light(id, now()); });
  doc.addEventListener('pointerover', (e) => light(onCurve(e) ? chart.bandAt(onCurve(e), e) : bandOf(e.target)));
  doc.addEventListener('pointermove', (e) => { if (onCurve(e)) light(chart.bandAt(onCurve(e), e)); });
  doc.addEventListener('focusin', ({ target }) => light(bandOf(target)));
  doc.addEventListener('focusout', () => queueMicrotask(() => light(-1)));
  doc.addEventListener('taper:mark', ({ detail }) => light(detail.series));
  doc.addEventListener('click', onPress);
}

// mount makes the names of bands inside a part clickable, and highlights in it what is highlighted.
export function mount(part) {
  dress(part);
  if (now() >= 0) show();
}

// dress makes the names of bands inside a part clickable.
export function dress(part) {
  for (const head of part.querySelectorAll('th[data-band]')) button(head);
}

function button(head) {
  if (head.querySelector('button')) return;
  const name = document.createElement('button');
  name.type = 'button';
  name.className = 'band-name';
  name.title = 'Highlights this band everywhere on the page';
  name.setAttribute('aria-pressed', String(numbered(head) === kept));
  name.append(...head.childNodes);
  head.append(name);
}

// bandOf is the index of the band that an element shows, −1 for none.
function bandOf(target) {
  const el = target?.closest?.(shown) ?? target?.closest?.('tr')?.querySelector(':scope > [data-band]');
  if (el) return numbered(el);
  const entry = target?.closest?.(points);
  return entry ? [...document.querySelectorAll(points)].indexOf(entry) : -1;
}

// numbered is the index of the band in an element’s attribute.
const numbered = (el) => Number(el?.dataset.band ?? el?.dataset.bandColumn ?? 0) - 1;

// onCurve is the figure of the density, if the pointer is on it. There the place counts, and the element can change
// under a pointer that rests, when ECharts draws in place of paint.js.
const onCurve = (e) => e.target.closest?.('#density[data-chart] [data-plot]')?.closest('[data-chart]');

function onPress(e) {
  const listed = e.target.closest?.('[data-bands] a');
  if (listed) keep(numbered(listed));
  const name = e.target.closest?.('.band-name');
  if (!name) return;
  const band = bandOf(name);
  keep(band === kept ? -1 : band);
  status ??= document.querySelector('main').appendChild(Object.assign(document.createElement('p'), { className: 'vh' }));
  status.setAttribute('role', 'status');
  const cells = [...name.closest('tr').querySelectorAll('td')].map((c) => c.textContent.trim()).filter(Boolean);
  status.textContent = kept < 0 ? `${name.textContent.trim()} is no longer highlighted.` : `${name.textContent.trim()} is highlighted: ${cells.join(', ')}.`;
}

// keep keeps a band highlighted, −1 for none.
function keep(band) {
  kept = band;
  carry();
  show();
}

// carry writes the kept band into the address, and into the links to the other pages of the run.
function carry() {
  const links = document.querySelectorAll('nav.tabs:not([data-tabs] *) > a');
  if (!links.length) return;
  const hash = kept < 0 ? '' : `#band=${kept + 1}`;
  if (hash || /^#band=/.test(location.hash)) history.replaceState(null, '', location.pathname + location.search + hash);
  for (const a of links) a.setAttribute('href', a.getAttribute('href').replace(/#band=.*$/, '') + hash);
}

// light highlights a band; without a band under the pointer, that of the focus.
function light(band) {
  const now = band < 0 ? bandOf(document.activeElement) : band;
  if (now === lit) return;
  lit = now;
  show();
}

// now is the highlighted band, −1 for none.
const now = () => (lit < 0 ? kept : lit);

function show() {
  const band = now();
  for (const el of document.querySelectorAll(shown)) {
    const whole = el.matches('th[scope="row"]') ? el.parentElement : el;
    whole.classList.toggle('is-lit', band >= 0 && numbered(el) === band);
  }
  document.querySelectorAll(points).forEach((el, j) => el.classList.toggle('is-lit', j === band));
  for (const b of document.querySelectorAll('.band-name')) b.setAttribute('aria-pressed', String(bandOf(b) === kept));
  for (const id of charts) chart.light(id, band);
}
