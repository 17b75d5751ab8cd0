// The upload form: drop a file on it, paste a table, or pick a file; it is sent at once, with a progress bar and a
// button that stops it. Without scripts it is an ordinary form.
//
//   <form data-dropzone method="post" action="/data" enctype="multipart/form-data">
//     <input type="file" name="file"> … <progress hidden> <p data-status> <button data-stop hidden>
//     <p data-problem hidden>

const calls = new WeakMap(); // form → request that it waits for

export function start(doc) {
  const form = doc.querySelector('form[data-dropzone]');
  if (!form) return;
  form.querySelector('[data-stop]').addEventListener('click', () => calls.get(form)?.abort());
  form.querySelector('input[type="file"]').addEventListener('change', (e) => {
    if (e.target.files.length) send(form, e.target.files[0]);
  });
  for (const type of ['dragenter', 'dragover']) doc.addEventListener(type, (e) => onOver(e, form));
  doc.addEventListener('dragleave', (e) => { if (!e.relatedTarget) form.classList.remove('is-over'); });
  doc.addEventListener('drop', (e) => onDrop(e, form));
  doc.addEventListener('paste', (e) => onPaste(e, form));
}

function onOver(e, form) {
  if (!e.dataTransfer?.types.includes('Files')) return;
  e.preventDefault();
  form.classList.add('is-over');
}

function onDrop(e, form) {
  form.classList.remove('is-over');
  if (!e.dataTransfer?.files.length) return;
  e.preventDefault();
  if (e.dataTransfer.files.length > 1) complain(form, 'One file at a time.');
  else send(form, e.dataTransfer.files[0]);
}

// onPaste reads a table copied from a spreadsheet, unless a field has the focus.
function onPaste(e, form) {
  if (e.target.closest('input, textarea, select')) return;
  const file = e.clipboardData.files[0];
  const text = e.clipboardData.getData('text/plain');
  if (file) send(form, file);
  else if (text.includes('\n')) send(form, new File([text], 'pasted.csv', { type: 'text/csv' }));
  else return;
  e.preventDefault();
}

// tooLarge says why a form does not send a file; '' if it does.
export function tooLarge(form, file) {
  const limit = Number(form.dataset.maxBytes);
  if (!limit || file.size <= limit) return '';
  return `${file.name} is larger than ${form.dataset.maxText}, the limit. Leave out columns or rows, or start Taper with a higher -max-bytes.`;
}

function send(form, file) {
  if (calls.has(form)) return; // it waits for another file
  const large = tooLarge(form, file);
  complain(form, large);
  if (large) return;
  const body = new FormData(form);
  body.delete('file');
  body.append('file', file, file.name);
  const bar = form.querySelector('progress');
  const call = new XMLHttpRequest();
  call.open('POST', form.getAttribute('action'));
  call.setRequestHeader('Accept', 'text/event-stream, application/json');
  call.upload.addEventListener('progress', (e) => { if (bar && e.lengthComputable) bar.value = e.loaded / e.total; });
  call.upload.addEventListener('load', () => {
    bar?.removeAttribute('value');
    status(form, `Reading ${file.name}`);
  });
  call.addEventListener('progress', () => {
    const at = lastEvent(call).progress;
    if (!at) return;
    if (bar) bar.value = at.fraction;
    status(form, at.fraction < 1 ? `${at.message} of ${file.name}` : `${at.message}`);
  });
  call.addEventListener('load', () => arrived(form, call));
  call.addEventListener('error', () => complain(form, 'The program does not answer. Is it still running?'));
  call.addEventListener('abort', () => complain(form, 'Stopped. Nothing was stored.'));
  calls.set(form, call);
  busy(form, file.name);
  call.send(body);
}

// lastEvent is the last whole server-sent event of an answer, as {name: data}.
function lastEvent(call) {
  const events = call.responseText.split('\n\n').filter((e) => e.startsWith('id: '));
  if (call.readyState < XMLHttpRequest.DONE && !call.responseText.endsWith('\n\n')) events.pop();
  const [, name, data] = events.at(-1)?.match(/^event: (.*)\ndata: (.*)$/m) ?? [];
  return name ? { [name]: JSON.parse(data) } : {};
}

// arrived goes to the page named in the answer: created {"url"}, or a problem. One that is no stream of events is a
// problem found before the reading.
function arrived(form, call) {
  let { created, problem } = lastEvent(call);
  try { problem ??= JSON.parse(call.responseText); } catch { /* events, or the status says enough */ }
  if (created) location.assign(created.url);
  else complain(form, problem?.detail ?? `The program answered ${call.status}.`);
}

function status(form, text) {
  const place = form.querySelector('[data-status]');
  if (place) place.textContent = text;
}

function busy(form, name) {
  form.classList.add('is-busy');
  form.querySelector('[data-stop]').hidden = false;
  status(form, `Sending ${name}`);
  const bar = form.querySelector('progress');
  if (!bar) return;
  bar.hidden = false;
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute('aria-label', `Reading ${name}`);
}

function complain(form, text) {
  form.classList.remove('is-busy');
  form.querySelector('[data-stop]').hidden = true;
  calls.delete(form);
  status(form, '');
  const bar = form.querySelector('progress');
  const input = form.querySelector('input[type="file"]');
  const problem = form.querySelector('[data-problem]');
  if (bar && text) bar.hidden = true;
  if (text) input.value = '';
  if (!problem) return;
  problem.hidden = !text;
  problem.textContent = text;
}
