// The controls of several classes beside live.js: the address is the server's
// canonical one, and a fit that takes long is followed on a page of its own.

export function start(doc) {
  const form = doc.getElementById('several');
  form?.addEventListener('taper:answer', ({ detail: { answer } }) => {
    if (answer.go) location.assign(answer.go);
    else if (answer.url) history.replaceState(null, '', answer.url);
  });
}
