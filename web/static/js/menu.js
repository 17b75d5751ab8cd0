// Menus are details elements, which open without scripts. This module closes them on a click elsewhere, on Escape,
// and when Tab leaves them.

export function start(doc) {
  doc.addEventListener('click', (e) => close(doc, e.target.closest('details.menu')));
  doc.addEventListener('focusin', (e) => close(doc, e.target.closest('details.menu')));
  doc.addEventListener('keydown', (e) => {
    const menu = e.key === 'Escape' && e.target.closest('details.menu[open]');
    if (!menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
}

function close(doc, but) {
  for (const menu of doc.querySelectorAll('details.menu[open]')) if (menu !== but) menu.open = false;
}
