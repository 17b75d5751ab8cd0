// The selection of runs to compare: keeps it in the address and in all links to other pages of the list, and
// enables the button for two runs up to a maximum. Runs selected on other pages are in the form as "also".
//
//   <form data-select> <input type="hidden" name="also"> <button data-compare data-most="6"> <span data-compare-say>

import { base } from './base.js';

export function start(doc) {
  const button = doc.querySelector('[data-compare]');
  if (!button) return;
  const form = button.form;
  const tell = () => follow(form, button);
  doc.addEventListener('change', (e) => { if (e.target.form === form) tell(); });
  form.addEventListener('reset', () => {
    for (const also of form.querySelectorAll('[name="also"]')) also.remove();
    setTimeout(() => { // restored checkboxes change after this event
      for (const box of boxes(form)) box.checked = false;
      tell();
      form.dispatchEvent(new Event('taper:cleared'));
    });
  });
  addEventListener('pageshow', tell);
}

const boxes = (form) => [...form.elements].filter((el) => el.name === 'id');

function follow(form, button) {
  const here = boxes(form).filter((box) => box.checked).map((box) => box.value);
  const also = [...form.querySelectorAll('[name="also"]')].map((el) => el.value);
  const ids = [...also, ...here];
  const most = Number(button.dataset.most);
  button.disabled = ids.length < 2 || ids.length > most;
  button.querySelector('span').textContent = ids.length > 1 ? `Compare ${ids.length}` : 'Compare';
  say(form, ids.length, also.length, most);
  keep(ids);
}

function say(form, n, also, most) {
  const words = [];
  if (also) words.push(`${also} more not on this page`);
  if (n === 1) words.push('compare takes two or more');
  if (n > most) words.push(`compare takes at most ${most}`);
  form.querySelector('[data-compare-say]').textContent = words.join(', ');
}

// keep writes the selection to the address, the links and the filter.
function keep(ids) {
  const list = ids.join(',');
  history.replaceState(history.state, '', chosen(location.href, list));
  for (const link of document.querySelectorAll(`main a[href^="${base}/runs?"], main a[href="${base}/runs"]`)) link.setAttribute('href', chosen(link.href, list));
  for (const form of document.querySelectorAll('form[data-filter]')) {
    let field = form.elements.namedItem('ids');
    if (!field) {
      field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'ids' });
      form.append(field);
    }
    field.value = list;
  }
}

function chosen(href, list) {
  const url = new URL(href);
  url.searchParams.delete('ids');
  const query = url.searchParams.toString();
  const all = [list && `ids=${list}`, query].filter(Boolean).join('&');
  return url.pathname + (all && `?${all}`);
}
