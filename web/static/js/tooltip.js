// The tooltip is drawn on the canvas (richText), because an HTML one needs inline styles, which the content
// security policy refuses.

import { typeset } from './number.js';
import { ink } from './tokens.js';

// tooltip completes an option's tooltip. A formatter of the server is kept.
export function tooltip(given, digits) {
  return {
    confine: true,
    borderWidth: 0,
    padding: [8, 10],
    backgroundColor: ink('ink'),
    textStyle: { color: ink('paper'), fontSize: 12, fontFamily: ink('sans') },
    formatter: (at) => words(at, digits),
    ...given,
    renderMode: 'richText',
  };
}

function words(at, digits) {
  if (!Array.isArray(at)) return item(at, digits);
  const head = at[0]?.axisValueLabel ?? '';
  const rows = new Map(); // a curve that rises at one x, as the ROC curve does, has several points there
  for (const p of at) {
    if (p.seriesName && number(p) !== undefined) rows.set(p.seriesName, [...(rows.get(p.seriesName) ?? []), number(p)]);
  }
  return [typeset(head), ...[...rows].map(([name, all]) => `${name}   ${range(all, digits)}`)].join('\n');
}

// range is a value, or the least and the largest of several.
function range(all, digits) {
  const ends = all.length > 1 && all.every(Number.isFinite) ? [Math.min(...all), Math.max(...all)] : [all[0]];
  return [...new Set(ends.map((v) => show(v, digits)))].join('\u00a0\u2013\u00a0');
}

function item(p, digits) {
  if (p.name) return `${p.seriesName}\n${p.name}`;
  const pair = [p.value].flat().slice(0, 2).map((v) => show(v, digits));
  return `${p.seriesName}\n${pair.join(', ')}`;
}

// number is the value of a series at the pointer.
function number(p) {
  const v = Array.isArray(p.value) ? p.value[1] : p.value;
  return v === null || v === undefined || v === '-' ? undefined : v;
}

function show(v, digits) {
  return typeof v === 'number' ? typeset(String(Number(v.toPrecision(digits)))) : String(v);
}
