// Fields in per cent: 30 and 30 % mean 30 per cent, 0.3 means 0.3 per cent. The server writes the note about values
// below 1 into data-percent.

import * as number from './number.js';

export function start(doc) {
  doc.addEventListener('change', ({ target }) => {
    const place = target.matches?.('.field[data-percent]') && doc.getElementById(`${target.id}-small`);
    if (!place) return;
    const small = target.value.split(/[\s;]+/).map((word) => below(target, word)).find(Boolean);
    place.textContent = small ?? '';
  });
}

// plain converts a typed number without its per cent sign to the plain form.
export function plain(text) {
  return number.plain(text.replace(/\s*%\s*$/, ''));
}

// below is the note about a value under 1 per cent, '' for others.
export function below(el, text) {
  const typed = Number(plain(text));
  if (!(typed > 0 && typed < 1)) return '';
  return el.dataset.percent.replaceAll('{typed}', typed).replaceAll('{meant}', Number((100 * typed).toPrecision(12)));
}
