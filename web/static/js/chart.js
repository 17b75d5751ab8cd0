// Charts: the only module that passes options to ECharts.
//
// A figure contains its option as JSON (templates/chart.templ). It is drawn when the figure comes near the screen,
// again when its size or the theme changes, and in place when a live answer brings a new option.
//
// There are two drawings, one above the other. Whatever paint.js can draw, it does, at once and in a fraction of the
// time that ECharts takes. ECharts draws the rest; and once the pointer comes onto a figure it draws that figure too,
// and those connected to it, for the tooltip. It is loaded when it is first needed.

import { typeset } from './number.js';
import * as paint from './paint.js';
import { onChange } from './theme.js';
import { ink, resolve } from './tokens.js';
import { tooltip } from './tooltip.js';

let library; // promise of ECharts
let failures = 0; // how often it did not load
let echarts; // once it is loaded
let turn = Promise.resolve(); // figures are opened in separate tasks, so that the first is visible early
// figure → {option, hidden: Set of series names, narrow, late: not drawn since, plot, canvas, painted: what paint.js shows
// on it, box: where ECharts draws, chart, behind: the drawing of ECharts is an earlier one, at: the pointer on it,
// last: where a pointer was last, lit: a band}
const figures = new Map();
const resized = new ResizeObserver((entries) => entries.forEach((e) => fit(e.target)));
const nearby = new WeakSet(); // figures on or near the screen; measuring their position instead would force a layout
const seen = new IntersectionObserver(onSeen, { rootMargin: '200px' });
const stills = { animation: false, aria: { enabled: false } };

export function start(doc) {
  // What paint.js can draw is part of the first frame, which an observer would only follow.
  const inView = (figure) => {
    const { top, bottom, height } = figure.querySelector('[data-plot]').getBoundingClientRect();
    return height && bottom > 0 && top < innerHeight;
  };
  for (const figure of [...doc.querySelectorAll('[data-chart]')].filter(inView)) begin(figure);
  mount(doc);
  onChange(() => { for (const f of figures.keys()) draw(f, true); });
  doc.addEventListener('click', onClick);
  addEventListener('beforeprint', () => print(doc));
  sharpen();
}

// sharpen paints again when the screen has another resolution: after zooming, or on another screen.
function sharpen() {
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', () => {
    for (const f of figures.values()) if (f.painted) repaint(f);
    sharpen();
  }, { once: true });
}

// print draws what was not on the screen yet. The printer does not wait for a library: what only ECharts can draw is on
// paper if there was such a chart on the screen.
function print(doc) {
  for (const figure of doc.querySelectorAll('[data-chart]')) {
    if (figures.get(figure)?.late) draw(figure, false);
    else if (figure.checkVisibility()) begin(figure);
  }
}

// mount initialises the figures inside root.
export function mount(root) {
  sweep();
  for (const f of root.querySelectorAll('[data-chart]')) seen.observe(f);
  press(root.closest?.('[data-chart]'));
}

// update gives a figure a new option. Off screen, it is drawn when it comes near: a drag draws only what is
// visible.
export function update(id, option) {
  const figure = document.getElementById(id);
  const f = figure && figures.get(figure);
  if (f) {
    rename(f, option.series);
    press(figure);
    f.option = option;
    if (nearby.has(figure)) draw(figure, false);
    else f.late = true;
    return;
  }
  const source = document.getElementById(`${id}-option`);
  if (source) source.textContent = JSON.stringify(option);
  if (nearby.has(figure)) open(figure); // ECharts had not loaded
}

// patch replaces series of a figure by id, and keeps the others.
export function patch(id, changes) {
  const figure = document.getElementById(id);
  const f = figure && figures.get(figure);
  const option = f?.option ?? pending(id);
  if (!option) return;
  const byId = new Map(changes.map((s) => [s.id, s]));
  const series = option.series.map((s) => (byId.has(s.id) ? { ...s, ...byId.get(s.id) } : s));
  if (f) {
    rename(f, series);
    press(figure);
  }
  option.series = series;
  if (!f) update(id, option);
  else if (f.late || !nearby.has(figure)) f.late = true;
  else if (f.behind || !f.chart || paints(figure, f)) draw(figure, false);
  else f.chart.setOption({ series: resolve(changes.filter((s) => shown(option.series.find((o) => o.id === s.id), f))) });
}

// rename keeps a series hidden that has another name in the answer.
function rename(f, series = []) {
  const names = new Map(series.filter((s) => s.id !== undefined).map((s) => [s.id, s.name]));
  const moved = (f.option.series ?? []).filter((s) => f.hidden.has(s.name) && names.has(s.id));
  for (const s of moved) f.hidden.delete(s.name);
  for (const s of moved) f.hidden.add(names.get(s.id));
}

// press shows in the legend of a figure which series are hidden: the server writes it with all shown.
function press(figure) {
  const f = figures.get(figure);
  if (!f) return;
  for (const b of figure.querySelectorAll('[data-series]')) b.setAttribute('aria-pressed', String(!f.hidden.has(b.dataset.series)));
}

// pending is the option of a figure that is not drawn yet.
function pending(id) {
  const source = document.getElementById(`${id}-option`);
  return source && JSON.parse(source.textContent);
}

// word sets a figure's caption and its description for screen readers.
export function word(id, { say, finding }) {
  const figure = document.getElementById(id);
  if (!figure) return;
  if (say !== undefined) tell(document.getElementById(`${id}-say`), say);
  if (finding !== undefined) figure.querySelector('[data-plot]').setAttribute('aria-label', finding);
}

// tell changes the text of an element in its text node: a new one would be styled and placed again.
function tell(el, text) {
  const { firstChild: only } = el;
  if (only?.nodeType === Node.TEXT_NODE && el.childNodes.length === 1) only.data = text;
  else el.textContent = text;
}

// where converts the position of the pointer to the axes of a figure.
export function where(figure, e) {
  const f = figures.get(figure);
  if (!f) return undefined;
  const box = figure.querySelector('[data-plot]').getBoundingClientRect();
  const at = [e.clientX - box.left, e.clientY - box.top];
  return f.painted ? paint.plane(f.painted, box).value(...at) : f.chart?.convertFromPixel({ gridIndex: 0 }, at);
}

// bandAt is the band of a chart's x axis under the pointer, by the cut-offs in its option.
export function bandAt(figure, e) {
  const cuts = figures.get(figure)?.option.bands;
  const at = cuts && where(figure, e);
  return at ? cuts.filter((c) => at[0] > c).length : -1;
}

// light highlights a band in a chart: on an axis with cut-offs as an area, among points by its series; −1 for
// none.
export function light(id, band) {
  const figure = document.getElementById(id);
  const f = figure && figures.get(figure);
  if (!f) return;
  if (!f.option.bands) {
    if (band === f.lit) return;
    f.lit = band;
    if (!f.painted) lift(f);
    else if (!f.late) repaint(f);
    return;
  }
  const plot = figure.querySelector('[data-plot]');
  const area = plot.querySelector('.band-lit') ?? plot.appendChild(Object.assign(document.createElement('div'), { className: 'band-lit' }));
  area.hidden = band < 0 || band > f.option.bands.length;
  if (area.hidden) return;
  const { x, across, left, top, bottom } = paint.plane(f.painted ?? f.option, { width: plot.clientWidth, height: plot.clientHeight });
  const [from, to] = [f.option.bands[band - 1] ?? across.min, f.option.bands[band] ?? across.max].map((v) => Math.min(across.max, Math.max(across.min, v)));
  Object.assign(area.style, { left: `${x(from)}px`, width: `${x(to) - x(from)}px`, top: `${top}px`, height: `${bottom - top}px` });
}

// lift highlights the lit series in the drawing of ECharts.
function lift(f) {
  if (!f.chart) return; // ECharts is not there yet
  f.chart.dispatchAction({ type: 'downplay' });
  if (f.lit >= 0) f.chart.dispatchAction({ type: 'highlight', seriesId: `s${f.lit}` });
}

// shown removes the series hidden in the legend, and the labels at lines if the plot is too narrow; then the legend
// is shown.
function shown(s, f) {
  return !f.hidden.has(s.name) && !(s.wide && f.narrow);
}

const narrow = (figure) => !matchMedia('(min-width: 760px)').matches || figure.clientWidth < 420;

function onSeen(entries) {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) nearby.delete(target);
    else {
      nearby.add(target);
      if (!figures.has(target)) open(target);
      else if (figures.get(target).late) draw(target, false);
    }
  }
}

async function open(figure) {
  const option = pending(figure.id);
  if (!option || !paint.can(option) && !await load(figure)) return;
  const before = turn;
  let next;
  turn = new Promise((r) => { next = r; });
  await before;
  setTimeout(next);
  if (figure.isConnected) begin(figure);
}

// load waits for ECharts. Where it fails, a figure that paint.js cannot draw says so, and its next update tries again.
async function load(figure) {
  try {
    echarts = await (library ??= fetched());
    return true;
  } catch {
    if (!figures.get(figure)?.painted) excuse(figure);
    return false;
  }
}

// fetched imports ECharts. Browsers remember an address whose import failed, so each new attempt has another address.
async function fetched() {
  try {
    if (!failures) return await import('../vendor/echarts.js');
    const address = new URL(`../vendor/echarts.js?attempt=${failures + 1}`, import.meta.url);
    return await import(address);
  } catch (err) {
    failures++;
    library = undefined;
    throw err;
  }
}

// excuse says in the place of a drawing why there is none.
function excuse(figure) {
  const plot = figure.querySelector('[data-plot]');
  const p = plot.querySelector('.undrawn') ?? plot.appendChild(Object.assign(document.createElement('p'), { className: 'undrawn' }));
  p.textContent = 'The chart code did not load, so this chart is not drawn. '
    + `${figure.querySelector('[data-table]') ? 'The data table has the same numbers. ' : ''}To try again, reload the page.`;
}

// begin draws a figure for the first time.
function begin(figure) {
  const plot = figure.querySelector('[data-plot]');
  const option = pending(figure.id);
  if (!option || figures.has(figure) || !echarts && !paint.can(option)) return;
  figures.set(figure, { plot, option, hidden: new Set(), narrow: narrow(figure), lit: -1 });
  for (const type of ['pointerenter', 'pointermove']) plot.addEventListener(type, (e) => enter(figure, e));
  plot.addEventListener('pointerleave', (e) => leave(figure, e));
  plot.addEventListener('touchmove', (e) => follow(figure, e), { passive: true });
  draw(figure, true);
  resized.observe(plot);
  figure.dataset.drawn = '';
}

// draw shows the option of a figure. Only a fresh start replaces the axes of ECharts; while a slider moves they stay,
// unless the server changed them.
function draw(figure, fresh) {
  const f = figures.get(figure);
  f.late = false;
  if (paints(figure, f)) {
    f.painted = finished(figure, f);
    f.behind = true;
    repaint(f);
  } else if (echarts) render(figure, f, fresh);
  else {
    if (f.canvas) f.canvas.hidden = true; // it shows what is no longer so
    f.painted = undefined;
    load(figure).then((there) => { if (there && figures.has(figure) && figure.isConnected) draw(figure, true); });
  }
  // A lit band has other limits if a boundary has moved.
  if (fresh || f.option.bands) figure.dispatchEvent(new CustomEvent('taper:drawn', { bubbles: true }));
}

// paints tells whether paint.js draws the figure: while the pointer is on it, ECharts does.
const paints = (figure, f) => !(echarts && f.at) && paint.can(f.option);

function repaint(f) {
  // To measure here would lay out what a move changed, which the frame does anyway; fit hears of another size.
  const { width, height } = f.size ??= measured(f.plot);
  f.plot.querySelector('.undrawn')?.remove();
  if (f.box) f.box.hidden = true;
  f.canvas ??= layer(f.plot, 'canvas');
  f.canvas.hidden = false;
  // The plot can have a part of a pixel more, to which the browser would stretch the picture.
  Object.assign(f.canvas.style, { width: `${width}px`, height: `${height}px` });
  const lit = f.painted.series.find((s) => s.id === `s${f.lit}`); // it may be hidden, or of a boundary that is gone
  paint.paint(f.canvas, f.painted, f.size, devicePixelRatio, lit?.id);
}

const measured = ({ clientWidth: width, clientHeight: height }) => ({ width, height });

// layer adds a drawing to a plot.
const layer = (plot, name) => plot.appendChild(Object.assign(document.createElement(name), { className: 'drawing' }));

// render draws with ECharts.
function render(figure, f, fresh) {
  if (f.canvas) f.canvas.hidden = true;
  f.plot.querySelector('.undrawn')?.remove();
  f.box ??= layer(f.plot, 'div');
  f.box.hidden = false;
  if (!f.chart) create(figure, f);
  f.chart.setOption(finished(figure, f), fresh || f.behind ? { notMerge: true } : { replaceMerge: ['series'] });
  f.painted = undefined;
  f.behind = false;
  if (f.lit >= 0) lift(f);
}

function create(figure, f) {
  f.chart = echarts.init(f.box, null, { renderer: 'canvas', devicePixelRatio });
  if (figure.dataset.group) {
    f.chart.group = figure.dataset.group;
    echarts.connect(f.chart.group);
  }
  const mark = (series) => figure.dispatchEvent(new CustomEvent('taper:mark', { bubbles: true, detail: { series } }));
  // By its id: a hidden series is none of the chart's.
  f.chart.on('mouseover', { seriesType: 'scatter' }, (p) => mark(f.option.series.findIndex((s, i) => (s.id ?? `s${i}`) === p.seriesId)));
  f.chart.on('mouseout', { seriesType: 'scatter' }, () => mark(-1));
}

// enter lets ECharts draw a figure, and those connected to it, under the pointer. A button that is down drags something
// else across it.
async function enter(figure, e) {
  const f = figures.get(figure);
  const known = f.at;
  if (!known && e.pointerType === 'mouse' && e.buttons) return;
  f.at = f.last = e;
  const touched = e.pointerType !== 'mouse'; // a finger has left before the library is there, and wants the tip
  if (known || !await load(figure) || !f.at && !touched || !figure.isConnected) return;
  const { group } = figure.dataset;
  for (const [other, o] of figures) {
    if (other !== figure && (!group || other.dataset.group !== group || !nearby.has(other))) continue;
    if (!touched) o.at ??= e;
    if (o.painted || !o.chart) render(other, o, true);
  }
  point(f);
}

// point shows the tooltip where the pointer was last. For curves it asks for their crosshair, with which the tooltip
// comes, in the connected charts too: after showTip these would lose theirs again.
function point({ chart, box, option, last }) {
  const { left, top } = box.getBoundingClientRect();
  const type = option.tooltip?.trigger === 'axis' ? 'updateAxisPointer' : 'showTip';
  chart.dispatchAction({ type, x: last.clientX - left, y: last.clientY - top });
}

// follow moves the tooltip with the finger whose touch brought ECharts: all events of a touch go to the element where it
// began, here the painted drawing, and ECharts sees none of them. While the page scrolls, a finger has no pointer events.
function follow(figure, e) {
  const f = figures.get(figure);
  f.last = e.targetTouches[0];
  if (f.chart && !f.box.hidden && !f.box.contains(e.target)) point(f);
}

// leave lets the next drawing be painted. ECharts has not seen the pointer if it came and went before the drawing was
// there.
function leave(figure, e) {
  const { group } = figure.dataset;
  const { chart } = figures.get(figure);
  if (e.pointerType === 'mouse') {
    chart?.dispatchAction({ type: 'updateAxisPointer', currTrigger: 'leave' });
    chart?.dispatchAction({ type: 'hideTip' });
  }
  for (const [other, o] of figures) if (other === figure || group && other.dataset.group === group) o.at = undefined;
}

function finished(figure, f) {
  const o = { ...resolve(f.option), ...stills };
  // With ids ECharts moves existing marks in place of drawing all again.
  o.series = (o.series ?? []).map((s, i) => ({ id: `s${i}`, ...s })).filter((s) => shown(s, f));
  if (o.tooltip) o.tooltip = tooltip(o.tooltip, Number(figure.dataset.digits));
  for (const name of ['xAxis', 'yAxis']) {
    for (const axis of [o[name]].flat().filter(Boolean)) {
      signs(axis);
      axis.axisLabel = { margin: 8, ...axis.axisLabel }; // ECharts’ default, which larger() cannot see
    }
  }
  delete o.bands;
  delete o.legend; // legends and titles are HTML
  delete o.title;
  delete o.toolbox;
  return document.body.classList.contains('in-scene') ? larger(o, Math.max(1, Math.min(innerWidth / 960, innerHeight / 540))) : o;
}

// Options with lengths in pixels.
const lengths = new Set(['fontSize', 'width', 'borderWidth', 'symbolSize', 'nameGap', 'margin', 'left', 'right', 'top', 'bottom', 'length', 'distance']);

// larger scales an option for presenting: text, lines and marks by a factor.
function larger(o, times) {
  if (Array.isArray(o)) return o.map((v) => larger(v, times));
  if (o === null || typeof o !== 'object') return o;
  const grown = (key, v) => {
    if (lengths.has(key) && typeof v === 'number') return v * times;
    if (key === 'symbolSize' && Array.isArray(v)) return v.map((x) => x * times);
    return larger(v, times);
  };
  return Object.fromEntries(Object.entries(o).map(([key, v]) => [key, grown(key, v)]));
}

// signs formats the numbers of an axis typographically.
function signs(axis) {
  if (axis.type === 'category' || axis.axisLabel?.formatter) return;
  const powers = (v) => axis.type === 'log' && (v < 0.001 || v >= 1e4); // 10⁻⁵ beside 10⁻⁸
  axis.axisLabel = { ...axis.axisLabel, formatter: (v) => typeset(powers(v) ? v.toExponential(0) : String(v)) };
}

function fit(plot) {
  const figure = plot.closest('[data-chart]');
  const f = figures.get(figure);
  const { width, height } = measured(plot);
  if (!f || width === 0) return;
  const [was, before] = [f.narrow, f.size];
  f.narrow = narrow(figure);
  f.size = { width, height };
  f.chart?.resize({ width, height }); // its box can be hidden
  if (f.narrow !== was) draw(figure, false);
  else if (f.painted && (before.width !== width || before.height !== height)) repaint(f);
  figure.dispatchEvent(new CustomEvent('taper:drawn', { bubbles: true }));
}

// sweep disposes of the charts of figures that are no longer on the page.
function sweep() {
  for (const [figure, { chart }] of figures) {
    if (figure.isConnected) continue;
    chart?.dispose();
    figures.delete(figure);
  }
}

function onClick(e) {
  const button = e.target.closest('[data-chart] button');
  if (!button) return;
  const figure = button.closest('[data-chart]');
  if (button.dataset.series !== undefined) toggle(figure, button);
  else if (button.dataset.openTable !== undefined) openTable(figure, button);
  else if (button.dataset.fit !== undefined) figure.dispatchEvent(new CustomEvent('taper:fit', { bubbles: true }));
  else if (button.dataset.save !== undefined) save(figure, e.shiftKey ? 'png' : 'svg');
}

function toggle(figure, button) {
  const f = figures.get(figure);
  if (!f) return;
  const name = button.dataset.series;
  if (!f.hidden.delete(name)) f.hidden.add(name);
  press(figure);
  draw(figure, false);
}

function openTable(figure, button) {
  const table = figure.querySelector('[data-table]');
  table.open = !table.open;
  button.setAttribute('aria-pressed', String(table.open));
}

// save draws the chart off screen and downloads it as a file.
async function save(figure, kind) {
  const plot = figure.querySelector('[data-plot]');
  figure.querySelector('.unsaved')?.remove();
  if (!await load(figure)) {
    const p = Object.assign(document.createElement('p'), { className: 'undrawn unsaved' });
    p.setAttribute('role', 'alert');
    p.textContent = 'The chart code did not load, so no file was saved. To try again, press the button again.';
    plot.after(p);
    return;
  }
  begin(figure);
  const f = figures.get(figure);
  if (!f) return;
  const { clientWidth: width, clientHeight: height } = plot;
  const off = echarts.init(document.createElement('div'), null, { renderer: kind === 'svg' ? 'svg' : 'canvas', width, height });
  off.setOption(finished(figure, f));
  const link = document.createElement('a');
  link.href = off.getDataURL({ type: kind, pixelRatio: 2, backgroundColor: ink('paper') });
  link.download = `${figure.id}.${kind}`;
  link.click();
  off.dispose();
}
