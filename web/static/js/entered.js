// Text and choices that somebody entered in a part of the page and did not send: they stay when an answer replaces
// the part.
//
//   const enter = entered(part, (field) => …); // which fields keep what was entered
//   part.innerHTML = html;
//   enter();

// changed reports whether a field differs from what the server wrote.
export function changed(field) {
  if (!field.options) return field.defaultValue !== undefined && field.value !== field.defaultValue;
  const all = [...field.options];
  return field.value !== (all.find((o) => o.defaultSelected) ?? all.find((o) => !o.disabled))?.value;
}

const fields = 'input:not([type]), input[type="text"], textarea, select';

// entered notes the fields that count. The function it returns enters their values again in the new content, and
// returns the field that had the focus.
export function entered(part, counts) {
  const all = () => [...part.querySelectorAll(fields)];
  const noted = all().filter(counts).map((el) => ({ key: key(el), value: el.value, caret: caret(el) }));
  return () => {
    let focused;
    for (const was of noted) {
      const el = all().find((e) => key(e) === was.key);
      if (!el || (el.options && ![...el.options].some((o) => o.value === was.value && !o.disabled))) continue;
      el.value = was.value;
      if (!was.caret) continue;
      el.setSelectionRange?.(...was.caret);
      focused = el;
    }
    return focused;
  };
}

// key identifies a field. The label is part of it, since the same name may be that of another column by now.
function key(el) {
  const label = [...(el.labels[0]?.childNodes ?? [])].filter((n) => !n.contains(el)).map((n) => n.textContent).join('');
  return [el.localName, el.name, label.trim()].join('\n');
}

const caret = (el) => el === document.activeElement && [el.selectionStart ?? 0, el.selectionEnd ?? 0];
