// Scores a file: it is sent when chosen or dropped, and the summary is shown with a link that saves the scored
// file. That file exists in this tab only. Without scripts the form is answered with the file or a page.
//
//   <form data-score> <input type="file"> … <progress hidden> <p data-problem hidden>
//   <div id="score-answer">

import * as bands from './bands.js';
import { tooLarge } from './dropzone.js';

let sent; // AbortController of the request
let last; // the file last sent
let kept; // object URL of the scored file

export function start(doc) {
  const form = doc.querySelector('form[data-score]');
  if (!form) return;
  const input = form.querySelector('input[type="file"]');
  form.addEventListener('change', (e) => {
    if (e.target === input) last = input.files[0] ?? last;
    input.value = ''; // the same file, perhaps corrected, can be chosen again
    if (last) send(form, last);
  });
  form.addEventListener('submit', (e) => e.preventDefault());
  form.addEventListener('dragover', (e) => over(e, form, true));
  form.addEventListener('dragleave', (e) => over(e, form, false));
  form.addEventListener('drop', (e) => drop(e, form));
}

function over(e, form, on) {
  if (!e.dataTransfer?.types.includes('Files')) return;
  e.preventDefault();
  form.classList.toggle('is-over', on);
}

function drop(e, form) {
  over(e, form, false);
  if (e.dataTransfer.files.length > 1) refuse(form, 'One file at a time.');
  else if (e.dataTransfer.files.length) send(form, (last = e.dataTransfer.files[0]));
}

// refuse says why a file is not sent. The request for the one before ends: its answer would appear below that.
function refuse(form, why) {
  sent?.abort();
  sent = undefined;
  busy(form, false);
  say(form, why);
}

async function send(form, file) {
  const large = tooLarge(form, file);
  if (large) {
    refuse(form, large);
    return;
  }
  sent?.abort();
  const mine = new AbortController();
  sent = mine;
  const body = new FormData(form);
  body.set('file', file, file.name);
  busy(form, true);
  try {
    const res = await fetch(form.action, { method: 'POST', body, signal: mine.signal, headers: { Accept: 'multipart/form-data' } });
    const answer = res.ok ? await res.formData() : await res.json().catch(() => ({}));
    if (sent !== mine) return;
    if (res.ok) show(answer);
    say(form, res.ok ? '' : answer.detail ?? `The program answered ${res.status}.`);
  } catch (err) {
    if (err.name !== 'AbortError') say(form, 'The answer broke off. Is the program still running?');
  }
  if (sent === mine) busy(form, false);
}

// show puts the summary on the page and the file behind its link. The server escaped the summary; the content
// security policy prevents scripts in it.
function show(answer) {
  const place = document.getElementById('score-answer');
  place.innerHTML = answer.get('html');
  bands.mount(place);
  if (kept) URL.revokeObjectURL(kept);
  kept = URL.createObjectURL(answer.get('file'));
  place.querySelector('[data-save]').href = kept;
}

function busy(form, on) {
  form.classList.toggle('is-busy', on);
  form.querySelector('progress').hidden = !on;
  if (on) say(form, '');
}

function say(form, text) {
  const problem = form.querySelector('[data-problem]');
  problem.hidden = !text;
  problem.textContent = text;
  if (text) document.getElementById('score-answer').replaceChildren();
}
