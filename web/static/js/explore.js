// The loss explorer: what live.js does not do.
//
// The crosshair and the point of a game can be dragged in the charts, and open tables are kept in the state. Only
// positions on the axes are computed here; all other numbers come from the server.

import * as chart from './chart.js';
import * as slider from './slider.js';

let drag; // {figure, kind} while the pointer is down in a plot

export function start(doc) {
  doc.addEventListener('taper:fit', onFit);
  doc.addEventListener('toggle', onToggle, true);
  doc.addEventListener('pointerdown', onDown);
  doc.addEventListener('pointermove', onDrag);
  doc.addEventListener('pointerup', onUp);
  doc.addEventListener('pointercancel', onUp);
}

const explorer = () => document.querySelector('form[data-explore]');

const field = (form, name) => form.querySelector(`[name="${name}"]`);

// steer sets several sliders before the form is sent once.
function steer(form, values, settled) {
  let range;
  for (const [name, value] of Object.entries(values)) {
    const box = field(form, name).closest('[data-slider]');
    range = box.querySelector('input[type="range"]');
    range.value = value; // rounded to the step of the slider
    slider.set(box.id, decimals(range));
  }
  range.dispatchEvent(new Event('input', { bubbles: true }));
  if (settled) range.dispatchEvent(new Event('change', { bubbles: true }));
}

const decimals = (range) => range.valueAsNumber.toFixed((range.step.split('.')[1] ?? '').length);

function onFit(e) {
  const form = explorer();
  if (!form) return;
  const ask = document.createElement('input');
  Object.assign(ask, { type: 'hidden', name: 'fit', value: e.target.id });
  form.append(ask);
  ask.dispatchEvent(new Event('change', { bubbles: true }));
  ask.remove();
}

// onToggle keeps the open data tables in the state, so that they are updated.
function onToggle(e) {
  const form = explorer();
  if (!form || !e.target.matches?.('[data-chart] [data-table]')) return;
  const id = e.target.closest('[data-chart]').id;
  const open = [...form.querySelectorAll('input[name="open"]')].filter((el) => el.value === id);
  if (e.target.open === open.length > 0) return;
  for (const el of open) el.remove();
  if (e.target.open) {
    const el = document.createElement('input');
    Object.assign(el, { type: 'hidden', name: 'open', value: id });
    form.append(el);
  }
  field(form, 'view').dispatchEvent(new Event('change', { bubbles: true }));
}

function onDown(e) {
  const box = e.target.closest?.('[data-drag]');
  const plot = e.target.closest?.('[data-plot]');
  if (!plot || !box?.dataset.drag || e.button) return;
  drag = { figure: plot.closest('[data-chart]'), kind: box.dataset.drag };
  if (e.pointerType !== 'mouse') return; // a vertical touch scrolls
  place(e, false);
}

function onDrag(e) {
  if (!drag) return;
  e.preventDefault();
  place(e, false);
}

function onUp(e) {
  if (!drag) return;
  if (e.type === 'pointerup') place(e, true);
  drag = undefined;
}

// place sets the crosshair or the point to the pointer, rounded to the step of its slider and limited by its range.
function place(e, settled) {
  const form = explorer();
  const at = chart.where(drag.figure, e);
  if (!form || !at) return;
  if (drag.kind === 'z') steer(form, { z: at[0] }, settled);
  else if (field(form, 'b')) steer(form, { a: at[0], b: at[1] }, settled);
  else steer(form, { a: at[0] }, settled);
}
