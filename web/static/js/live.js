// Forms that answer while a slider moves.
//
//   <form data-live="/stratify/7/live" action="/stratify/7">
//
// A change sends the whole form as a query to data-live. One request is in
// flight. A move that comes meanwhile waits for its answer, so that a drag that
// never rests is answered all the way, and only the last of such moves is asked;
// a release, or a move after an answer is long overdue, aborts the request, and
// the solver behind it stops with it. The
// address bar follows by replaceState, so a drag leaves no history. The answer
// is {parts: {id: html}, charts: {id: option}, sliders: {id: words}, ms}.
//
// A page may take part: `taper:ask` carries {query, settled} before a request,
// and the query may be changed; `taper:answer` carries {answer, settled, query}.
// With data-live-address="answer" the page keeps the address bar itself.
//
// When the last answer took longer than data-live-ms (80) to compute, moves
// wait for release. What is on the page is dimmed while it is out of date, but
// not before 120 ms: a quick answer must not flicker.

import * as chart from './chart.js';
import * as slider from './slider.js';

const slow = 80; // ms of computing from which moves wait for release
const patience = 120; // ms until an answer that is due dims the page
const overdue = 500; // ms from which a move no longer waits for the answer before
const running = new WeakMap(); // form → {stop: AbortController, since, next: a move waits}
const asked = new WeakMap(); // form → the last query sent
const took = new WeakMap(); // form → ms of the last answer
let edited; // the text field that somebody is typing into

export function start(doc) {
  doc.addEventListener('taper:input', (e) => onMove(e, false));
  doc.addEventListener('taper:change', (e) => onMove(e, true));
  doc.addEventListener('change', (e) => {
    if (!e.target.closest('[data-slider]')) onMove(e, true);
  });
  doc.addEventListener('input', ({ target }) => { if (target.matches('input:not([type]), input[type="text"], textarea')) edited = target; });
  for (const end of ['change', 'focusout']) doc.addEventListener(end, () => { edited = undefined; }, true);
  doc.addEventListener('submit', (e) => {
    if (!e.target.matches('form[data-live]') || e.submitter?.formMethod === 'post') return;
    e.preventDefault();
    asked.delete(e.target); // asked for: even if nothing has changed
    refresh(e.target);
  });
}

function onMove(e, settled) {
  const form = e.target.form ?? e.target.closest('form');
  if (!form?.matches('[data-live]')) return;
  if (settled || (took.get(form) ?? 0) <= (form.dataset.liveMs ?? slow)) refresh(form, settled);
  else stale(form, true);
  if (settled) address(form);
}

const state = (form) => new URLSearchParams(new FormData(form)).toString();

// address puts the form's state into the address bar. Browsers refuse too many
// changes a second; the one when the slider settles comes after any such burst.
function address(form) {
  if (form.dataset.liveAddress === 'answer') return;
  try {
    history.replaceState(null, '', `${form.getAttribute('action') || location.pathname}?${state(form)}`);
  } catch { /* too often */ }
}

// refresh asks for the form's state, if that is a new one, and applies the
// answer.
export async function refresh(form, settled = true, query = state(form)) {
  const before = running.get(form);
  if (before && !settled && performance.now() - before.since < overdue) {
    before.next = true;
    return;
  }
  const ask = { query: new URLSearchParams(query), settled };
  form.dispatchEvent(new CustomEvent('taper:ask', { detail: ask }));
  query = ask.query.toString();
  if (asked.get(form) === query) return;
  asked.set(form, query);
  before?.stop.abort();
  const mine = { stop: new AbortController(), since: performance.now(), next: false };
  running.set(form, mine);
  address(form);
  const late = setTimeout(() => stale(form, true), patience);
  try {
    const answer = await fetch(`${form.dataset.live}?${query}`, { signal: mine.stop.signal, headers: { Accept: 'application/json' } });
    const found = answer.ok ? await answer.json() : await failure(answer);
    if (running.get(form) !== mine) return; // a newer one is on its way
    apply(form, found);
    form.dispatchEvent(new CustomEvent('taper:answer', { detail: { answer: found, settled, query: ask.query } }));
  } catch (err) {
    if (err.name === 'AbortError') return;
    asked.delete(form);
    apply(form, { problem: 'The program does not answer. Is it still running?' });
  } finally {
    clearTimeout(late);
  }
  if (running.get(form) === mine) {
    running.delete(form);
    stale(form, false);
    if (mine.next) refresh(form, false);
  }
}

async function failure(answer) {
  const body = await answer.json().catch(() => ({}));
  return { problem: body.detail ?? `The program answered ${answer.status}.`, errors: body.errors };
}

function apply(form, answer) {
  if (answer.ms !== undefined) took.set(form, answer.ms);
  const problem = document.getElementById(form.dataset.liveProblem ?? 'problem');
  if (problem) {
    problem.hidden = !answer.problem;
    problem.textContent = answer.problem ?? '';
  }
  for (const [id, html] of Object.entries(answer.parts ?? {})) {
    if (!swap(id, html) && answer.stamps) delete answer.stamps[id];
  }
  for (const [id, option] of Object.entries(answer.charts ?? {})) chart.update(id, option);
  for (const [id, words] of Object.entries(answer.sliders ?? {})) slider.describe(id, words);
}

// swap replaces the content of one part of the page. The server escaped it;
// the content security policy lets nothing in it run. A part with a field that
// somebody is typing into stays: the end of the edit asks for it again.
function swap(id, html) {
  const part = document.getElementById(id);
  if (!part) return true;
  if (part.contains(edited ?? null)) return false;
  part.innerHTML = html;
  chart.mount(part);
  slider.mount(part);
  return true;
}

// stale dims what the form steers: the elements named in data-live-stale, or
// every figure of the page.
function stale(form, on) {
  const what = form.dataset.liveStale ?? '.fig, [data-live-part]';
  for (const el of document.querySelectorAll(what)) el.classList.toggle('is-stale', on);
}
