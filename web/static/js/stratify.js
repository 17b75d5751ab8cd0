// The controls of /stratify beside live.js: what a request says besides the
// form's state, the history, links and forms that steer without leaving.
//
// The address is the state: the server answers with the canonical one. A drag
// replaces it; the first move of another control adds the one history entry.

import { refresh } from './live.js';

let form; // the controls
let stamps = {}; // part → what it shows, so that only changes are sent
let steered = ''; // the control that moved last: its moves share one entry
let here = location.pathname + location.search; // the state on the page
let kept = ''; // the id of what has, or should have, the focus

export function start(doc) {
  form = doc.getElementById('strat');
  doc.addEventListener('submit', onPost);
  if (!form) return;
  stamps = JSON.parse(form.dataset.stamps || '{}');
  form.addEventListener('taper:ask', onAsk);
  form.addEventListener('taper:answer', onAnswer);
  form.addEventListener('taper:input', onHand);
  doc.addEventListener('click', onSteer);
  doc.addEventListener('focusin', (e) => { if (e.target.id) kept = e.target.id; });
  doc.addEventListener('submit', onPick);
  doc.addEventListener('taper:fit', () => { delete form.dataset.axes; load(location.search); });
  addEventListener('popstate', onBack);
}

// onHand takes λ into one's own hands when its slider moves.
function onHand(e) {
  const hand = e.detail?.name === 'lambda' && form.querySelector('#how-hand');
  if (hand) hand.checked = true;
}

function onAsk({ detail: { query, settled } }) {
  if (!settled) query.set('drag', seen().join(','));
  if (!settled && form.dataset.held) query.set('held', form.dataset.held);
  if (settled && !onSlider()) query.set('panel', '1');
  if (form.dataset.axes) query.set('axes', form.dataset.axes);
  query.set('had', Object.entries(stamps).map(([id, stamp]) => `${id}:${stamp}`).join(','));
}

// seen lists the parts and charts on the screen: while something is dragged
// the others wait for its end.
function seen() {
  const near = ({ top, bottom, height }) => height > 0 && bottom > 0 && top < innerHeight;
  return Object.keys(stamps).filter((id) => {
    const part = document.getElementById(id);
    return part && near(part.getBoundingClientRect());
  });
}

// onSlider reports whether a boundary or λ is being steered: its panel must
// stay under the pointer and the focus.
const onSlider = () => Boolean(document.activeElement?.closest('#controls [data-slider]'));

function onAnswer({ detail: { answer, query } }) {
  document.getElementById('r-doubts')?.classList.toggle('is-held', query.has('drag'));
  if (answer.go) {
    location.assign(answer.go);
    return;
  }
  Object.assign(stamps, answer.stamps);
  for (const [id, label] of Object.entries(answer.labels ?? {})) {
    document.querySelector(`#${id} [data-plot]`)?.setAttribute('aria-label', label);
  }
  if (answer.held) form.dataset.held = answer.held;
  if (answer.axes) form.dataset.axes = answer.axes;
  if (answer.parts?.controls) refocus();
  if (answer.url) remember(answer.url, query.has('back'));
}

// remember writes the address: over the last one while the same control is
// steered, as a new entry otherwise.
function remember(url, back) {
  if (url === here) return;
  const control = document.activeElement?.id || 'page';
  try {
    if (back || control === steered) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
  } catch { /* browsers refuse too many changes a second; the next one counts */ }
  steered = back ? '' : control;
  here = url;
}

// load shows the state of a query.
function load(query, back = false) {
  const q = new URLSearchParams(query);
  q.set('panel', '1');
  if (back) q.set('back', '1');
  return refresh(form, true, q);
}

function onBack() {
  if (location.pathname + location.search === here) return; // a jump inside the page
  here = location.pathname + location.search;
  delete form.dataset.axes;
  load(location.search, true);
}

// onSteer follows links to other states of this page without leaving it.
function onSteer(e) {
  const link = e.target.closest('a[data-steer]');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button || link.pathname !== location.pathname) return;
  e.preventDefault();
  steered = '';
  kept = link.closest('[id]:not(a)')?.id ?? '';
  load(link.search);
}

// onPick uses the predictors that are ticked.
function onPick(e) {
  if (!e.target.matches('form[data-pick]')) return;
  e.preventDefault();
  steered = '';
  delete form.dataset.axes;
  const q = new URLSearchParams(location.search);
  const picked = new FormData(e.target);
  for (const key of ['x', 'spline']) {
    q.delete(key);
    for (const v of picked.getAll(key)) if (v || key === 'x') q.append(key, v); // an empty x: no column at all
  }
  load(q);
}

// onPost sends a form by POST and swaps what comes back; values of a row never
// stand in an address.
async function onPost(e) {
  if (!e.target.matches('form[data-post-parts]')) return;
  e.preventDefault();
  const box = e.target;
  const answer = await fetch(box.action, { method: 'POST', body: new URLSearchParams(new FormData(box)), headers: { Accept: 'application/json' } })
    .then(async (a) => (a.ok ? a.json() : { problem: (await a.json().catch(() => ({}))).detail ?? `The program answered ${a.status}.` }))
    .catch(() => ({ problem: 'The program does not answer. Is it still running?' }));
  const problem = document.getElementById('problem');
  if (problem) {
    problem.hidden = !answer.problem;
    problem.textContent = answer.problem ?? '';
  }
  for (const [id, html] of Object.entries(answer.parts ?? {})) {
    const part = document.getElementById(id);
    if (part) part.innerHTML = html;
  }
}

// refocus gives the focus back after the panel was swapped.
function refocus() {
  if (document.activeElement && document.activeElement !== document.body) return;
  const again = document.getElementById(kept) ?? document.querySelector(`#controls [name="mode"]:checked`);
  again?.focus?.({ preventScroll: true });
  if (again?.matches('.num-in')) again.select(); // as Tab did: what is typed next takes its place
}
