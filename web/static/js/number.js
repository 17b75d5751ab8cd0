// Numbers as people type them, and as fields and charts show them. Addresses and files use the plain form.

const whole = /^[\u2212\d.,]+(e\u2212?\d+)?$/; // the text of a field that is one number

// start converts the numbers of every form before it is sent.
export function start(doc) {
  doc.addEventListener('formdata', ({ formData }) => {
    const pairs = [...formData];
    const shown = (v) => typeof v === 'string' && v.includes('\u2212') && whole.test(v);
    if (!pairs.some(([, v]) => shown(v))) return;
    for (const [name] of pairs) formData.delete(name);
    // In the form for one patient the comma may separate thousands; the server reads it by the format of its column.
    const sent = (name, v) => (name.startsWith('x:') ? v.replaceAll('\u2212', '-') : plain(v));
    for (const [name, v] of pairs) formData.append(name, shown(v) ? sent(name, v) : v);
  });
}

// plain converts a typed number to the plain form.
export function plain(text) {
  return text.trim().replaceAll(/[\u2009\u202f]/g, '').replaceAll('\u2212', '-').replace(',', '.');
}

// signs formats a number for a field: with a minus sign, 3.05e−5 for 3.05e-05.
export function signs(text) {
  return text.replace(/e([+-]?)0*(?=\d)/, (_, sign) => (sign === '-' ? 'e-' : 'e')).replaceAll('-', '\u2212');
}

// typeset formats a number to read: a minus sign, 3.05 × 10⁻⁵ for 3.05e-05, thin spaces between thousands from five
// digits on.
export function typeset(text) {
  const power = /^(-?)([\d.]+)e([+-]?\d+)$/.exec(text);
  if (power) {
    const [, sign, factor, exponent] = power;
    const ten = '10' + String(Number(exponent)).replace(/./g, (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]));
    return signs(sign) + (factor === '1' ? ten : `${factor}\u202f×\u202f${ten}`);
  }
  return signs(text).replace(/^\u2212?\d{5,}/, (digits) => digits.replaceAll(/\B(?=(\d{3})+$)/g, '\u202f'));
}
