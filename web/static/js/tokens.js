// Replaces the token names that the server writes into an option ("@s1", "@p2/.5", "@s2-dash") by the values of the
// style sheet.

import { onChange } from './theme.js';

const sign = '@';
const known = new Map(); // token → value in the style sheet

onChange(() => known.clear());

// ink is the value of a token. It is read once per theme: reading it while the page is being changed would force
// the browser to compute styles that change again.
export function ink(name) {
  const value = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  if (value) known.set(name, value);
  return value;
}

// resolve returns a copy of an option with all tokens replaced.
export function resolve(option) {
  return walk(option, token);
}

function walk(value, f) {
  if (typeof value === 'string') return value.startsWith(sign) ? f(value) : value;
  if (Array.isArray(value)) {
    // Rows of numbers are most of an option and contain no tokens.
    return value.every(rows) ? value : value.map((v) => walk(v, f));
  }
  if (value === null || typeof value !== 'object') return value;
  const out = {};
  for (const key of Object.keys(value)) out[key] = walk(value[key], f);
  return out;
}

const rows = (v) => typeof v === 'number' || Array.isArray(v) && v.every((n) => typeof n === 'number');

function token(text) {
  const [name, alpha] = text.slice(1).split('/');
  const value = ink(name);
  if (value === '') return text; // not a token, but a name that starts with @
  if (name.endsWith('-dash')) return value === 'none' ? 'solid' : value.split(' ').map(Number);
  if (value.endsWith('px')) return Number.parseFloat(value);
  return alpha ? fade(value, alpha) : value;
}

// fade adds an alpha value to a hex colour.
function fade(hex, alpha) {
  const pair = (i) => Number.parseInt(hex.slice(i, i + 2), 16);
  return hex.startsWith('#') ? `rgba(${pair(1)}, ${pair(3)}, ${pair(5)}, ${alpha})` : hex;
}
