// Studies: partial results while one runs, and the scenes before an audience.
//
//   <div data-study-live="/studies/s1/live">   asked again and again; the answer
//                                              is {parts: {id: html}}
//   <a data-at="20">                           where a click in the chart with
//                                              the id "robust" leads: the link
//                                              whose place is nearest
//   <div data-scene> <a rel="prev"> <a rel="next"> <a data-end>
//                                              arrow keys, Home and Escape lead
//                                              where the links do

import * as chart from './chart.js';

const pause = 2000; // ms between two looks at what there is so far
let timer;

export function start(doc) {
  const box = doc.querySelector('[data-study-live]');
  if (box) {
    timer = setTimeout(() => look(box), pause);
    addEventListener('pagehide', () => clearTimeout(timer));
  }
  doc.addEventListener('click', onPlot);
  if (doc.querySelector('[data-scene]')) doc.addEventListener('keydown', onKey);
}

// onPlot leads to the rate under the pointer: a link there is for the keyboard.
function onPlot(e) {
  const plot = e.target.closest?.('#robust [data-plot]');
  const at = plot && chart.where(plot.closest('[data-chart]'), e);
  const links = [...document.querySelectorAll('a[data-at]')];
  if (!at || !links.length) return;
  const far = (a) => Math.abs(Number(a.dataset.at) - at[0]);
  links.reduce((best, a) => (far(a) < far(best) ? a : best)).click();
}

async function look(box) {
  try {
    const answer = await fetch(box.dataset.studyLive, { headers: { Accept: 'application/json' } });
    if (answer.ok) renew((await answer.json()).parts);
  } catch { /* the progress says when the program is gone */ }
  if (box.isConnected) timer = setTimeout(() => look(box), pause);
}

// renew swaps parts that have changed; one that holds the focus or an open
// table waits until it is let go.
function renew(parts) {
  for (const [id, html] of Object.entries(parts ?? {})) {
    const part = document.getElementById(id);
    if (!part || part.dataset.was === html || part.contains(document.activeElement) || part.querySelector('details[open]')) continue;
    part.dataset.was = html;
    const top = scrollY;
    part.innerHTML = html;
    chart.mount(part);
    scrollTo(0, top);
    const empty = document.querySelector('main .empty');
    if (empty && part.querySelector('[data-chart], table')) empty.hidden = true;
  }
}

const ways = { ArrowRight: '[rel="next"]', PageDown: '[rel="next"]', ArrowLeft: '[rel="prev"]', PageUp: '[rel="prev"]', Escape: '[data-end]' };

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, select, textarea')) return;
  const link = ways[e.key] && document.querySelector(`[data-scene] ${ways[e.key]}`);
  if (!link) return;
  e.preventDefault();
  link.click();
}
