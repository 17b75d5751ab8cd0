// Sliders: keeps the range and the number field of a slider in step, reads decimal commas, clamps values with a
// message, moves by ten steps on Page keys, and resets.
//
// A slider emits `taper:input` while it moves and `taper:change` when it has settled; both bubble, so that one
// listener is enough for a form.
//
// A message about a typed value stays until the next edit, also if an answer of the server replaces the slider.
//
// All events are delegated to the document, so sliders that are added later need no setup.

import { plain, signs, typeset } from './number.js';
import * as percent from './percent.js';

let dragged; // the range that moved and has not settled
const said = new Map(); // id of a slider → {text, value} of its message
const draggedTo = new Map(); // id of a slider → the value it was dragged to, of which no note about typing is shown
const pages = { PageUp: 10, PageDown: -10 };

export function start(doc) {
  doc.addEventListener('input', (e) => onRange(e, 'taper:input'));
  doc.addEventListener('change', (e) => onRange(e, 'taper:change') || onField(e) || forget());
  doc.addEventListener('keydown', onKey);
  doc.addEventListener('click', onReset);
  for (const end of ['pointerup', 'pointercancel']) doc.addEventListener(end, onRelease);
}

// describe sets the hint and the spoken value from the server's answer.
export function describe(id, words) {
  const s = parts(document.getElementById(id));
  if (!s) return;
  if (words.hint !== undefined) hint(s, words.hint);
  if (words.note !== undefined && s.note) s.note.textContent = words.note;
  if (words.spoken !== undefined) s.range.setAttribute('aria-valuetext', words.spoken);
  if (words.low !== undefined) s.box.dataset.low = words.low;
  if (words.high !== undefined) s.box.dataset.high = words.high;
  if (words.value !== undefined) place(s, words.value);
  if (words.error !== undefined) complain(s, words.error);
}

// mount restores the messages of sliders in a part that was replaced, if their values are unchanged.
export function mount(part) {
  for (const [id, { text, value }] of said) {
    const s = parts([...part.querySelectorAll('[data-slider]')].find((box) => box.id === id));
    if (s && s.field.value === value) complain(s, text);
    else if (s) said.delete(id);
  }
  for (const id of draggedTo.keys()) {
    const s = parts([...part.querySelectorAll('[data-slider]')].find((box) => box.id === id));
    if (s) hint(s, s.hint.textContent);
  }
}

// hint shows the server's hint. Its note about a small percentage asks what was meant by a typed value.
function hint(s, text) {
  const { id, dataset } = s.box;
  if (dataset.percent !== undefined && draggedTo.get(id) === s.field.value) text = text.replace(percent.below(s.box, s.field.value), '').trim();
  if (s.hint.textContent !== text) s.hint.textContent = text; // a live region: the same words would be announced again
}

// forget removes the messages after an edit.
function forget() {
  for (const id of said.keys()) {
    const s = parts(document.getElementById(id));
    if (s) complain(s, '');
  }
  said.clear();
}

// remark shows a message about a typed value until the next edit.
function remark(s, text) {
  complain(s, text);
  if (text) said.set(s.box.id, { text, value: s.field.value });
}

// set moves a slider without an event.
export function set(id, text) {
  const s = parts(document.getElementById(id));
  if (s) place(s, text);
}

function parts(box) {
  return box && {
    box,
    range: box.querySelector('input[type="range"]'),
    field: box.querySelector('.num-in'),
    fill: box.querySelector('[data-fill]'),
    hint: box.querySelector('[data-hint]'),
    note: box.querySelector('[data-note]'),
    error: box.querySelector('[data-error]'),
    stops: box.dataset.stops?.split(' '),
  };
}

function onRange(e, event) {
  if (!e.target.matches?.('[data-slider] input[type="range"]')) return false;
  const s = parts(e.target.closest('[data-slider]'));
  write(s, s.stops ? s.stops[s.range.valueAsNumber] : decimals(s.range));
  const held = within(s, plain(s.field.value), true); // also on release: the end of the range may not be a multiple of the step
  if (event === 'taper:input') {
    forget();
    remark(s, held);
  }
  draggedTo.set(s.box.id, s.field.value);
  show(s);
  dragged = event === 'taper:input' ? e.target : undefined;
  emit(s, event);
  return true;
}

// onRelease settles a slider that was dragged away and back: browsers report no change then. Where they do, it comes
// right after the pointer is up.
function onRelease() {
  if (dragged) setTimeout(() => dragged?.dispatchEvent(new Event('change', { bubbles: true })));
}

// onField reads what was typed; the browser clamps it to the range and rounds it to the step.
function onField(e) {
  if (!e.target.matches?.('[data-slider] .num-in')) return false;
  const s = parts(e.target.closest('[data-slider]'));
  const typed = s.field.value;
  const per = s.box.dataset.percent !== undefined;
  draggedTo.delete(s.box.id);
  forget();
  const moved = place(s, per ? percent.plain(typed) : plain(typed));
  remark(s, moved && per ? `${moved} ${percent.below(s.box, typed)}`.trim() : moved);
  emit(s, 'taper:input');
  emit(s, 'taper:change');
  return true;
}

function onKey(e) {
  const steps = pages[e.key];
  if (!steps || !e.target.matches?.('[data-slider] input[type="range"]')) return;
  e.preventDefault();
  if (steps > 0) e.target.stepUp(steps);
  else e.target.stepDown(-steps);
  e.target.dispatchEvent(new Event('input', { bubbles: true }));
  e.target.dispatchEvent(new Event('change', { bubbles: true }));
}

function onReset(e) {
  const button = e.target.closest('[data-slider] [data-reset]');
  if (!button) return;
  const s = parts(button.closest('[data-slider]'));
  forget();
  complain(s, ''); // also a message of the server
  remark(s, place(s, s.box.dataset.default));
  emit(s, 'taper:input');
  emit(s, 'taper:change');
}

// place moves the slider to a value given as text and returns the resulting message.
function place(s, text) {
  text = plain(text);
  const said = s.stops ? placeOnStop(s, text) : placeOnRange(s, text);
  show(s);
  return said;
}

function placeOnRange(s, text) {
  if (text === '' || !Number.isFinite(Number(text))) {
    write(s, decimals(s.range));
    return `\u201c${text}\u201d is not a number. Using ${worded(s, s.field.value)}.`;
  }
  s.range.value = text;
  const near = within(s, text);
  if (near) return near;
  const asked = Number(text);
  const side = asked > Number(s.range.max) ? 'above' : asked < Number(s.range.min) ? 'below' : '';
  write(s, side ? decimals(s.range) : text);
  return side && `${worded(s, text)} is ${side} ${worded(s, s.range[side === 'above' ? 'max' : 'min'])}. Using ${worded(s, s.field.value)}.`;
}

// within limits a value to data-low and data-high, which neighbours may set inside the range, and returns the
// message.
function within(s, text, dragged = false) {
  const { low, high } = s.box.dataset;
  const asked = Number(text);
  const above = high !== undefined && asked > Number(high);
  if (!above && !(low !== undefined && asked < Number(low))) return '';
  const end = above ? high : low;
  s.range.value = end;
  write(s, end);
  const near = neighbour(s, above ? 1 : -1);
  if (dragged) { // a line with reserved space, so nothing below moves
    return near ? `The ${above ? 'next one' : 'one before'} is ${worded(s, near.value)}: move it first.` : `${worded(s, end)} is the end of the scale.`;
  }
  if (!near) return `${worded(s, text)} is ${above ? 'above' : 'below'} ${worded(s, end)}, the end of the scale. Using ${worded(s, end)}.`;
  const which = above ? 'the next one' : 'the one before';
  return `Boundaries must rise, and ${which} is ${worded(s, near.value)}: ${worded(s, text)} was changed to `
    + `${worded(s, end)}. To go further, move ${which} first.`;
}

// neighbour is the field of the previous or next boundary.
function neighbour(s, way) {
  const all = [...document.querySelectorAll('[data-slider] .num-in')].filter((f) => f.name === s.field.name);
  return all[all.indexOf(s.field) + way];
}

// placeOnStop takes the largest stop that is not above the value.
function placeOnStop(s, text) {
  const asked = amount(text);
  if (text === '' || Number.isNaN(asked)) {
    write(s, s.stops[s.range.valueAsNumber]);
    return `\u201c${text}\u201d is not a number. Using ${worded(s, s.field.value)}.`;
  }
  const exact = s.stops.findIndex((stop) => amount(stop) === asked);
  const above = s.stops.findIndex((stop) => amount(stop) > asked);
  const at = exact >= 0 ? exact : above > 0 ? above - 1 : above === 0 ? 0 : s.stops.length - 1;
  s.range.value = at;
  const free = s.box.dataset.free !== undefined && exact < 0 && asked > 0; // the range is beside the typed value
  write(s, free ? text : s.stops[at]);
  if (free) return '';
  return exact >= 0 ? '' : `${worded(s, text)} is between the steps. Using ${worded(s, s.stops[at])}.`;
}

// amount parses a stop or a typed value; infinity has two spellings.
function amount(text) {
  return Number(text === '\u221e' || text === 'inf' ? 'Infinity' : text);
}

// decimals writes the value of the range with as many decimals as its step.
function decimals(range) {
  const places = (range.step.split('.')[1] ?? '').length;
  return range.valueAsNumber.toFixed(places);
}

function show(s) {
  const { min, max, valueAsNumber: v } = s.range;
  const share = (v - min) / (max - min);
  s.fill.setAttribute('x2', `${share * 100}%`);
  for (const tick of s.box.querySelectorAll('.slider-ticks text')) { // the server writes these places, with two decimals
    tick.classList.toggle('on', tick.getAttribute('x') === `${(share * 100).toFixed(2)}%`);
  }
  s.range.setAttribute('aria-valuetext', `${s.box.dataset.label} ${worded(s, s.field.value)}`);
}

function complain(s, text) {
  s.error.hidden = !text;
  s.hint.hidden = Boolean(text);
  s.error.querySelector('span').textContent = text;
  if (text) s.field.setAttribute('aria-invalid', 'true');
  else s.field.removeAttribute('aria-invalid');
}

function emit(s, name) {
  s.field.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: { name: s.field.name, value: s.field.value } }));
}

// worded is a value of a slider for a sentence; the field keeps the form that one types.
function worded(s, text) {
  return typeset(plain(text)) + s.box.dataset.unit;
}

// write puts a number into the field.
function write(s, text) {
  s.field.value = signs(text);
}
