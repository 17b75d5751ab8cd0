// The selection of a list: counts the ticked boxes of a form with data-pick,
// ticks all of a page at once. Without scripts the bar shows all the same.
//
//   <input type="checkbox" name="id" form="pick"> … <input type="checkbox" data-pick-all form="pick">
//   <form id="pick" data-pick> <b data-pick-said> <span data-pick-do="Delete">

export function start(doc) {
  const form = doc.querySelector('form[data-pick]');
  if (!form) return;
  const all = [...form.elements].find((el) => el.matches('[data-pick-all]'));
  doc.addEventListener('change', (e) => {
    if (e.target === all) for (const box of boxes(form)) box.checked = all.checked;
    if (e.target.form === form) tell(form, all);
  });
  form.addEventListener('reset', () => setTimeout(() => tell(form, all)));
  addEventListener('pageshow', () => tell(form, all)); // back from another page
}

const boxes = (form) => [...form.elements].filter((el) => el.name === 'id');

function tell(form, all) {
  const every = boxes(form);
  const n = every.filter((box) => box.checked).length;
  all.checked = n > 0 && n === every.length;
  all.indeterminate = n > 0 && n < every.length;
  form.querySelector('[data-pick-said]').textContent = `${n} selected`;
  for (const word of form.querySelectorAll('[data-pick-do]')) word.textContent = `${word.dataset.pickDo} ${n}`;
}
