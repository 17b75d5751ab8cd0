// Copies the page's address, or the text of a button, and confirms it.

const said = 1500; // ms for which the confirmation is shown

export function start(doc) {
  doc.addEventListener('click', (e) => {
    const button = e.target.closest('[data-copy]');
    if (button) copy(button);
  });
}

async function copy(button) {
  const text = button.dataset.copy === 'here' ? location.href : button.dataset.copy;
  const word = button.querySelector('span') ?? button;
  const before = button.dataset.word ?? word.textContent;
  button.dataset.word = before;
  try {
    await navigator.clipboard.writeText(text);
    word.textContent = 'Copied';
  } catch {
    prompt('Copy this link', text);
    return;
  }
  setTimeout(() => { word.textContent = before; }, said);
}
