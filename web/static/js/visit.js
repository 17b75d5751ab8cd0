// Shows another state of a page in place: for links and controls with data-visit the main part of the target page
// is swapped in, with a history entry of its own. Without scripts they are ordinary links and forms.
//
//   <a data-visit href="/?family=alpha">        the link's own address
//   <select name="metric" data-visit>           its form's state
//   <input type="radio" data-visit="third">     its form's state, under that name
//   <input type="radio" data-visit="fresh">     this one value and nothing else
//
// The focus stays on the element with the same id, or on the same link; data-visit="top" scrolls to the top. Where the
// new page has no such link, the first element with an id in data-else="id id" takes the focus.

import * as chart from './chart.js';

let running; // AbortController of the visit

export function start(doc) {
  doc.addEventListener('click', (e) => {
    const link = e.target.closest('a[data-visit]');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    visit(link.href, link.dataset.visit === 'top');
  });
  doc.addEventListener('change', (e) => {
    if (!e.target.matches('select[data-visit], input[data-visit]')) return;
    e.stopImmediatePropagation(); // not a live change
    visit(address(e.target));
  }, true);
  addEventListener('popstate', () => { if (document.querySelector('[data-explore]')) visit(location.href, false, true); });
}

function address(control) {
  const form = control.form;
  if (control.dataset.visit === 'fresh') return `${form.action}?${new URLSearchParams([[control.name, control.value]])}`;
  const query = new URLSearchParams(new FormData(form));
  if (control.dataset.visit) {
    query.delete(control.name);
    query.set(control.dataset.visit, control.value);
  }
  return `${form.action}?${query}`;
}

// visit swaps in the main part of the page at url.
export async function visit(url, top = false, back = false) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  document.dispatchEvent(new CustomEvent('taper:leaving'));
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' }, signal: mine.signal });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const main = page.querySelector('main');
    if (!main) throw new Error('no page');
    const canonical = page.querySelector('[data-url]')?.dataset.url;
    if (!back) history.pushState(null, '', canonical ?? url);
    swap(page, main, top);
  } catch (err) {
    if (err.name !== 'AbortError') location.assign(url);
  }
}

function swap(page, main, top) {
  const here = document.querySelector('main');
  const again = refind(here);
  here.className = main.className;
  here.replaceChildren(...document.adoptNode(main).childNodes);
  document.title = page.title;
  chart.mount(here);
  if (!top) again()?.focus({ preventScroll: true });
  else {
    scrollTo(0, 0);
    const head = here.querySelector('h1');
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  }
  document.dispatchEvent(new CustomEvent('taper:visit'));
}

// refind notes the element with the focus and returns a function that finds it on the new page. A link without an id
// has the same words there, though often another address, or the same address under other words.
function refind(here) {
  const was = document.activeElement;
  const named = (id) => document.getElementById(id);
  const others = () => (was.dataset.else ?? '').split(' ').map(named).find(Boolean);
  if (was?.id) return () => named(was.id) ?? others();
  if (!was?.matches('a') || !here.contains(was)) return () => undefined;
  const words = (a) => (a.getAttribute('aria-label') ?? a.textContent).trim();
  const [text, href] = [words(was), was.getAttribute('href')];
  return () => {
    const links = [...here.querySelectorAll('a')];
    const same = links.filter((a) => words(a) === text);
    const there = (a) => a.getAttribute('href') === href;
    return same.find(there) ?? same[0] ?? others() ?? links.find(there);
  };
}
