// Turns the token names the server writes into an option ("@s1", "@p2/.5",
// "@s2-dash") into what the style sheet says now.

const sign = '@';

// resolve returns a copy of an option with every token replaced.
export function resolve(option) {
  const sheet = getComputedStyle(document.documentElement);
  return walk(option, (text) => token(sheet, text));
}

function walk(value, f) {
  if (typeof value === 'string') return value.startsWith(sign) ? f(value) : value;
  if (Array.isArray(value)) {
    // Rows of numbers are the bulk of an option and hold no token.
    return value.length && typeof value[0] === 'number' ? value : value.map((v) => walk(v, f));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v, f)]));
}

function token(sheet, text) {
  const [name, alpha] = text.slice(1).split('/');
  const value = sheet.getPropertyValue(`--${name}`).trim();
  if (value === '') return text; // not a token: a name that starts with @
  if (name.endsWith('-dash')) return value === 'none' ? 'solid' : value.split(' ').map(Number);
  if (value.endsWith('px')) return Number.parseFloat(value);
  return alpha ? fade(value, alpha) : value;
}

// fade gives a hex colour an alpha.
function fade(hex, alpha) {
  const pair = (i) => Number.parseInt(hex.slice(i, i + 2), 16);
  return hex.startsWith('#') ? `rgba(${pair(1)}, ${pair(3)}, ${pair(5)}, ${alpha})` : hex;
}
