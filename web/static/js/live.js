// Forms that are answered while a slider moves.
//
//   <form data-live="/stratify/7/live" action="/stratify/7">
//
// A change sends the whole form as a query to data-live. One request is open at a time. Moves in the meantime wait
// for its answer and only the last of them is sent, so that a drag without a pause is answered throughout. A
// release, or a move when an answer is overdue, aborts the request, and with it the solver; for the request that
// follows an overdue one moves wait, else a slow machine would answer none. The address bar is
// updated when the slider is released or rests: a drag then adds nothing to the history, and writing the address
// takes a fifth of the browser's time for a move.
//
// The request describes the page: `had`, the stamps of its parts and charts (data-stamps for the first HTML);
// during a drag `drag`, the visible ones, and again when others are scrolled into view; and what the last answer asked
// to keep (data-keep). The answer (internal/web/live) contains the differences: parts {id: html}, charts {id: option},
// series and words of charts, sliders, fields, stamps, keep, the canonical url, or the page to go to.
//
// Pages can take part: `taper:ask` with {query, settled} before a request, whose query may be changed;
// `taper:answer` with {answer, settled, query, push}, where push true adds an entry to the history. With
// data-live-address="answer" only the server sets the address; with data-live-visit the page to go to is swapped
// in. With data-live-say the sentence of the page (#result) is announced to screen readers when a refit is
// finished and has changed it, and nothing during a drag.
//
// If the last answer took longer than data-live-ms (80) to compute, moves wait for the release. Outdated parts of
// the page are dimmed after 120 ms: with fast answers nothing flickers.
//
//   <div data-live-poll="/studies/s1/live">   asked again every two seconds; a
//                                              part with the focus or an open
//                                              table waits until it is let go
//   <section data-live-poll="/jobs/r1/live" data-progress>
//                                              asked again at once: the server
//                                              answers when there is news. When
//                                              the job has ended the page is
//                                              loaded again; a form sent from
//                                              here leads on by itself

import morphdom from 'morphdom';

import * as bands from './bands.js';
import * as chart from './chart.js';
import { changed, entered } from './entered.js';
import { filled } from './later.js';
import * as slider from './slider.js';
import { visit } from './visit.js';

const slow = 80; // ms of computing from which moves wait for the release
const patience = 120; // ms until a late answer dims the page
const still = 250; // ms without a move after which the address is written during a drag
const overdue = 500; // ms after which a move no longer waits for the previous answer
const pause = 2000; // ms between two polls of a page that fills by itself
const running = new WeakMap(); // form → {stop: AbortController, since, stays: moves wait for it, next: a move waits}
const asked = new WeakMap(); // form → the last query sent
const took = new WeakMap(); // form → ms of the last answer
const stamps = new WeakMap(); // form or polled element → {id: stamp} of the parts shown
const watched = new WeakSet(); // parts whose place is known
const inSight = new WeakSet(); // those on the screen
const sight = new IntersectionObserver(onSight);
let held; // the form of a slider that was moved and has not settled
let due; // {url, push, timer}: the address during a drag, not written yet
let edited; // the text field being edited
let spoken; // element for announcements to screen readers
let known; // the sentence announced last, or that with which the page was opened

export function start(doc) {
  if (doc.querySelector('[data-live-say]')) {
    spoken = Object.assign(doc.createElement('p'), { className: 'vh said', id: 'said' });
    spoken.setAttribute('role', 'status');
    doc.body.append(spoken);
    known = headline();
    doc.addEventListener('taper:visit', () => { known = headline(); });
  }
  doc.addEventListener('taper:input', (e) => onMove(e, false));
  doc.addEventListener('taper:change', (e) => onMove(e, true));
  doc.addEventListener('change', (e) => {
    if (!e.target.closest('[data-slider]')) onMove(e, true);
  });
  doc.addEventListener('input', ({ target }) => { if (target.matches('input:not([type]), input[type="text"], textarea')) edited = target; });
  for (const end of ['change', 'focusout']) doc.addEventListener(end, () => { edited = undefined; }, true);
  doc.addEventListener('submit', (e) => {
    if (!e.target.matches('form[data-live]') || e.submitter?.hasAttribute('formaction')) return;
    e.preventDefault();
    asked.delete(e.target); // requested explicitly, even if nothing has changed
    refresh(e.target);
  });
  // Another page has its own address. What this one asked no longer counts, nor a move before the other is here.
  for (const turn of ['taper:leaving', 'taper:visit']) doc.addEventListener(turn, () => drop(doc));
  doc.addEventListener('submit', (e) => e.target.closest('[data-progress]')?.removeAttribute('data-live-poll'));
  for (const box of doc.querySelectorAll('[data-live-poll]')) setTimeout(look, box.matches('[data-progress]') ? 0 : pause, box);
}

function drop(doc) {
  clearTimeout(due?.timer);
  due = held = undefined;
  for (const form of doc.querySelectorAll('form[data-live]')) {
    running.get(form)?.stop.abort();
    running.delete(form);
    asked.delete(form);
  }
}

function onMove(e, settled) {
  const form = e.target.form ?? e.target.closest('form');
  if (!form?.matches('[data-live]')) return;
  held = settled ? undefined : form;
  if (settled && due) locate(due.url, { settled });
  if (settled || quick(form)) refresh(form, settled);
  else stale(form, true);
  if (settled) address(form, settled);
}

// quick tells whether moves are answered before the release.
const quick = (form) => (took.get(form) ?? 0) <= (form.dataset.liveMs ?? slow);

const state = (form) => new URLSearchParams(new FormData(form)).toString();

// address writes the form's state to the address bar.
function address(form, settled) {
  if (form.dataset.liveAddress === 'answer') return;
  locate(`${form.getAttribute('action') || location.pathname}?${state(form)}`, { settled });
}

// refresh requests the form's state, if it is new, and applies the answer.
export async function refresh(form, settled = true, query = state(form)) {
  const before = running.get(form);
  if (before && !settled && (before.stays || performance.now() - before.since < overdue)) {
    before.next = true;
    return;
  }
  const ask = { query: new URLSearchParams(query), settled };
  accompany(form, ask);
  form.dispatchEvent(new CustomEvent('taper:ask', { detail: ask }));
  query = ask.query.toString();
  if (asked.get(form) === query) {
    if (before) before.settled ||= settled;
    else {
      stale(form, false); // the page shows this state, and no answer will say so
      if (settled) say(form);
    }
    return;
  }
  asked.set(form, query);
  before?.stop.abort();
  const mine = { stop: new AbortController(), since: performance.now(), stays: !!before && !settled, next: false, settled };
  running.set(form, mine);
  address(form, settled);
  const late = setTimeout(() => stale(form, true), patience);
  try {
    const answer = await fetch(`${form.dataset.live}?${query}`, { signal: mine.stop.signal, headers: { Accept: 'application/json' } });
    const found = answer.ok ? await answer.json() : await failure(answer);
    if (running.get(form) !== mine || !form.isConnected) return; // a newer request is open, or another page is shown
    if (found.go) {
      leave(form, found.go);
      return;
    }
    apply(form, found, mine.settled);
    const told = { answer: found, settled, query: ask.query, push: false };
    form.dispatchEvent(new CustomEvent('taper:answer', { detail: told }));
    if (found.url) locate(found.url, { settled: mine.settled, push: told.push });
    if (mine.settled && !found.problem) say(form);
  } catch (err) {
    if (err.name === 'AbortError' || !form.isConnected) return;
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

export const had = (el) => {
  if (!stamps.has(el)) stamps.set(el, JSON.parse(el.dataset.stamps || '{}'));
  return stamps.get(el);
};

export const listed = (el) => Object.entries(had(el)).map(([id, stamp]) => `${id}:${stamp}`).join(',');

// accompany adds the description of the page to a query.
function accompany(form, { query, settled }) {
  for (const [name, value] of Object.entries(JSON.parse(form.dataset.keep || '{}'))) if (!query.has(name)) query.set(name, value);
  if (!settled && form.dataset.stamps) query.set('drag', Object.keys(had(form)).filter(onScreen).join(','));
  if (Object.keys(had(form)).length) query.set('had', listed(form));
}

// onScreen tells whether a part is on the screen, as of the last frame: to measure it would lay out what the move
// changed, which the frame does anyway.
function onScreen(id) {
  const part = document.getElementById(id);
  if (!part) return false;
  if (!watched.has(part)) {
    watched.add(part);
    sight.observe(part);
    const { top, bottom, height } = part.getBoundingClientRect();
    if (height > 0 && bottom > 0 && top < innerHeight) inSight.add(part);
  }
  return inSight.has(part);
}

function onSight(entries) {
  let came = false; // scrolled into view
  for (const { target, isIntersecting, boundingClientRect: { height } } of entries) {
    const seen = isIntersecting && height > 0;
    came ||= seen && !inSight.has(target);
    inSight[seen ? 'add' : 'delete'](target);
  }
  if (came && held?.dataset.stamps && quick(held)) refresh(held, false);
}

// forget drops what an earlier answer asked to keep.
export function forget(form, name) {
  const { [name]: gone, ...rest } = JSON.parse(form.dataset.keep || '{}');
  if (gone !== undefined) form.dataset.keep = JSON.stringify(rest);
}

// locate writes the address: at once when a control has settled, else when it rests.
function locate(url, { settled, push = false }) {
  push ||= due?.push ?? false;
  clearTimeout(due?.timer);
  due = undefined;
  if (!settled) {
    due = { url, push, timer: setTimeout(() => locate(url, { settled: true }), still) };
    return;
  }
  try {
    if (push && url !== location.pathname + location.search) history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  } catch { /* browsers refuse too many changes a second; the next one counts */ }
}

function leave(form, url) {
  if (form.dataset.liveVisit === undefined) location.assign(url);
  else visit(url);
}

// look polls for changes of a page that fills by itself.
async function look(box) {
  const url = box.dataset.livePoll;
  if (!url || !box.isConnected) return;
  let found = {};
  try {
    const answer = await fetch(`${url}${url.includes('?') ? '&' : '?'}had=${listed(box)}`, { headers: { Accept: 'application/json' } });
    if (answer.ok) found = await answer.json();
  } catch { /* the program is gone, or busy: asked again */ }
  if (found.ended && box.dataset.livePoll) location.reload();
  else {
    renew(box, found);
    setTimeout(look, found.parts && box.matches('[data-progress]') ? 0 : pause, box);
  }
}

function renew(box, answer) {
  const top = scrollY;
  for (const [id, html] of Object.entries(answer.parts ?? {})) {
    const part = document.getElementById(id);
    if (!part || part.contains(document.activeElement) || part.querySelector('details[open]')) delete answer.stamps[id];
    else if (part.innerHTML !== html) swap(id, html); // unchanged content must not be announced again
    const empty = document.querySelector('main .empty');
    if (empty && part?.querySelector('[data-chart], table')) empty.hidden = true;
  }
  scrollTo(0, top);
  Object.assign(had(box), answer.stamps);
}

async function failure(answer) {
  const body = await answer.json().catch(() => ({}));
  return { problem: body.detail ?? `The program answered ${answer.status}.`, errors: body.errors };
}

// apply shows an answer. A message that is no longer true stays until the slider is released: without it everything
// below would move up under the pointer.
function apply(form, answer, settled = true) {
  if (answer.ms !== undefined) took.set(form, answer.ms);
  const problem = document.getElementById(form.dataset.liveProblem ?? 'problem');
  if (problem && (settled || answer.problem)) {
    problem.hidden = !answer.problem;
    problem.textContent = answer.problem ?? '';
  }
  for (const [id, html] of Object.entries(answer.parts ?? {})) {
    if (!swap(id, html) && answer.stamps) delete answer.stamps[id];
  }
  for (const [id, option] of Object.entries(answer.charts ?? {})) chart.update(id, option);
  for (const [id, series] of Object.entries(answer.series ?? {})) chart.patch(id, series);
  for (const [id, words] of Object.entries(answer.words ?? {})) chart.word(id, words);
  for (const [id, words] of Object.entries(answer.sliders ?? {})) slider.describe(id, words);
  for (const [name, value] of Object.entries(answer.fields ?? {})) form.querySelector(`[name="${name}"]`).value = value;
  if (answer.stamps) Object.assign(had(form), answer.stamps);
  if (answer.keep) form.dataset.keep = JSON.stringify({ ...JSON.parse(form.dataset.keep || '{}'), ...answer.keep });
}

// swap gives one part of the page a new content. The server escaped it; the content security policy prevents scripts
// in it. A part with a field being edited is kept; it is requested again after the edit. A control with the focus has
// it afterwards too, so that the next key reaches it.
function swap(id, html) {
  const part = document.getElementById(id);
  if (!part) return true;
  if (part.contains(edited ?? null)) return false;
  const next = part.cloneNode(false);
  next.innerHTML = html;
  if (!part.firstChild && watched.has(part)) { // an observer does not say when what is on the screen gets a height
    sight.unobserve(part);
    sight.observe(part);
  }
  const focused = part.contains(document.activeElement) && document.activeElement.id;
  const moves = !stays(part, next) && (!tables.matches || flows(part) || part.querySelector('.formula'));
  if (moves || part.querySelector(renewed) || next.querySelector(renewed)) replace(part, next);
  else morph(part, next);
  if (focused && document.activeElement.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true });
  chart.mount(part);
  slider.mount(part);
  bands.mount(part);
  return true;
}

// Parts with these get new elements: controls have a state that is not in their HTML.
const renewed = 'input, select, textarea, details, [data-chart]';

const tables = matchMedia('(min-width: 760px)'); // below, rows are stacked, whose heights change with their words

// replace puts new elements in the place of the old ones. A form that is answered by itself (swap.js) stays open with
// what was entered, without its answer, which was about the state before.
function replace(part, next) {
  const around = () => part.querySelector('form[data-swap]')?.closest('details');
  const open = around()?.open;
  const enter = entered(part, (field) => field.form?.matches('[data-swap]') && changed(field));
  part.replaceChildren(...next.childNodes);
  enter();
  if (open && around()) around().open = true;
}

// morph keeps the elements and changes what differs: the browser styles and lays out less. Words get a new place with
// every number before them, which in the same line is no shift of the layout; so they are replaced. What came later
// than an answer stays (later.js).
function morph(part, next) {
  bands.dress(next);
  morphdom(part, next, {
    childrenOnly: true,
    onBeforeElUpdated(from, to) {
      if (from.isEqualNode(to) || filled(from)) return false;
      if (!flows(from) && !flows(to) || stays(from, to)) return true;
      from.replaceWith(to.cloneNode(true));
      return false;
    },
  });
}

// flows tells whether the contents of an element move one another: in lines, or as columns of numbers from 0.01 to 9,000.
function flows(el) {
  return el.matches('.chips, .fig-legend, .strip, #ex-cross')
    || [...el.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
}

// stays tells whether an element differs from the next in digits alone, also of attributes. Digits have one width where
// a live page has them in sentences (base.css), so words stay where they are.
const stays = (from, to) => blank(from) === blank(to);
const blank = (el) => el.innerHTML.replace(/\d/g, '0');

const headline = () => document.getElementById('result')?.textContent.trim().replace(/\s+/g, ' ') ?? '';

// say announces the sentence of the page to screen readers if it has changed.
function say(form) {
  const now = headline();
  if (form.dataset.liveSay === undefined || now === known) return;
  spoken.textContent = known = now;
}

// stale dims what depends on the form: the elements in data-live-stale, or every figure of the page.
function stale(form, on) {
  const what = form.dataset.liveStale ?? '.fig, [data-live-part]';
  if (!form.isConnected) return; // another page is shown
  for (const el of document.querySelectorAll(what)) el.classList.toggle('is-stale', on);
}
