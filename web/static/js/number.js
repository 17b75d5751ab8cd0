// Numbers: as people type them, as fields and as charts show them. Addresses and
// files keep what every program reads.

const whole = /^[\u2212\d.,]+(e\u2212?\d+)?$/; // a field's text that is one number

// start sends the numbers of every form as programs write them.
export function start(doc) {
  doc.addEventListener('formdata', ({ formData }) => {
    const pairs = [...formData];
    const shown = (v) => typeof v === 'string' && v.includes('\u2212') && whole.test(v);
    if (!pairs.some(([, v]) => shown(v))) return;
    for (const [name] of pairs) formData.delete(name);
    for (const [name, v] of pairs) formData.append(name, shown(v) ? plain(v) : v);
  });
}

// plain is a typed number as the browser reads it.
export function plain(text) {
  return text.trim().replaceAll(/[\u2009\u202f]/g, '').replaceAll('\u2212', '-').replace(',', '.');
}

// signs is a number for a field: a real minus, 3.05e−5 for 3.05e-05.
export function signs(text) {
  return text.replace(/e([+-]?)0*(?=\d)/, (_, sign) => (sign === '-' ? 'e-' : 'e')).replaceAll('-', '\u2212');
}

// typeset is signs with thin spaces between the thousands of five and more digits.
export function typeset(text) {
  return signs(text).replace(/^\u2212?\d{5,}/, (digits) => digits.replaceAll(/\B(?=(\d{3})+$)/g, '\u202f'));
}
