// The page of one dataset: each change of a control is sent at once, alone, and the changed parts are returned
// (live.js). Changes are sent one after the other, in order.
//
//   <div data-dataset data-stamps="…"> … <form method="post"> … </div>
//
// data-whole marks a form that is sent completely by its button; data-plain a form that leads to another page.

import { had, listed } from './live.js';

let queue = Promise.resolve();
let waiting = 0; // changes without an answer yet

export function start(doc) {
  const page = doc.querySelector('[data-dataset]');
  if (!page) return;
  page.addEventListener('change', (e) => onChange(e, page));
  page.addEventListener('submit', (e) => onSubmit(e, page));
  page.addEventListener('keydown', onEnter);
  page.addEventListener('close', (e) => { // the button that opened the dialog may have been replaced
    if (doc.activeElement === doc.body || e.target.contains(doc.activeElement)) doc.querySelector('#ds-bar .btn-1')?.focus({ preventScroll: true });
  }, true);
}

function ours(form) {
  return form && form.method === 'post' && !form.matches('[data-plain], [data-dropzone]');
}

function onChange(e, page) {
  const { form, name, value } = e.target;
  if (!ours(form) || form.matches('[data-whole]') || !name) return;
  send(page, form, new URLSearchParams([...hidden(form), [name, value]]));
}

// onEnter sends a list that may take several lines as a field of one line is sent.
function onEnter(e) {
  if (e.key !== 'Enter' || !e.target.matches('.codes textarea')) return;
  e.preventDefault();
  e.target.form.requestSubmit();
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
    if (answer.stamps && waiting === 0) show(page, answer);
    if (waiting === 0) stale(page, false);
    say(page, answer.problem);
  });
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

// swap keeps the focus, open details and scroll positions.
function swap(part, html) {
  const at = part.contains(document.activeElement) ? mark(document.activeElement) : null;
  const boxes = [...part.querySelectorAll('.scroll')].map((b) => [b.scrollLeft, b.scrollTop]);
  const open = [...part.querySelectorAll('details')].map((d) => d.open);
  part.innerHTML = html;
  part.querySelectorAll('.scroll').forEach((b, i) => { [b.scrollLeft, b.scrollTop] = boxes[i] ?? [0, 0]; });
  part.querySelectorAll('details').forEach((d, i) => { d.open = open[i] ?? d.open; });
  if (at !== null) (find(part, at) ?? part).focus({ preventScroll: true });
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
