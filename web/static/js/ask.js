// Asks for confirmation before something is deleted. A link or a GET form with data-ask leads to a page with the
// confirmation; with scripts the same content is shown as a dialog. The server writes both.

export function start(doc) {
  doc.addEventListener('click', (e) => {
    const link = e.target.closest('a[data-ask]');
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    ask(link.href);
  });
  doc.addEventListener('submit', (e) => {
    if (!e.target.matches('form[data-ask]') || e.submitter?.hasAttribute('formaction')) return;
    e.preventDefault();
    ask(`${e.target.action}?${new URLSearchParams(new FormData(e.target))}`);
  });
}

async function ask(url) {
  try {
    const res = await fetch(url, { headers: { Accept: 'application/json' } });
    show((await res.json()).html);
  } catch {
    location.assign(url); // the page shows the error
  }
}

// show opens the dialog. The server escaped its content; the content security policy prevents scripts in it.
function show(html) {
  const box = document.createElement('div');
  box.innerHTML = html;
  const dialog = box.querySelector('dialog');
  document.body.append(box);
  dialog.addEventListener('close', () => box.remove());
  dialog.showModal();
}
