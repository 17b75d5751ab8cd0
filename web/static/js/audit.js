// Keyboard shortcuts of a review: k keep, f flip, e exclude, u unsure, z undo, j or ↓ next row, p or ↑ previous
// row, n note. Each clicks the corresponding element. In a field they are ordinary letters; Escape leaves the note.

const arrows = { ArrowDown: 'j', ArrowUp: 'p' };

export function start(doc) {
  const desk = doc.querySelector('[data-audit-card]');
  if (!desk) return;
  doc.addEventListener('keydown', (e) => press(desk, e));
}

function press(desk, e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  const note = desk.querySelector('textarea');
  if (e.target === note && e.key === 'Escape') note.blur();
  if (e.target.closest('input, textarea, select, [contenteditable], dialog')) return;
  if (e.key in arrows && e.target.closest('[tabindex="0"]')) return; // a scrollable table
  if (e.key === 'n') {
    e.preventDefault();
    note.focus();
    return;
  }
  const to = desk.querySelector(`[data-key="${CSS.escape(arrows[e.key] ?? e.key.toLowerCase())}"]`);
  if (!to || e.repeat) return;
  e.preventDefault();
  to.click();
}
