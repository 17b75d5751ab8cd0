// A filter form with data-filter: a choice applies at once, and the address contains only parameters that are set.

export function start(doc) {
  doc.addEventListener('change', (e) => {
    if (e.target.matches('form[data-filter] select')) e.target.form.requestSubmit();
  });
  doc.addEventListener('formdata', (e) => {
    if (!e.target.matches('form[data-filter]')) return;
    for (const [name, value] of [...e.formData]) if (value === '') e.formData.delete(name);
  });
}
