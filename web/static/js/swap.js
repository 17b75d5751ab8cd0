// Forms whose answer replaces a part of the page: <form method="post" data-swap="id">. Input is sent in the body,
// never in an address. The answer is {"parts": {id: html}}, or a problem that names the fields. With data-swap-live
// a move of its controls also sends the form, one request at a time, and the last move again.

import * as bands from './bands.js';

export function start(doc) {
  doc.addEventListener('submit', (e) => {
    if (!e.target.matches('form[data-swap]')) return;
    e.preventDefault();
    send(e.target);
  });
  doc.addEventListener('reset', ({ target }) => { if (target.matches('form[data-swap]')) restart(target); });
  for (const move of ['taper:input', 'change']) doc.addEventListener(move, onMove);
}

const busy = new WeakMap(); // form → whether a move came after its request was sent

async function onMove({ target }) {
  const form = target.closest('form[data-swap-live]');
  if (!form) return;
  if (busy.has(form)) {
    busy.set(form, true);
    return;
  }
  do {
    busy.set(form, false);
    await send(form);
  } while (busy.get(form));
  busy.delete(form);
}

const sent = new WeakMap(); // form → its last request, whose answer alone counts

async function send(form) {
  const mine = {};
  sent.set(form, mine);
  let answer;
  try {
    const res = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { Accept: 'application/json' } });
    answer = await res.json();
    if (!res.ok) answer = { problem: answer.detail, errors: answer.errors ?? [] };
  } catch {
    answer = { problem: 'The program does not answer. Is it still running?' };
  }
  if (sent.get(form) !== mine || !form.isConnected) return; // sent again, cleared, or no longer on the page
  mark(form, answer.errors ?? []);
  if (answer.problem) complain(form, answer.problem);
  for (const [id, html] of Object.entries(answer.parts ?? {})) {
    const part = document.getElementById(id);
    part.innerHTML = html;
    bands.mount(part);
    if (!form.matches('[data-swap-live]')) part.scrollIntoView({ block: 'nearest' });
  }
}

// restart drops the answer with the values that it was about, and the one under way.
function restart(form) {
  sent.delete(form);
  mark(form, []);
  document.getElementById(form.dataset.swap).replaceChildren();
}

// mark marks the invalid fields and focuses the first.
function mark(form, errors) {
  const wrong = new Set(errors.map((e) => `x:${e.field}`));
  for (const el of form.elements) {
    if (wrong.has(el.name)) el.setAttribute('aria-invalid', 'true');
    else el.removeAttribute('aria-invalid');
  }
  form.querySelector('[aria-invalid]')?.focus();
}

function complain(form, text) {
  const p = document.createElement('p');
  p.className = 'err';
  p.setAttribute('role', 'alert');
  p.textContent = text;
  document.getElementById(form.dataset.swap).replaceChildren(p);
}
