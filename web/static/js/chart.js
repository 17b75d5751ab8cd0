// Charts: the only module that passes options to ECharts.
//
// A figure contains its option as JSON (templates/chart.templ). It is drawn when the figure comes near the screen,
// again when its size or the theme changes, and in place when a live answer brings a new option. ECharts is loaded
// with the first chart, so that pages without charts do not load it.

import { typeset } from './number.js';
import { onChange } from './theme.js';
import { ink, resolve } from './tokens.js';
import { tooltip } from './tooltip.js';

let library; // promise of ECharts
let echarts; // once it is loaded
let turn = Promise.resolve(); // figures are opened in separate tasks, so that the first is visible early
const figures = new Map(); // figure → {chart, option, hidden: Set of series names, narrow, late: not drawn since}
const resized = new ResizeObserver((entries) => entries.forEach((e) => fit(e.target)));
const nearby = new WeakSet(); // figures on or near the screen; measuring their position instead would force a layout
const seen = new IntersectionObserver(onSeen, { rootMargin: '200px' });
const stills = { animation: false, aria: { enabled: false } };

export function start(doc) {
  mount(doc);
  onChange(() => { for (const f of figures.keys()) draw(f, true); });
  doc.addEventListener('click', onClick);
  addEventListener('beforeprint', () => print(doc));
}

// print draws what was not on the screen yet. The printer does not wait for a library, so without a chart on the screen
// there is none on paper.
function print(doc) {
  for (const figure of doc.querySelectorAll('[data-chart]')) {
    if (figures.get(figure)?.late) draw(figure, false);
    else if (echarts && figure.checkVisibility()) begin(figure);
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
  if (!f) document.getElementById(`${id}-option`).textContent = JSON.stringify(option);
  else if (f.late || !nearby.has(figure)) f.late = true;
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
  if (say !== undefined) document.getElementById(`${id}-say`).textContent = say;
  if (finding !== undefined) figure.querySelector('[data-plot]').setAttribute('aria-label', finding);
}

// where converts the position of the pointer to the axes of a figure.
export function where(figure, e) {
  const f = figures.get(figure);
  if (!f) return undefined;
  const box = figure.querySelector('[data-plot]').getBoundingClientRect();
  return f.chart.convertFromPixel({ gridIndex: 0 }, [e.clientX - box.left, e.clientY - box.top]);
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
    f.chart.dispatchAction({ type: 'downplay' });
    if (band >= 0) f.chart.dispatchAction({ type: 'highlight', seriesId: `s${band}` });
    return;
  }
  const plot = figure.querySelector('[data-plot]');
  const area = plot.querySelector('.band-lit') ?? plot.appendChild(Object.assign(document.createElement('div'), { className: 'band-lit' }));
  area.hidden = band < 0 || band > f.option.bands.length;
  if (area.hidden) return;
  const { min, max } = f.option.xAxis[0];
  const [from, to] = [f.option.bands[band - 1] ?? min, f.option.bands[band] ?? max]
    .map((v) => f.chart.convertToPixel({ xAxisIndex: 0 }, Math.min(max, Math.max(min, v))));
  const { top, bottom } = f.option.grid[0];
  Object.assign(area.style, { left: `${from}px`, width: `${to - from}px`, top: `${top}px`, bottom: `${bottom}px` });
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
  if (!document.getElementById(`${figure.id}-option`)) return;
  try {
    echarts = await (library ??= import('../vendor/echarts.js'));
  } catch {
    figure.querySelector('[data-plot]').textContent = 'This build has no chart code. The data table holds the same numbers.';
    return;
  }
  const before = turn;
  let next;
  turn = new Promise((r) => { next = r; });
  await before;
  setTimeout(next);
  if (figure.isConnected) begin(figure);
}

// begin draws a figure for the first time.
function begin(figure) {
  const plot = figure.querySelector('[data-plot]');
  const source = document.getElementById(`${figure.id}-option`);
  if (!source || figures.has(figure)) return;
  const chart = echarts.init(plot, null, { renderer: 'canvas' });
  figures.set(figure, { chart, option: JSON.parse(source.textContent), hidden: new Set(), narrow: narrow(figure) });
  if (figure.dataset.group) {
    chart.group = figure.dataset.group;
    echarts.connect(chart.group);
  }
  const mark = (series) => figure.dispatchEvent(new CustomEvent('taper:mark', { bubbles: true, detail: { series } }));
  chart.on('mouseover', { seriesType: 'scatter' }, (p) => mark(p.seriesIndex));
  chart.on('mouseout', { seriesType: 'scatter' }, () => mark(-1));
  draw(figure, true);
  resized.observe(plot);
  figure.dataset.drawn = '';
}

// draw resolves the tokens and sets the option. Only a fresh start replaces the axes; while a slider moves they
// stay, unless the server changed them.
function draw(figure, fresh) {
  const f = figures.get(figure);
  f.late = false;
  f.chart.setOption(finished(figure, f), fresh ? { notMerge: true } : { replaceMerge: ['series'] });
  // A lit band has other limits if a boundary has moved.
  if (fresh || f.option.bands) figure.dispatchEvent(new CustomEvent('taper:drawn', { bubbles: true }));
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
  if (!f || plot.clientWidth === 0) return;
  f.chart.resize();
  const was = f.narrow;
  f.narrow = narrow(figure);
  if (f.narrow !== was) draw(figure, false);
  figure.dispatchEvent(new CustomEvent('taper:drawn', { bubbles: true }));
}

// sweep disposes of the charts of figures that are no longer on the page.
function sweep() {
  for (const [figure, { chart }] of figures) {
    if (figure.isConnected) continue;
    chart.dispose();
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
function save(figure, kind) {
  const f = figures.get(figure);
  if (!f) return;
  const { clientWidth: width, clientHeight: height } = figure.querySelector('[data-plot]');
  const off = echarts.init(document.createElement('div'), null, { renderer: kind === 'svg' ? 'svg' : 'canvas', width, height });
  off.setOption(finished(figure, f));
  const link = document.createElement('a');
  link.href = off.getDataURL({ type: kind, pixelRatio: 2, backgroundColor: ink('paper') });
  link.download = `${figure.id}.${kind}`;
  link.click();
  off.dispose();
}
