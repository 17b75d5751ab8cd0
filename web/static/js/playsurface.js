// Paints decision surfaces: a raster of levels in the colours of the style sheet, hatching for abstention, the
// points with their symbols, and the probe. The server computes the levels and their meanings; this module maps
// them, and pixels, to positions.

import { onChange } from './theme.js';
import { ink } from './tokens.js';

const symbols = [circle, triangle, square, diamond];
const surfaces = new Map(); // figure → {id, points, axes, model, lit, size}
const resized = new ResizeObserver((entries) => { for (const e of entries) fit(e.target); });
const stamps = new Map(); // look of a mark → its picture, in the colours of the theme
let at; // cell of the probe, [column, row], or undefined

export function start() {
  onChange(() => {
    stamps.clear();
    for (const figure of surfaces.keys()) draw(figure);
  });
}

// show sets what a figure draws; missing parts stay, and only differences are drawn.
export function show(figure, what) {
  let s = surfaces.get(figure);
  if (!s) {
    surfaces.set(figure, s = { size: measured(plotOf(figure)) });
    resized.observe(plotOf(figure));
  }
  const had = { ...s, text: s.model?.surface.levels };
  Object.assign(s, what);
  const text = s.model?.surface.levels;
  if (text && text !== had.text) s.levels = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const field = text !== had.text || s.model?.surface.kind !== had.model?.surface.kind;
  const dots = s.points !== had.points || s.lit !== had.lit || s.hide !== had.hide || JSON.stringify(s.axes) !== JSON.stringify(had.axes);
  draw(figure, field, dots);
  if (at) probe(...at);
}

// preview moves the points before the server has answered.
export function preview(points) {
  for (const [figure, s] of surfaces) show(figure, { points: { ...s.points, ...points } });
}

// forget disposes of figures that are no longer on the page.
export function forget() {
  for (const figure of surfaces.keys()) if (!figure.isConnected) surfaces.delete(figure);
}

export const shownBy = (figure) => surfaces.get(figure);

const plotOf = (figure) => figure.querySelector('[data-plot]');

// The size of a plot is measured when it changes, not at each drawing: then the page has changed, and measuring
// would force a second layout.
const measured = ({ clientWidth, clientHeight }) => [clientWidth, clientHeight];

function fit(plot) {
  const figure = plot.closest('[data-picture]');
  const s = surfaces.get(figure);
  const size = measured(plot);
  if (!s || s.size.join() === size.join()) return;
  s.size = size;
  draw(figure);
}

function draw(figure, field = true, dots = true) {
  const s = surfaces.get(figure);
  if (!s?.points || !figure.isConnected) return;
  const [w, h] = s.size;
  if (!w) return;
  const levels = s.model?.surface.levels;
  figure.classList.toggle('is-empty', !levels);
  if (levels && field) {
    raster(figure.querySelector('[data-raster]'), s);
    hatch(figure.querySelector('[data-hatch]'), s, w * 1.0101, h * 1.0101);
  }
  if (dots) points(sized(figure.querySelector('[data-dots]'), w, h), s, w, h);
  figure.dataset.painted = '';
}

// colours lists red, green, blue, alpha of every level.
export function colours(surface) {
  const table = new Uint8ClampedArray(4 * 256);
  const token = (name) => rgba(ink(name));
  if (surface.kind === 'bands' || surface.kind === 'classes') {
    for (const { level, tint, pale } of surface.legend) if (tint) table.set(flat(token(tint), surface.kind, pale), 4 * level);
    return table;
  }
  const [low, high] = [token('p0'), token('p9')];
  const last = surface.count - 1;
  for (let level = 0; level <= last; level++) {
    const far = Math.abs((2 * level) / last - 1);
    const [r, g, b] = 2 * level < last ? low : high;
    table.set([r, g, b, 255 * 0.72 * far], 4 * level);
  }
  return table;
}

const flat = ([r, g, b, a], kind, pale) => [r, g, b, 255 * (kind === 'classes' ? (pale ? 0.13 : 0.34) : a)];

// rgba reads a colour of the style sheet: #rrggbb or rgb(r g b / a).
function rgba(text) {
  const hex = text.trim();
  if (hex.startsWith('#')) return [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)).concat(1);
  const found = hex.match(/[\d.]+/g).map(Number);
  return found.length < 4 ? [...found, 1] : found;
}

// raster paints a pixel per cell; the browser scales it.
function raster(canvas, s) {
  const { w, h } = s.model.surface;
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  canvas.getContext('2d').putImageData(image(s), 0, 0);
}

export function image(s) {
  const { surface } = s.model;
  const { w, h } = surface;
  const table = colours(surface);
  const pixels = new ImageData(w, h);
  for (let row = 0; row < h; row++) {
    for (let column = 0; column < w; column++) {
      const from = 4 * s.levels[row * w + column];
      pixels.data.set(table.subarray(from, from + 4), 4 * ((h - 1 - row) * w + column));
    }
  }
  return pixels;
}

// hatch marks the cells with abstention.
function hatch(canvas, s, w, h) {
  const pen = sized(canvas, w, h);
  if (!s.model.surface.levels || !s.levels.includes(255)) return;
  const mask = new OffscreenCanvas(s.model.surface.w, s.model.surface.h);
  const cells = new ImageData(mask.width, mask.height);
  s.levels.forEach((level, i) => {
    if (level === 255) cells.data[4 * ((mask.height - 1 - Math.floor(i / mask.width)) * mask.width + (i % mask.width)) + 3] = 255;
  });
  mask.getContext('2d').putImageData(cells, 0, 0);
  pen.drawImage(mask, 0, 0, w, h);
  pen.globalCompositeOperation = 'source-in';
  pen.strokeStyle = ink('ink-3');
  const lines = new OffscreenCanvas(canvas.width, canvas.height);
  const other = lines.getContext('2d');
  other.setTransform(pen.getTransform());
  other.strokeStyle = pen.strokeStyle;
  other.beginPath();
  for (let x = -h; x < w; x += 6) {
    other.moveTo(x, h);
    other.lineTo(x + h, 0);
  }
  other.stroke();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(lines, 0, 0);
}

// sized clears a canvas at the resolution of the screen and returns its context.
function sized(canvas, w, h) {
  const dense = devicePixelRatio || 1;
  const [width, height] = [Math.round(w * dense), Math.round(h * dense)];
  const pen = canvas.getContext('2d');
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.globalCompositeOperation = 'source-over';
  pen.clearRect(0, 0, width, height);
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  return pen;
}

// spot is the position of a point in a plot of w by h pixels.
function spot(s, i, w, h) {
  const { x, y } = s.axes;
  return [((s.points.x[i] - x.min) / (x.max - x.min)) * w, ((y.max - s.points.y[i]) / (y.max - y.min)) * h];
}

// place converts a pixel to the axes.
export function place(s, px, py, w, h) {
  const { x, y } = s.axes;
  return [x.min + (px / w) * (x.max - x.min), y.max - (py / h) * (y.max - y.min)];
}

// marks lists the points to draw: faint ones first, rings last.
export function marks(s, w, h) {
  const { given, flipped, test } = s.points;
  const small = given.length > 1500 ? 0.72 : 1;
  const size = small * (w > 520 ? 1.3 : 1);
  const out = [];
  given.forEach((c, i) => {
    if (s.hide?.has(test[i] ? 'test' : 'train')) return;
    const [px, py] = spot(s, i, w, h);
    if (px < 0 || py < 0 || px > w || py > h) return;
    out.push({ i, c, px, py, size, flipped: flipped[i], alpha: dim(s, i), lit: Boolean(s.lit?.has(i)) });
  });
  return out.sort((a, b) => rank(a) - rank(b));
}

const rank = (m) => (m.lit ? 4 : 0) + (m.flipped ? 2 : 0) + (m.alpha === 1 ? 1 : 0);

function dim(s, i) {
  if (s.lit) return s.lit.has(i) ? 1 : 0.18;
  return s.points.test[i] ? 0.38 : 1;
}

// points draws the marks. Marks that look alike are drawn once and copied to whole pixels of the screen: most of a
// move of the noise went into hundreds of paths.
function points(pen, s, w, h) {
  const dense = devicePixelRatio || 1;
  pen.save();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  for (const m of marks(s, w, h)) {
    const stamp = stampOf(m, dense);
    pen.drawImage(stamp, Math.round(m.px * dense - stamp.width / 2), Math.round(m.py * dense - stamp.width / 2));
  }
  pen.restore();
}

function stampOf(m, dense) {
  const key = [m.c, m.flipped, m.lit, m.alpha, m.size, dense].join();
  if (stamps.has(key)) return stamps.get(key);
  const side = 2 * Math.ceil(12 * dense); // even, so that its middle is between pixels
  const stamp = new OffscreenCanvas(side, side);
  const pen = stamp.getContext('2d');
  pen.scale(dense, dense);
  const look = { inks: symbols.map((_, c) => ink(`c${c}`)), paper: ink('paper'), edge: ink('ink'), accent: ink('accent') };
  mark(pen, m, side / dense / 2, side / dense / 2, look);
  const picture = stamp.transferToImageBitmap(); // of a canvas, every copy takes a snapshot first
  stamps.set(key, picture);
  return picture;
}

function mark(pen, m, x, y, { inks, paper, edge, accent }) {
  pen.globalAlpha = m.alpha;
  const shape = new Path2D(symbols[m.c % 4](x, y, m.size));
  pen.fillStyle = hollow(m.c) ? paper : inks[m.c % 4];
  pen.fill(shape);
  pen.lineJoin = 'round';
  pen.lineWidth = hollow(m.c) ? 1.6 : 0.9;
  pen.strokeStyle = hollow(m.c) ? inks[m.c % 4] : paper;
  pen.stroke(shape);
  if (m.flipped || m.lit) {
    pen.lineWidth = m.lit ? 2 : 1.4;
    pen.strokeStyle = m.lit ? accent : edge;
    pen.beginPath();
    pen.arc(x, y, (m.lit ? 7 : 6) * m.size, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function circle(x, y, k) {
  const r = 3 * k;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

function triangle(x, y, k) {
  return `M${x} ${y - 4.4 * k}L${x + 4 * k} ${y + 3 * k}H${x - 4 * k}z`;
}

function square(x, y, k) {
  return `M${x - 3 * k} ${y - 3 * k}h${6 * k}v${6 * k}h${-6 * k}z`;
}

function diamond(x, y, k) {
  return `M${x} ${y - 4.2 * k}l${4.2 * k} ${4.2 * k}l${-4.2 * k} ${4.2 * k}l${-4.2 * k} ${-4.2 * k}z`;
}

export const symbol = (c) => symbols[c % 4];

// Hollow marks distinguish the fifth to eighth class from the first four.
export const hollow = (c) => c % 8 >= 4;

// nearest is the nearest point within reach pixels, or −1.
export function nearest(s, px, py, w, h, reach) {
  let best = -1;
  let least = reach * reach;
  s.points.x.forEach((_, i) => {
    const [x, y] = spot(s, i, w, h);
    const far = (x - px) ** 2 + (y - py) ** 2;
    if (far <= least) [least, best] = [far, i];
  });
  return best;
}

// probe reads the level of every surface at one cell, and the point there.
export function probe(column, row, point = -1) {
  at = [column, row];
  for (const [figure, s] of surfaces) {
    if (!figure.isConnected || !s.model?.surface.levels) continue;
    const { w, h } = s.model.surface;
    const [u, v] = [column / (w - 1), 1 - row / (h - 1)];
    const lines = figure.querySelector('[data-probe]');
    lines.removeAttribute('hidden');
    const [upright, level] = lines.children;
    for (const end of ['x1', 'x2']) upright.setAttribute(end, `${100 * u}%`);
    for (const end of ['y1', 'y2']) level.setAttribute(end, `${100 * v}%`);
    const [x, y] = place(s, u, v, 1, 1);
    const read = figure.querySelector('[data-read]');
    const where = document.createElement('b');
    where.textContent = meaning(s, s.levels[row * w + column]);
    read.replaceChildren(where, ` at ${s.axes.x.name} ${short(x)}, ${s.axes.y.name} ${short(y)}${point < 0 ? '' : `; ${named(s, point)}`}`);
  }
}

// aim moves the probe to the cell of a position.
export function aim(s, [x, y]) {
  const { w, h } = s.model?.surface ?? {};
  if (!w) return;
  const cell = (v, { min, max }, n) => Math.min(n - 1, Math.max(0, Math.round(((v - min) / (max - min)) * (n - 1))));
  probe(cell(x, s.axes.x, w), cell(y, s.axes.y, h));
}

export const probed = () => at;

// probedAt is the position of the probe on the axes.
export function probedAt() {
  for (const [figure, s] of surfaces) {
    if (at && figure.isConnected && s.model?.surface.levels) return place(s, at[0] / (s.model.surface.w - 1), 1 - at[1] / (s.model.surface.h - 1), 1, 1);
  }
  return undefined;
}

// say shows the server's prediction at the probe, by the letters of the models.
export function say(words) {
  for (const [figure, s] of surfaces) {
    const text = words[figure.dataset.picture];
    const read = figure.isConnected && s.model && figure.querySelector('[data-read] b');
    if (text && read) read.textContent = text;
  }
}

// leave removes the probe from the surfaces.
export function leave() {
  at = undefined;
  for (const figure of surfaces.keys()) figure.querySelector('[data-probe]').setAttribute('hidden', '');
}

// meaning is the server's description of a level.
function meaning(s, level) {
  s.meanings ??= new Map();
  if (s.meanings.of !== s.model) s.meanings = Object.assign(new Map(s.model.surface.legend.map((l) => [l.level, l.text])), { of: s.model });
  return s.meanings.get(level) ?? '';
}

function named(s, i) {
  const { classes, given, flipped, test, role, roles } = s.points;
  const kind = [`point ${i + 1}`, classes[given[i]]];
  if (flipped[i]) kind.push(`flipped, truly ${classes[s.points.class[i]]}`);
  if (test[i]) kind.push('test');
  if (role?.[i] !== undefined && role[i] !== null && roles?.[role[i]]) kind.push(roles[role[i]]);
  return kind.join(', ');
}

const short = (v) => v.toFixed(2).replace('-', '\u2212');
