// A filter form with data-filter: a choice applies at once, and the address contains only parameters that are set.
// A page that the browser kept and shows again after Back has the choice that led away from it, which does not apply.

export function start(doc) {
  doc.addEventListener('change', (e) => {
    if (e.target.matches('form[data-filter] select')) e.target.form.requestSubmit();
  });
  doc.addEventListener('formdata', (e) => {
    if (!e.target.matches('form[data-filter]')) return;
    for (const [name, value] of [...e.formData]) if (value === '') e.formData.delete(name);
  });
  addEventListener('pageshow', (e) => {
    if (e.persisted) for (const form of doc.querySelectorAll('form[data-filter]')) form.reset();
  });
}
