// Hand-placed points: click empty space to add one, drag to move, Delete to remove; the list below does the same by
// keyboard. The text "x,y,class;…" in the form is the state; nothing is computed here.

import { plain, signs } from './number.js';
import { aim, nearest, place, preview, probed, shownBy } from './playsurface.js';

const reach = 9; // px within which a point can be grabbed
const digits = 3; // decimals of a coordinate
let hold; // {figure, i, moved} while a point is dragged

export function start(doc) {
  doc.addEventListener('pointerdown', onDown);
  doc.addEventListener('pointermove', onMove);
  doc.addEventListener('pointerup', onUp);
  doc.addEventListener('pointercancel', () => { hold = undefined; });
  doc.addEventListener('keydown', onKey);
  doc.addEventListener('click', onClick);
  doc.addEventListener('change', onCell);
}

const list = () => document.querySelector('#pg-points [data-rows]');
const field = () => document.querySelector('#play [name="pts"]');
export const own = () => Boolean(list()); // points can be moved, except when presenting

function onDown(e) {
  const plot = e.target.closest?.('[data-picture] [data-plot]');
  if (!plot || !own() || e.button) return;
  const figure = plot.closest('[data-picture]');
  const [px, py] = pixel(plot, e);
  const i = nearest(shownBy(figure), px, py, plot.clientWidth, plot.clientHeight, reach);
  hold = { figure, plot, i, moved: false, from: [px, py] };
  plot.setPointerCapture(e.pointerId);
}

function onMove(e) {
  if (!hold) return;
  const [px, py] = pixel(hold.plot, e);
  if (!hold.moved && Math.hypot(px - hold.from[0], py - hold.from[1]) < 3) return;
  hold.moved = true;
  if (hold.i >= 0) put(hold.i, place(shownBy(hold.figure), px, py, hold.plot.clientWidth, hold.plot.clientHeight), false);
}

function onUp(e) {
  if (!hold) return;
  const { figure, plot, i, moved } = hold;
  hold = undefined;
  const to = place(shownBy(figure), ...pixel(plot, e), plot.clientWidth, plot.clientHeight);
  if (i < 0 && !moved) add(to);
  else if (i >= 0 && moved) {
    put(i, to, true);
    aim(shownBy(figure), to); // so that Delete removes the dragged point
  }
}

function pixel(plot, e) {
  const box = plot.getBoundingClientRect();
  return [e.clientX - box.left, e.clientY - box.top];
}

// onKey adds a point at the probe, removes the point under it, or chooses the class.
function onKey(e) {
  const plot = e.target.closest?.('[data-picture] [data-plot]');
  if (!plot || !own() || e.ctrlKey || e.metaKey || e.altKey) return;
  const s = shownBy(plot.closest('[data-picture]'));
  const choice = document.querySelector('#pg-adds [data-class]');
  if (/^[0-9]$/.test(e.key) && choice.options[e.key]) {
    choice.selectedIndex = e.key;
    say(`New points are ${choice.selectedOptions[0].text}.`);
    return;
  }
  const cell = s.model && probed();
  if (!cell || !['Enter', 'Delete', 'Backspace'].includes(e.key)) return;
  e.preventDefault();
  const { w, h } = s.model.surface;
  const [u, v] = [cell[0] / (w - 1), 1 - cell[1] / (h - 1)];
  if (e.key === 'Enter') {
    add(place(s, u, v, 1, 1));
    return;
  }
  const { clientWidth, clientHeight } = plot;
  const i = nearest(s, u * clientWidth, v * clientHeight, clientWidth, clientHeight, 2 * reach);
  if (i >= 0) remove(list().rows[i]);
}

function onClick(e) {
  if (e.target.closest('[data-edit-points]')) {
    const box = document.getElementById('pg-list');
    box.open = true;
    box.scrollIntoView({ block: 'center' });
    box.querySelector('input, summary').focus({ preventScroll: true });
    return;
  }
  if (!own()) return;
  const row = e.target.closest('#pg-points [data-remove]')?.closest('tr');
  if (row) remove(row);
  if (e.target.closest('#pg-points [data-add-point]')) {
    const last = list().rows[list().rows.length - 1];
    add(last ? ['x', 'y'].map((part) => Number(plain(last.querySelector(`[data-${part}]`).value))) : [0, 0]);
    list().rows[list().rows.length - 1].querySelector('[data-x]').select();
  }
}

// onCell reads what was typed into the list; invalid numbers are reset.
function onCell(e) {
  if (!e.target.matches?.('#pg-points [data-rows] :is(input, select)')) return;
  e.stopImmediatePropagation();
  if (e.target.matches('input')) {
    const text = plain(e.target.value);
    if (text === '' || !Number.isFinite(Number(text))) {
      e.target.setAttribute('aria-invalid', 'true');
      say(`\u201c${e.target.value}\u201d is not a number.`);
      return;
    }
    e.target.removeAttribute('aria-invalid');
    e.target.value = signs(text);
  }
  send(true);
}

function add([x, y]) {
  const row = document.querySelector('#pg-points [data-row]').content.firstElementChild.cloneNode(true);
  fill(row, [x, y]);
  row.querySelector('[data-c]').selectedIndex = document.querySelector('#pg-adds [data-class]').selectedIndex;
  list().append(row);
  number();
  say(`Point ${list().rows.length} added.`);
  send(true);
}

function put(i, to, settled) {
  const row = list().rows[i];
  if (!row) return;
  fill(row, to);
  send(settled);
}

function remove(row) {
  const n = row.rowIndex;
  const next = row.nextElementSibling ?? row.previousElementSibling;
  const focused = row.contains(document.activeElement);
  row.remove();
  number();
  if (focused) (next?.querySelector('[data-remove]') ?? document.querySelector('[data-add-point]')).focus();
  say(`Point ${n} removed.`);
  send(true);
}

const fill = (row, [x, y]) => {
  row.querySelector('[data-x]').value = signs(String(Number(x.toFixed(digits))));
  row.querySelector('[data-y]').value = signs(String(Number(y.toFixed(digits))));
};

// number renumbers the rows after one was added or removed.
function number() {
  [...list().rows].forEach((row, i) => {
    row.querySelector('[data-n]').textContent = i + 1;
    for (const [part, name] of [['x', 'x of point'], ['y', 'y of point'], ['c', 'Class of point'], ['remove', 'Remove point']]) {
      row.querySelector(`[data-${part}]`).setAttribute('aria-label', `${name} ${i + 1}`);
    }
  });
}

// send writes the list into the form, shows it, and sends the form.
function send(settled) {
  const rows = [...list().rows].map((row) => ['x', 'y', 'c'].map((part) => plain(row.querySelector(`[data-${part}]`).value)));
  field().value = rows.map((row) => row.join(',')).join(';');
  const given = rows.map((row) => Number(row[2]));
  const none = rows.map(() => false);
  preview({ x: rows.map((row) => Number(row[0])), y: rows.map((row) => Number(row[1])), class: given, given, flipped: none, test: none, role: null });
  field().dispatchEvent(new CustomEvent(settled ? 'taper:change' : 'taper:input', { bubbles: true }));
}

function say(text) {
  const box = document.querySelector('#pg-points [data-said]');
  if (box) box.textContent = text;
}
