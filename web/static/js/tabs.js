// Tabs: links to states of a page that differ in the part shown; all parts are on the page. A click opens the tab
// in place and stores it in the address; arrows, Home and End move between tabs. Without scripts the links load the
// page with that tab open.

export function start(doc) {
  for (const box of doc.querySelectorAll('[data-tabs]')) upgrade(box);
  doc.addEventListener('click', (e) => {
    const tab = e.target.closest('[data-tabs] [data-tab]');
    if (!tab || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    open(tab);
    try {
      history.replaceState(null, '', keep(location.pathname + location.search));
    } catch { /* too often */ }
    tab.dispatchEvent(new CustomEvent('taper:tab', { bubbles: true }));
  });
  doc.addEventListener('keydown', onKey);
}

// chosen is the open tab as in the address, '' for the first and where there are none.
export const chosen = () => document.querySelector('[data-tabs] [aria-selected="true"]')?.dataset.tab ?? '';

// keep writes the open tab into an address of the page.
export function keep(url, tab = chosen()) {
  const [path, query = ''] = url.split('?');
  const rest = query.split('&').filter((pair) => pair && !pair.startsWith('tab='));
  if (tab) rest.push(`tab=${tab}`);
  return rest.length ? `${path}?${rest.join('&')}` : path;
}

// choose opens the tab in an address.
export function choose(query) {
  const name = new URLSearchParams(query).get('tab') ?? '';
  const all = [...document.querySelectorAll('[data-tabs] [data-tab]')];
  if (all.length) open(all.find((tab) => tab.dataset.tab === name) ?? all[0]);
}

function upgrade(box) {
  const bar = box.querySelector('nav');
  bar.setAttribute('role', 'tablist');
  for (const tab of bar.querySelectorAll('[data-tab]')) {
    const panel = document.getElementById(`${tab.id}-panel`);
    const on = tab.getAttribute('aria-current') !== null;
    for (const [name, value] of [['role', 'tab'], ['aria-controls', panel.id], ['aria-selected', on], ['tabindex', on ? 0 : -1]]) tab.setAttribute(name, value);
    tab.removeAttribute('aria-current');
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
  }
}

function open(tab) {
  for (const other of tab.closest('[data-tabs]').querySelectorAll('[data-tab]')) {
    other.setAttribute('aria-selected', other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    document.getElementById(`${other.id}-panel`).hidden = other !== tab;
  }
}

function onKey(e) {
  const tab = e.target.closest?.('[data-tabs] [data-tab]');
  if (!tab) return;
  const all = [...tab.closest('[data-tabs]').querySelectorAll('[data-tab]')];
  const at = all.indexOf(tab);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  all[to % all.length].focus();
  all[to % all.length].click();
}
