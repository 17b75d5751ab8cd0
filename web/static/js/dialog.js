// Opens the native dialog that a button or link names with data-dialog. A link
// leads to the same question as a page of its own, for those without scripts; a
// page may also come with a dialog that is open already.

export function start(doc) {
  for (const dialog of doc.querySelectorAll('dialog[data-modal][open]')) { // the page came with it open
    dialog.close();
    dialog.showModal();
  }
  doc.addEventListener('click', (e) => {
    const button = e.target.closest('[data-dialog]');
    const dialog = button && document.getElementById(button.dataset.dialog);
    if (!(dialog instanceof HTMLDialogElement) || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    dialog.showModal();
  });
}
