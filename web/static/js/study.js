// Studies: the scenes for presenting.
//
//   <a data-at="20">                           where a click in the chart with
//                                              the id "robust" leads: the link
//                                              whose place is nearest
//   <div data-scene> <a rel="prev"> <a rel="next"> <a data-end>
//                                              arrow keys, Page keys and Escape
//                                              lead where the links do; in a
//                                              control only Escape does, and
//                                              first closes what lies above
//   <div data-scene-step> <input type="range"> where a scene has no such links,
//                                              Left and Right step this slider

import * as chart from './chart.js';

export function start(doc) {
  doc.addEventListener('click', onPlot);
  if (doc.querySelector('[data-scene]')) doc.addEventListener('keydown', onKey);
}

// onPlot opens the noise rate under the pointer: by keyboard its link does the same.
function onPlot(e) {
  const plot = e.target.closest?.('#robust [data-plot]');
  const at = plot && chart.where(plot.closest('[data-chart]'), e);
  const links = [...document.querySelectorAll('a[data-at]')];
  if (!at || !links.length) return;
  const far = (a) => Math.abs(Number(a.dataset.at) - at[0]);
  links.reduce((best, a) => (far(a) < far(best) ? a : best)).click();
}

const ways = { ArrowRight: '[rel="next"]', PageDown: '[rel="next"]', ArrowLeft: '[rel="prev"]', PageUp: '[rel="prev"]', Escape: '[data-end]' };
const steps = { ArrowRight: 'stepUp', ArrowLeft: 'stepDown' };

function onKey(e) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
  if (e.target.closest(e.key === 'Escape' ? '[data-plot]' : 'input, select, textarea, [data-plot]')) return; // it has its own keys
  const link = ways[e.key] && document.querySelector(`[data-scene] ${ways[e.key]}`);
  const range = !link && e.key in steps && !e.target.closest('.scroll, summary') && document.querySelector('[data-scene]') &&
    document.querySelector('[data-scene-step] input[type="range"]');
  if (!link && !range) return;
  e.preventDefault();
  if (link) return link.click();
  range[steps[e.key]]();
  for (const name of ['input', 'change']) range.dispatchEvent(new Event(name, { bubbles: true }));
}
