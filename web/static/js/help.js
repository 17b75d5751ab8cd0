// Help in a side panel: ? opens the topic of the focused control, or of the page, as the help button does; in the
// list of topics it goes to the search. The same topics are pages at /help/…, where the links lead without scripts.

import { base } from './base.js';

let panel; // the dialog, created on first use
let before; // element that had the focus

export function start(doc) {
  doc.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && panel?.open) close();
    if (e.key !== '?' || e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
    const topic = e.target.closest?.('[data-help]')?.dataset.help ?? doc.querySelector('form[data-help]')?.dataset.help;
    const search = doc.querySelector('main form[action$="/help"] input[type="search"]');
    if (search) {
      e.preventDefault();
      search.focus();
      return;
    }
    const page = doc.querySelector(`.top a[href^="${base}/help"]`);
    if (!topic && !page) return;
    e.preventDefault();
    if (topic) show(`${base}/help/${topic}`);
    else if (beside(page)) show(page.href);
    else location.assign(page.href);
  });
  doc.addEventListener('click', (e) => {
    const link = e.target.closest(`a[data-help-link], .top a[href^="${base}/help/"]`);
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey || !beside(link)) return;
    e.preventDefault();
    show(link.href);
  });
  doc.addEventListener('taper:visit', () => { if (panel?.open) close(); });
}

// beside reports whether a topic opens in the side panel, which help pages do not have.
const beside = (link) => link.closest('dialog') !== null || !document.querySelector('main [data-help-body]');

const typing = (el) => el.matches?.('textarea, input:not([type="range"], [type="radio"], [type="checkbox"], .num-in)');

async function show(url) {
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    open(document.adoptNode(page.querySelector('h1')), document.adoptNode(page.querySelector('[data-help-body]')), url);
  } catch {
    location.assign(url);
  }
}

function open(title, body, url) {
  panel ??= build();
  if (!panel.open) before = document.activeElement;
  panel.querySelector('h2').replaceChildren(...title.childNodes);
  panel.querySelector('[data-help-page-link]').href = url;
  panel.querySelector('[data-help-here]').replaceChildren(body);
  if (!panel.open) panel.show(); // not modal, so the page can still be used
  panel.scrollTop = 0;
  panel.querySelector('h2').focus();
}

function build() {
  const dialog = document.createElement('dialog');
  dialog.className = 'help-panel';
  dialog.setAttribute('aria-labelledby', 'help-title');
  const head = document.createElement('div');
  head.className = 'fig-head';
  const title = document.createElement('h2');
  title.id = 'help-title';
  title.tabIndex = -1;
  const page = document.createElement('a');
  page.dataset.helpPageLink = '';
  page.textContent = 'As a page';
  const shut = document.createElement('button');
  shut.className = 'btn';
  shut.type = 'button';
  shut.textContent = 'Close';
  shut.addEventListener('click', close);
  head.append(title, page, shut);
  const here = document.createElement('div');
  here.dataset.helpHere = '';
  dialog.append(head, here);
  document.body.append(dialog);
  return dialog;
}

function close() {
  panel.close();
  if (before?.isConnected) before.focus();
}
