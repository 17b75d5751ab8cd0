// Turns the token names the server writes into an option ("@s1", "@p2/.5",
// "@s2-dash") into what the style sheet says now.

import { onChange } from './theme.js';

const sign = '@';
const known = new Map(); // token → what the style sheet says

onChange(() => known.clear());

// ink is what the style sheet says of a token. It is asked once for each theme: to ask while a page
// is being changed makes the browser work out the styles that are going to change again.
export function ink(name) {
  const value = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  if (value) known.set(name, value);
  return value;
}

// resolve returns a copy of an option with every token replaced.
export function resolve(option) {
  return walk(option, token);
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

function token(text) {
  const [name, alpha] = text.slice(1).split('/');
  const value = ink(name);
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
