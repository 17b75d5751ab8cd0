// Opens the native dialog a button names with data-dialog.

export function start(doc) {
  doc.addEventListener('click', (e) => {
    const button = e.target.closest('[data-dialog]');
    const dialog = button && document.getElementById(button.dataset.dialog);
    if (dialog instanceof HTMLDialogElement) dialog.showModal();
  });
}
