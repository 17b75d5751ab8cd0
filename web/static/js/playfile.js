// Saves a picture of the playground as SVG, with Shift as PNG. The drawing on the page is copied with its computed
// colours, the raster and the points are added, and no request is made.

import { hollow, image, marks, shownBy, symbol } from './playsurface.js';
import { ink } from './tokens.js';

const room = { left: 44, top: 14, right: 12, bottom: 44 };
const written = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'font-family', 'font-size', 'font-weight', 'paint-order', 'stroke-linejoin', 'vector-effect'];

export function start(doc) {
  doc.addEventListener('click', (e) => {
    const button = e.target.closest('[data-play-file]');
    if (button) save(button.closest('figure'), e.shiftKey ? 'png' : 'svg');
  });
}

async function save(figure, kind) {
  const text = await drawing(figure);
  const blob = new Blob([text], { type: 'image/svg+xml' });
  const file = kind === 'svg' ? blob : await pixels(blob);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${figure.id}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// drawing is the picture as an independent file.
async function drawing(figure) {
  const plot = figure.querySelector('.pg-plot');
  const { clientWidth: w, clientHeight: h } = plot;
  const [text, names = ''] = [...plot.querySelectorAll('svg.fluid')].map((svg) => {
    const inner = copy(svg);
    for (const [key, value] of [['x', room.left], ['y', room.top], ['width', w], ['height', h], ['overflow', 'visible']]) inner.setAttribute(key, value);
    return new XMLSerializer().serializeToString(inner);
  });
  const s = shownBy(figure);
  const back = s ? await raster(figure, s, w, h) : '';
  const front = s ? dots(s, w, h) : '';
  const [width, height] = [w + room.left + room.right, h + room.top + room.bottom];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${ink('paper')}"/>${back}${text}${front}${names}</svg>`;
}

// copy clones a drawing with its computed colours as attributes.
function copy(svg) {
  const clone = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll('*')];
  [clone, ...clone.querySelectorAll('*')].forEach((el, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of written) {
      const value = style.getPropertyValue(name);
      if (value && !value.startsWith('url(')) el.setAttribute(name, value);
    }
    for (const name of ['class', 'role', 'tabindex', 'aria-hidden', 'aria-label', 'aria-pressed', 'focusable']) el.removeAttribute(name);
  });
  return clone;
}

// raster is the coloured field and its hatching as embedded images.
async function raster(figure, s, w, h) {
  const canvas = new OffscreenCanvas(s.model.surface.w, s.model.surface.h);
  canvas.getContext('2d').putImageData(image(s), 0, 0);
  const field = await dataURL(await canvas.convertToBlob());
  const hatched = figure.querySelector('[data-hatch]').toDataURL();
  const box = `x="${room.left}" y="${room.top}" width="${w}" height="${h}" preserveAspectRatio="none"`;
  return `<image ${box} href="${field}"/><image ${box} href="${hatched}"/>`;
}

function dataURL(blob) {
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(blob);
  });
}

function dots(s, w, h) {
  const all = marks(s, w, h).map((m) => {
    const ring = m.flipped || m.lit ? `<circle cx="${m.px}" cy="${m.py}" r="${(m.lit ? 7 : 6) * m.size}" fill="none" stroke="${m.lit ? ink('accent') : ink('ink')}" stroke-width="${m.lit ? 2 : 1.4}"/>` : '';
    const colour = ink(`c${m.c % 4}`);
    const [fill, edge, wide] = hollow(m.c) ? [ink('paper'), colour, 1.6] : [colour, ink('paper'), 0.9];
    return `<g opacity="${m.alpha}"><path d="${symbol(m.c)(m.px, m.py, m.size)}" fill="${fill}" stroke="${edge}" stroke-width="${wide}"/>${ring}</g>`;
  });
  return `<g transform="translate(${room.left} ${room.top})">${all.join('')}</g>`;
}

// pixels renders the file at twice its size.
async function pixels(blob) {
  const url = URL.createObjectURL(blob);
  const picture = new Image();
  picture.src = url;
  await picture.decode();
  const canvas = new OffscreenCanvas(2 * picture.width, 2 * picture.height);
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return canvas.convertToBlob({ type: 'image/png' });
}
