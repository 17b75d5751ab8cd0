// Parts that take longer than an answer: they are requested when the controls rest.
//
//   <form data-live="…" data-late="/stratify/7/changes">
//   <span id="changes-0" data-later>–</span>
//
// The request has the address of the page. What an earlier one brought stays, grey, until the next answer.

const rest = 600; // ms without a move before the request
const requests = new WeakMap(); // form → AbortController of its open request
const known = new WeakMap(); // form → {id: html} of the last answer
const written = new WeakMap(); // place → the html in it

export function start(doc) {
  const form = doc.querySelector('form[data-late]');
  if (!form) return;
  form.addEventListener('taper:ask', () => requests.get(form)?.abort());
  form.addEventListener('taper:answer', ({ detail: { answer, settled } }) => {
    fill(form, true);
    if (answer.url && settled) setTimeout(() => request(form)); // after the address was written
  });
  request(form);
}

async function request(form) {
  if (!document.querySelector('[data-later]')) return;
  const mine = new AbortController();
  requests.set(form, mine);
  await new Promise((wake) => setTimeout(wake, rest));
  if (mine.signal.aborted) return;
  try {
    const answer = await fetch(form.dataset.late + location.search, { signal: mine.signal, headers: { Accept: 'application/json' } });
    if (!answer.ok) return;
    known.set(form, (await answer.json()).parts);
    fill(form, false);
  } catch { /* the next move asks again */ }
}

// filled tells whether a place shows more than the server wrote there.
export const filled = (place) => written.has(place);

// fill shows what is known; old marks it as belonging to the previous state.
function fill(form, old) {
  for (const [id, html] of Object.entries(known.get(form) ?? {})) {
    const place = document.getElementById(id);
    if (!place) continue;
    if (written.get(place) !== html) place.innerHTML = html;
    written.set(place, html);
    place.classList.toggle('muted', old);
  }
}
