// The page of one dataset: each change of a control is sent at once, alone, and the changed parts are returned
// (live.js). Changes are sent one after the other, in order. The page shows the answer when none is waiting; then
// every choice that was refused goes back, and what was typed and not accepted stays.
//
//   <div data-dataset data-stamps="…"> … <form method="post"> … </div>
//
// data-whole marks a form that is sent completely by its button; data-plain a form that leads to another page.

import { changed, entered } from './entered.js';
import { had, listed } from './live.js';

let queue = Promise.resolve();
let waiting = 0; // changes without an answer yet
let accepted = []; // {body, answer} of the accepted changes that the page does not show yet
let refused; // the last problem among the changes that it does not show yet
let typed; // the field with the focus whose text a script entered again
let swapping = false; // browsers report that a field was changed and left also when a script removes it

export function start(doc) {
  const page = doc.querySelector('[data-dataset]');
  if (!page) return;
  page.addEventListener('change', (e) => onChange(e, page));
  page.addEventListener('submit', (e) => onSubmit(e, page));
  page.addEventListener('keydown', onEnter);
  page.addEventListener('focusout', onLeave);
  page.addEventListener('close', (e) => { // the button that opened the dialog may have been replaced
    if (doc.activeElement === doc.body || e.target.contains(doc.activeElement)) doc.querySelector('#ds-bar .btn-1')?.focus({ preventScroll: true });
  }, true);
}

function ours(form) {
  return form && form.method === 'post' && !form.matches('[data-plain], [data-dropzone]');
}

function onChange(e, page) {
  const { form, name, value } = e.target;
  if (swapping) return;
  if (e.target === typed) typed = undefined;
  if (!ours(form) || form.matches('[data-whole]') || !name) return;
  send(page, form, new URLSearchParams([...hidden(form), [name, value]]));
}

// onEnter sends a list that may take several lines as a field of one line is sent.
function onEnter(e) {
  if (e.key !== 'Enter' || !e.target.matches('.codes textarea')) return;
  e.preventDefault();
  e.target.form.requestSubmit();
}

// onLeave sends a text that a script entered again: browsers then report no change.
function onLeave({ target }) {
  if (swapping || target !== typed) return;
  typed = undefined;
  if (changed(target)) target.dispatchEvent(new Event('change', { bubbles: true }));
}

function onSubmit(e, page) {
  if (!ours(e.target)) return;
  e.preventDefault();
  send(page, e.target, new URLSearchParams(new FormData(e.target, e.submitter)));
}

function hidden(form) {
  return [...form.querySelectorAll('input[type="hidden"]')].map((i) => [i.name, i.value]);
}

function send(page, form, body) {
  waiting++;
  const url = form.getAttribute('action');
  const dim = setTimeout(() => stale(page, true), 120);
  queue = queue.then(async () => {
    const answer = await post(page, url, body);
    clearTimeout(dim);
    waiting--;
    if (answer.stamps) accepted.push({ body, answer });
    refused = answer.problem ?? refused;
    if (waiting === 0) settle(page);
  });
}

// settle shows what became of the changes when the last one is answered. The last accepted answer has every part that
// differs from the page.
function settle(page) {
  if (accepted.length) show(page, accepted.at(-1).answer);
  if (refused) restore(page);
  stale(page, false);
  say(page, refused);
  accepted = [];
  refused = undefined;
}

// restore sets the choices back to those that the server wrote. A form with a button keeps its own.
function restore(page) {
  for (const o of page.querySelectorAll('form:not([data-whole]) option')) o.selected = o.defaultSelected;
  for (const r of page.querySelectorAll('form:not([data-whole]) input[type="radio"]')) r.checked = r.defaultChecked;
}

async function post(page, url, body) {
  try {
    const res = await fetch(`${url}${url.includes('?') ? '&' : '?'}had=${listed(page)}`, { method: 'POST', body, headers: { Accept: 'application/json' } });
    const answer = await res.json().catch(() => ({}));
    return res.ok ? answer : { problem: answer.detail ?? `The program answered ${res.status}.` };
  } catch {
    return { problem: 'The program does not answer. Is it still running?' };
  }
}

// say shows an error, or announces the result to screen readers.
function say(page, problem) {
  const place = page.querySelector('dialog[open] [data-said-problem]') ?? document.getElementById('ds-problem');
  for (const said of page.querySelectorAll('[data-said]')) said.textContent = problem ? '' : document.getElementById('result').textContent;
  for (const told of page.querySelectorAll('[data-said-problem]')) told.replaceChildren();
  if (!problem) return;
  delete had(page)['ds-problem'];
  const p = document.createElement('p');
  p.className = 'banner banner-bad mb';
  p.setAttribute('role', 'alert');
  p.textContent = problem;
  place.replaceChildren(p);
  place.scrollIntoView({ block: 'nearest' });
}

// show replaces the returned parts. The server escaped them; the content security policy prevents scripts in them.
function show(page, { parts, stamps }) {
  for (const [id, html] of Object.entries(parts)) {
    const part = document.getElementById(id);
    if (part) swap(part, html);
  }
  Object.assign(had(page), stamps);
}

// unsent reports whether a field has text or a choice that no accepted change contained.
const unsent = (field) => changed(field) && !accepted.some(({ body }) => body.getAll(field.name).includes(field.value));

// stays reports whether a field keeps what was entered. A choice is sent at once, so it stays only in a form with a
// button, and there together with the other fields: codes must not end up beside another column.
function stays(field) {
  if (field.form?.matches('[data-whole]')) return [...field.form.elements].some(unsent);
  return !field.matches('select') && unsent(field);
}

// swap keeps the focus, open details, scroll positions and what was entered and not sent.
function swap(part, html) {
  const marks = part.contains(document.activeElement) ? marksTo(part, document.activeElement) : null;
  const boxes = [...part.querySelectorAll('.scroll')].map((b) => [b.scrollLeft, b.scrollTop]);
  const open = [...part.querySelectorAll('details')].map((d) => d.open);
  const enter = entered(part, stays);
  swapping = true;
  part.innerHTML = html;
  swapping = false;
  typed = enter() ?? typed;
  part.querySelectorAll('.scroll').forEach((b, i) => { [b.scrollLeft, b.scrollTop] = boxes[i] ?? [0, 0]; });
  part.querySelectorAll('details').forEach((d, i) => { d.open = open[i] ?? d.open; });
  if (marks !== null) (find(part, marks.pop()) ?? following(part, marks) ?? part).focus({ preventScroll: true });
}

// controls are the elements of a part that Tab reaches: of radio buttons with one name, the one that is chosen.
function controls(part) {
  return [...part.querySelectorAll('input:not([type="hidden"]), select, textarea, button, a, summary, [tabindex="0"]')].filter((el) => {
    const group = el.type === 'radio' ? part.querySelector(`[name="${CSS.escape(el.name)}"]:checked`) : null;
    return (!group || group === el) && el.getClientRects().length > 0;
  });
}

// marksTo marks the controls of a part before an element, and last the element itself.
function marksTo(part, el) {
  const before = controls(part).filter((c) => c.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING);
  return [...before, el].map(mark);
}

// following is the control that comes next where the one with the focus is gone: the one after the last control before
// it that is still there, or that control if it is the last of its part.
function following(part, marks) {
  const all = controls(part);
  const last = marks.map((m) => all.indexOf(find(part, m))).findLast((i) => i >= 0);
  return all[last + 1] ?? all[last];
}

// mark identifies an element, so that its replacement can be found.
function mark(el) {
  return { id: el.id, name: el.name, value: el.type === 'radio' ? el.value : undefined };
}

function find(part, at) {
  const all = [...part.querySelectorAll('input, select, textarea, button, a')];
  return all.find((el) => at.id && el.id === at.id)
    ?? all.find((el) => at.name && el.name === at.name && (at.value === undefined || el.value === at.value));
}

function stale(page, on) {
  for (const part of page.querySelectorAll('[data-live-part]')) part.classList.toggle('is-stale', on);
}
