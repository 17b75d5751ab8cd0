// The controls of /stratify, in addition to live.js: further parameters of requests, the history, and links and
// forms that change the state in place.
//
// The address is the state: the server answers with the canonical one. A drag replaces it; the first move of
// another control adds a history entry.

import { forget, refresh } from './live.js';
import { choose, chosen, keep } from './tabs.js';

let form; // the controls
let steered = ''; // the control moved last, whose moves share one entry
let here = location.pathname + location.search; // the state on the page
let kept = ''; // id of the element that has, or should have, the focus
const lateParts = ['r-doubts', 'r-doubts-said', 'r-rows', 'whatif-answer']; // dimmed in a drag, which leaves them out

export function start(doc) {
  form = doc.getElementById('strat');
  if (!form) return;
  form.addEventListener('taper:ask', onAsk);
  form.addEventListener('taper:answer', onAnswer);
  form.addEventListener('taper:input', onHand);
  doc.addEventListener('click', onSteer);
  doc.addEventListener('focusin', (e) => { if (e.target.id) kept = e.target.id; });
  doc.addEventListener('submit', onPick);
  doc.addEventListener('taper:fit', () => { forget(form, 'axes'); load(location.search); });
  doc.addEventListener('taper:tab', () => { here = location.pathname + location.search; });
  addEventListener('popstate', onBack);
}

// onHand switches to a fixed λ when its slider moves.
function onHand(e) {
  const hand = e.detail?.name === 'lambda' && form.querySelector('#how-hand');
  if (hand) hand.checked = true;
}

function onAsk({ detail: { query, settled } }) {
  if (settled && !onSlider()) query.set('panel', '1');
  query.delete('tab');
  if (chosen()) query.set('tab', chosen());
}

// onSlider reports whether a boundary or λ is being moved: then its panel must not be replaced.
const onSlider = () => Boolean(document.activeElement?.closest('#controls [data-slider]'));

// onAnswer replaces the last address while the same control is moved, and adds an entry otherwise.
function onAnswer({ detail }) {
  const { answer, query, settled } = detail;
  for (const id of lateParts) document.getElementById(id)?.classList.toggle('is-held', query.has('drag'));
  if (answer.parts?.controls) refocus();
  if (!answer.url) return;
  answer.url = keep(answer.url); // another tab may be open by now
  for (const tab of document.querySelectorAll('[data-tab]')) tab.href = `${keep(answer.url, tab.dataset.tab)}#details`;
  if (answer.url === here) return;
  const back = query.has('back');
  const control = document.activeElement?.id || 'page';
  detail.push = !back && control !== steered;
  steered = back ? '' : control;
  here = answer.url;
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
  choose(location.search);
  forget(form, 'axes');
  load(location.search, true);
}

// onSteer follows links to other states of this page in place.
function onSteer(e) {
  const link = e.target.closest('a[data-steer]');
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button || link.pathname !== location.pathname) return;
  e.preventDefault();
  steered = '';
  kept = link.closest('[id]:not(a)')?.id ?? '';
  load(link.search);
}

// onPick uses the checked predictors.
function onPick(e) {
  if (!e.target.matches('form[data-pick]')) return;
  e.preventDefault();
  steered = '';
  forget(form, 'axes');
  const q = new URLSearchParams(location.search);
  const picked = new FormData(e.target);
  for (const key of ['x', 'spline']) {
    q.delete(key);
    for (const v of picked.getAll(key)) if (v || key === 'x') q.append(key, v); // an empty x means no predictor at all
  }
  load(q);
}

// refocus restores the focus after the panel was replaced.
function refocus() {
  if (document.activeElement && document.activeElement !== document.body) return;
  const again = document.getElementById(kept) ?? document.querySelector(`#controls [name="mode"]:checked`);
  again?.focus?.({ preventScroll: true });
  if (again?.matches('.num-in')) again.select(); // as Tab does, so that typing replaces the value
}
