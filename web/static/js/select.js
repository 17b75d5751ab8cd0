// The selection in a list: counts the checked boxes of a form with data-select, and checks all boxes of a page at
// once. Without scripts the bar is always shown.
//
//   <input type="checkbox" name="id" form="pick"> … <input type="checkbox" data-select-all form="pick">
//   <form id="pick" data-select> <b data-selected> <span data-select-do="Delete">

export function start(doc) {
  const form = doc.querySelector('form[data-select]');
  if (!form) return;
  const all = [...form.elements].find((el) => el.matches('[data-select-all]'));
  doc.addEventListener('change', (e) => {
    if (e.target === all) for (const box of boxes(form)) box.checked = all.checked;
    if (e.target.form === form) tell(form, all);
  });
  form.addEventListener('reset', () => setTimeout(() => tell(form, all)));
  form.addEventListener('taper:cleared', () => tell(form, all));
  addEventListener('pageshow', () => tell(form, all)); // back to this page
}

const boxes = (form) => [...form.elements].filter((el) => el.name === 'id');

function tell(form, all) {
  const every = boxes(form);
  const n = every.filter((box) => box.checked).length;
  all.checked = n > 0 && n === every.length;
  all.indeterminate = n > 0 && n < every.length;
  form.classList.toggle('is-on', n > 0 || Boolean(form.elements.also));
  for (const box of every) box.closest('tr').classList.toggle('is-on', box.checked);
  form.querySelector('[data-selected]').textContent = `${n} selected`;
  for (const word of form.querySelectorAll('[data-select-do]')) word.textContent = `${word.dataset.selectDo} ${n}`;
}
