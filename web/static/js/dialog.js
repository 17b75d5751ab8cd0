// Opens the dialog named by data-dialog of a button or link. Without scripts, a link leads to the same question as
// a page. A page may also be sent with a dialog that is open.

export function start(doc) {
  for (const dialog of doc.querySelectorAll('dialog[data-modal][open]')) { // sent open
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
