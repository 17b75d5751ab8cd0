// Follows a job over server-sent events: step, share, time; at the end the
// page of the result, however the job ended.

const ends = ['done', 'failed', 'cancelled', 'interrupted'];
const streams = new Map(); // element → its EventSource

export function start(root) {
  for (const box of root.querySelectorAll('[data-progress]')) follow(box);
  addEventListener('pagehide', stopAll);
}

function follow(box) {
  if (!box.dataset.events || streams.has(box)) return;
  const source = new EventSource(box.dataset.events);
  streams.set(box, source);
  source.addEventListener('progress', (e) => show(box, JSON.parse(e.data)));
  for (const name of ends) source.addEventListener(name, () => finish(box, source));
}

function show(box, p) {
  const put = (part, text) => {
    const at = box.querySelector(`[data-${part}]`);
    if (at && text !== undefined && at.textContent !== text) at.textContent = text;
  };
  put('step', p.message);
  put('detail', p.detail);
  put('time', p.time);
  if (!Number.isFinite(p.fraction)) return;
  const share = Math.round(p.fraction * 100);
  box.querySelector('progress').value = share;
  put('percent', `${share}\u00a0%`);
}

function finish(box, source) {
  source.close();
  streams.delete(box);
  if (box.dataset.done) location.replace(box.dataset.done);
  else location.reload();
}

function stopAll() {
  for (const source of streams.values()) source.close();
  streams.clear();
}
