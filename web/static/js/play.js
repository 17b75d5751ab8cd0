// The playground, in addition to live.js: further parameters of requests, painting of answers, the history, the
// step slider, and the selection of bars.
//
// The address is the state, written by the server. A drag replaces it; a choice that changes the controls adds one
// entry.

import { base } from './base.js';
import { refresh } from './live.js';
import * as points from './playpoints.js';
import * as file from './playfile.js';
import * as slider from './slider.js';
import * as surface from './playsurface.js';

const frame = 120; // ms for which a step is shown at least
const pause = 200; // ms without a move of the probe before the server is asked
const frames = 60; // at most, from the first step to the last
let data; // the last answer
let changed = ''; // the choice that the next request is about
let entry = false; // the next answer adds an entry to the history
let run; // {stop} while the steps play
let off = new Set(); // kinds of points that are hidden
let resting; // timer of the probe

export function start(doc) {
  surface.start();
  file.start(doc);
  points.start(doc);
  if (!form()) return;
  doc.addEventListener('taper:ask', onAsk, true);
  doc.addEventListener('taper:answer', onAnswer, true);
  doc.addEventListener('change', onChange, true);
  doc.addEventListener('click', onClick);
  doc.addEventListener('keydown', onKey);
  doc.addEventListener('focusin', onFocus);
  doc.addEventListener('pointerdown', () => { focused = ''; }, true);
  doc.addEventListener('pointermove', onPoint);
  doc.addEventListener('pointerout', (e) => { if (e.target.matches?.('[data-picture] [data-plot] *') && !e.relatedTarget?.closest?.('[data-plot]')) surface.leave(); });
  doc.addEventListener('toggle', onToggle, true);
  addEventListener('popstate', () => load(location.search, false));
  const block = doc.getElementById('play-data');
  paint(JSON.parse(block.textContent));
  if (still()) for (const b of doc.querySelectorAll('[data-run] [data-word]')) b.textContent = 'Step';
}

const form = () => document.getElementById('play');
const figures = () => [...document.querySelectorAll('[data-picture]')];
const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// onAsk describes the page, so that only differences are sent.
function onAsk({ target, detail: { query, settled } }) {
  if (target !== form()) return;
  query.set('parts', '1');
  query.set('have', data?.points?.hash ?? '');
  if (!settled) query.set('held', [...document.querySelectorAll('#play [data-held]')].map((el) => `${el.id}:${el.dataset.held}`).join(';'));
  for (const el of document.querySelectorAll('#play [data-table][open]')) query.append('open', el.id);
  const range = document.getElementById('pg-step-range');
  if (range?.value === range?.max) query.delete('step'); // the last step, whatever its number
  for (const name of leftBehind(query)) for (const key of [name, `${name}.pct`]) query.delete(key);
  const axes = held(settled);
  if (axes) query.set('ax', axes);
}

// leftBehind lists the parameters of the previous choice: other points have other columns, and hand-placed points
// start without noise.
function leftBehind(query) {
  const was = changed;
  changed = '';
  if (was === 'outcome') return ['positive', 'cx', 'cy'];
  if (was !== 'data') return [];
  const columns = ['cx', 'cy', 'use', 'outcome', 'positive', 'test', 'a.matrix', 'b.matrix'];
  return query.get('data') === 'own' ? [...columns, 'noise', 'rate', 'rate0', 'n'] : columns;
}

// held are the axes on the screen, kept during a drag and, for hand-placed points, until they are fitted again.
function held(settled) {
  if (!data?.points || (settled && !(form().dataset.held && points.own()))) return '';
  form().dataset.held = '1';
  const { x, y } = data.axes;
  return [x.min, x.max, y.min, y.max].join(',');
}

function onAnswer({ target, detail }) {
  const { answer } = detail;
  if (target !== form() || !answer.models) return;
  for (const [id, model] of Object.entries(answer.models)) {
    if (model?.surface.same) model.surface.levels = data.models[id].surface.levels;
  }
  paint(answer);
  form().dataset.url = answer.url;
  for (const box of document.querySelectorAll('[data-play-save]')) keep(box, answer.url);
  detail.push = entry;
  entry = false;
  refocus();
}

// keep writes the state to the form that saves it.
function keep(box, url) {
  const fields = [...new URLSearchParams(url.split('?')[1] ?? '')].map(([name, value]) => Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  box.replaceChildren(...fields, box.querySelector('button'));
}

// paint draws an answer on both surfaces.
function paint(answer) {
  answer.points ??= data?.points;
  data = answer;
  surface.forget();
  const lit = brushed();
  for (const figure of figures()) {
    const model = answer.models[figure.dataset.picture];
    figure.querySelector('[data-plot]').classList.toggle('is-own', points.own());
    surface.show(figure, { points: answer.points, axes: answer.axes, model, lit, hide: hidden() });
  }
  steps(Object.values(answer.models).filter(Boolean).map((m) => m.steps));
}

// hidden lists the kinds of points that are hidden.
function hidden() {
  const now = [...document.querySelectorAll('[data-show]')].filter((box) => !box.checked).map((box) => box.dataset.show);
  if (now.join() !== [...off].join()) off = new Set(now);
  return off;
}

// steps sets the length of the step slider to that of the longer fit.
function steps(both) {
  const box = document.getElementById('pg-step');
  if (!box || !both.length || box.matches(':active') && !run) return;
  const last = Math.max(...both.map((s) => s.of)) - 1;
  box.querySelector('input[type="range"]').max = Math.max(last, 1);
  for (const el of box.querySelectorAll('input, button')) el.disabled = last < 1; // there is only one step
  box.dataset.default = last;
  // At the end of both fits the position is the last one, otherwise that of the longer fit.
  const ended = both.every((s) => s.at === s.of - 1);
  slider.set(box.id, String(ended ? last : Math.max(...both.map((s) => s.at))));
}

// brushed is the set of points in the selected bar, if there is one.
function brushed() {
  const [id, bin] = (form().querySelector('[name="brush"]')?.value ?? '').split(':');
  const bins = data?.models[id]?.histogram?.bin;
  if (!bins || bin === undefined) return undefined;
  return new Set(bins.flatMap((b, i) => (b === Number(bin) ? [i] : [])));
}

// onChange: a choice that changes the controls adds a history entry and requests them.
function onChange(e) {
  if (e.target.matches?.('[data-show]')) {
    e.stopImmediatePropagation();
    for (const figure of figures()) surface.show(figure, { hide: hidden() });
  } else if (e.target.form === form() && e.target.matches('select, input[type="radio"]')) {
    entry = true;
    changed = e.target.name;
    if (changed === 'data') delete form().dataset.held;
  }
}

function onClick(e) {
  const link = e.target.closest('a[data-play-go]');
  if (link && !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.button) {
    e.preventDefault();
    load(link.search, true);
    return;
  }
  const button = e.target.closest('#play button');
  if (button?.dataset.newSeed !== undefined) seed();
  else if (button?.dataset.run !== undefined) play(button);
  else if (button?.dataset.playFit !== undefined) fit();
  else if (button?.dataset.playTable !== undefined) table(button);
  const bar = e.target.closest('.pg-bar');
  if (bar) brush(bar);
}

// load requests another state with all its controls.
function load(search, add) {
  entry = add;
  delete form().dataset.held;
  const query = new URLSearchParams(search);
  query.set('form', '');
  refresh(form(), true, query);
}

function seed() {
  const field = form().querySelector('[name="seed"]');
  field.value = crypto.getRandomValues(new Uint16Array(1))[0];
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

function fit() {
  delete form().dataset.held;
  refresh(form(), true);
}

function table(button) {
  const box = button.closest('figure').querySelector('[data-table]');
  box.open = !box.open;
}

// onToggle fills a data table when it is opened.
function onToggle(e) {
  if (!e.target.matches?.('#play [data-table]')) return;
  e.target.closest('figure').querySelector('[data-play-table]')?.setAttribute('aria-pressed', String(e.target.open));
  if (e.target.open && !e.target.querySelector('table')) refresh(form(), true);
}

// brush selects the points of a bar, or none if it was selected.
function brush(bar) {
  const field = form().querySelector('[name="brush"]');
  const id = `${bar.closest('[data-model]').dataset.model}:${bar.dataset.bin}`;
  field.value = field.value === id ? '' : id;
  const lit = brushed();
  for (const figure of figures()) surface.show(figure, { lit });
  field.dispatchEvent(new CustomEvent('taper:change', { bubbles: true }));
}

// onFocus records the focused element, so that the focus can be restored after its part was replaced.
let focused = '';

function onFocus({ target }) {
  if (target.matches?.('.pg-bar')) focused = `#${target.closest('figure').id} .pg-bar[data-bin="${target.dataset.bin}"]`;
  else if (target.matches?.('#play input[type="radio"]')) focused = `#play input[name="${target.name}"]:checked`;
  else focused = target.id ? `#${CSS.escape(target.id)}` : '';
}

function refocus() {
  if (!focused || document.activeElement !== document.body) return;
  document.querySelector(focused)?.focus({ preventScroll: true });
}

function onKey(e) {
  if (e.target.matches?.('.pg-bar')) onBarKey(e);
  else if (e.target.matches?.('[data-picture] [data-plot]')) onProbeKey(e);
}

function onBarKey(e) {
  const next = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[e.key];
  if (next) {
    e.preventDefault();
    const to = e.target[next];
    if (!to?.matches('.pg-bar')) return;
    e.target.setAttribute('tabindex', '-1');
    to.setAttribute('tabindex', '0');
    to.focus();
  } else if (e.key === 'Enter' || e.key === ' ') {
    e.preventDefault();
    brush(e.target);
  }
}

// onProbeKey moves the probe by a cell or, with Shift, by ten.
function onProbeKey(e) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (e.key === 'Escape') surface.leave();
  if (!way || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  const { w, h } = (data.models.a ?? data.models.b)?.surface ?? {};
  if (!w) return;
  const [column, row] = surface.probed() ?? [Math.floor(w / 2), Math.floor(h / 2)];
  const by = e.shiftKey ? 10 : 1;
  surface.probe(between(column + by * way[0], w), between(row + by * way[1], h));
  rest();
}

// rest requests the predictions of both models at the probe when it rests: the levels of bands contain no scores.
function rest() {
  clearTimeout(resting);
  resting = setTimeout(async () => {
    const cell = surface.probed();
    const [x, y] = surface.probedAt() ?? [];
    if (x === undefined || document.querySelector('#play .is-stale')) return;
    const query = new URLSearchParams((form().dataset.url ?? location.search).split('?')[1] ?? '');
    query.set('x', x);
    query.set('y', y);
    try {
      const answer = await fetch(`${base}/playground/probe?${query}`);
      if (answer.ok && surface.probed() === cell) surface.say(await answer.json());
    } catch { /* the levels' words stay */ }
  }, pause);
}

const between = (v, n) => Math.min(n - 1, Math.max(0, v));

function onPoint(e) {
  const plot = e.target.closest?.('[data-picture] [data-plot]');
  if (!plot || e.buttons) return;
  const s = surface.shownBy(plot.closest('[data-picture]'));
  if (!s?.model?.surface.levels) return;
  const box = plot.getBoundingClientRect();
  const [px, py] = [e.clientX - box.left, e.clientY - box.top];
  const { w, h } = s.model.surface;
  const column = between(Math.round((px / box.width) * (w - 1)), w);
  const row = between(Math.round((1 - py / box.height) * (h - 1)), h);
  surface.probe(column, row, surface.nearest(s, px, py, box.width, box.height, 8));
  rest();
}

// play shows the steps of a solver, each for as long as its answer takes and at least for a frame; under reduced
// motion a click is one step.
async function play(button) {
  if (run) {
    run.stop = true;
    return;
  }
  const box = document.getElementById('pg-step');
  const range = box.querySelector('input[type="range"]');
  const first = Number(range.min);
  const from = range.value === range.max ? first : range.valueAsNumber + 1;
  if (still()) {
    await step(box, from, true);
    return;
  }
  const mine = { stop: false };
  run = mine;
  word(button, 'Pause');
  const stride = Math.max(1, Math.ceil((range.max - first) / frames));
  for (let k = from; !mine.stop && box.isConnected; k += stride) {
    const last = k >= range.max;
    await Promise.all([step(box, last ? range.max : k, last), new Promise((r) => setTimeout(r, frame))]);
    if (last) break;
  }
  word(button, 'Play');
  run = undefined;
  form().querySelector('[name="step"]')?.dispatchEvent(new CustomEvent('taper:change', { bubbles: true }));
}

// step shows one step and waits until it is on the page. A step is requested even if answers are slow, when the moves
// of a slider wait for its release.
function step(box, k, settled) {
  slider.set(box.id, String(k));
  return refresh(form(), settled);
}

function word(button, text) {
  button.querySelector('[data-word]').textContent = text;
}
