// Fields in per cent: 30 and 30 % are 30 per cent, 0.3 is 0.3 per cent. The
// server writes the sentence about a value below 1 into data-percent.

import * as number from './number.js';

export function start(doc) {
  doc.addEventListener('change', ({ target }) => {
    const place = target.matches?.('.field[data-percent]') && doc.getElementById(`${target.id}-small`);
    if (!place) return;
    const small = target.value.split(/[\s;]+/).map((word) => below(target, word)).find(Boolean);
    place.textContent = small ?? '';
  });
}

// plain is a typed number as the browser reads it, without the sign of per cent.
export function plain(text) {
  return number.plain(text.replace(/\s*%\s*$/, ''));
}

// below says what a value under 1 per cent means, '' of any other.
export function below(el, text) {
  const typed = Number(plain(text));
  if (!(typed > 0 && typed < 1)) return '';
  return el.dataset.percent.replaceAll('{typed}', typed).replaceAll('{meant}', Number((100 * typed).toPrecision(12)));
}
