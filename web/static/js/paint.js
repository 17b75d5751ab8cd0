// Paints a chart without ECharts.
//
// ECharts makes models of every series and axis of an option before it draws, which takes half of the time of a move
// of a slider, and its code must be loaded before the first chart. Curves, points, bands and lines between axes with
// fixed limits need no model: this module draws them on a canvas, at the same places as ECharts does to the pixel
// (TestPaintedAlike). What it cannot draw, `can` leaves to ECharts, and so does chart.js while the pointer is on the
// figure, for the tooltip.
//
// What ECharts decides itself is written here: layers (z, then z2), crisp horizontal and vertical lines, fonts, the
// places of labels, and what is cut at the edge of the plot.

const layers = { grid: 0, axisLine: 1, tick: 2, axisText: 10, curve: 10, mark: 100, label: 1000 }; // z2
const usual = { series: 2, line: 5, area: 1 }; // z of series and of the marks that belong to them

const scales = { value: { to: (v) => v, from: (v) => v }, log: { to: Math.log10, from: (v) => 10 ** v } };

// What paint understands. ECharts draws an option with anything else.
const known = {
  axis: words('type logBase min max interval show gridIndex name nameGap nameLocation nameTextStyle nameMoveOverlap axisLine axisTick axisLabel splitLine'),
  axisLabel: words('color fontSize customValues formatter margin'),
  series: words(`type id name data z silent cursor large tooltip emphasis wide xAxisIndex yAxisIndex connectNulls
    symbol symbolSize showSymbol itemStyle lineStyle areaStyle label markLine markArea`),
};

function words(text) {
  return new Set(text.split(/\s+/));
}

// can tells whether paint draws all that an option contains.
export function can({ grid, xAxis, yAxis, series }) {
  const within = (part, set) => Object.keys(part).every((key) => set.has(key));
  return [grid].flat().every((g) => g?.outerBoundsMode === 'none') // else ECharts moves the plot for wide labels
    && [yAxis].flat().every((a) => !a?.name || a.nameMoveOverlap === false) // and the name
    && [xAxis, yAxis].every((axes) => axes && [axes].flat().every((a) => scales[a.type] && Number.isFinite(a.min) && Number.isFinite(a.max)
    && within(a, known.axis) && (a.show === false || a.axisLabel?.customValues && within(a.axisLabel, known.axisLabel))))
    && series.every((s) => within(s, known.series)
      && (s.type === 'scatter' || s.type === 'line' && (s.showSymbol === false || s.symbol || !s.data?.length)));
}

// plane maps the values of the axes x and y to pixels.
export function plane(option, { width, height }, x = 0, y = x) {
  const across = [option.xAxis].flat()[x];
  const up = [option.yAxis].flat()[y];
  const g = [option.grid].flat()[across.gridIndex ?? 0];
  const box = { left: g.left, top: g.top, right: width - g.right, bottom: g.height === undefined ? height - g.bottom : g.top + g.height };
  const map = (v, a, from, to) => {
    const [at, min, max] = [v, a.min, a.max].map(scales[a.type].to);
    return from + ((at - min) / (max - min)) * (to - from);
  };
  const back = (px, a, from, to) => {
    const [min, max] = [a.min, a.max].map(scales[a.type].to);
    return scales[a.type].from(min + ((px - from) / (to - from)) * (max - min));
  };
  return {
    ...box,
    across,
    up,
    x: (v) => map(v, across, box.left, box.right),
    y: (v) => map(v, up, box.bottom, box.top),
    value: (px, py) => [back(px, across, box.left, box.right), back(py, up, box.bottom, box.top)],
    holds: (v, w) => v >= across.min && v <= across.max && w >= up.min && w <= up.max,
  };
}

// paint draws an option on a canvas of the given size. With a series to lift, by id, all others fade.
export function paint(canvas, option, size, ratio, lifted) {
  const c = canvas.getContext('2d');
  const [w, h] = [size.width * ratio, size.height * ratio].map(Math.round);
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, size.width, size.height);
  const family = option.textStyle?.fontFamily ?? 'sans-serif';
  const strokes = []; // what is drawn: [z, z2, function]
  const add = (z, z2, draw) => strokes.push([z, z2, draw]);
  const axes = (to, of) => {
    [option.xAxis].flat().forEach((a, i) => a.show !== false && axis(to, of, plane(option, size, i), true, family));
    [option.yAxis].flat().forEach((a, i) => a.show !== false && axis(to, of, plane(option, size, i), false, family));
  };
  const under = option.series.every((s) => (s.z ?? usual.series) > 0) && ground(canvas, JSON.stringify([option.grid, option.xAxis, option.yAxis, family, size, ratio]), axes, ratio);
  if (under) {
    c.save();
    c.resetTransform(); // pixel on pixel: the size times a ratio such as 1.25 is not whole
    c.drawImage(under, 0, 0);
    c.restore();
  } else axes(c, add);
  for (const s of option.series) {
    const p = plane(option, size, s.xAxisIndex, s.yAxisIndex);
    const faded = lifted !== undefined && s.id !== lifted;
    const at = faded ? (z, z2, draw) => add(z, z2, () => { c.globalAlpha = 0.1; draw(); }) : add;
    if (s.type === 'line') curve(c, at, s, p);
    if (s.type === 'scatter' || s.showSymbol !== false && s.symbol !== 'none') points(c, at, s, p, family);
    for (const item of s.markArea?.data ?? []) area(c, at, s.markArea, item, p, family);
    for (const item of s.markLine?.data ?? []) line(c, at, s.markLine, [item].flat(), p, family);
  }
  put(c, strokes);
}

// put draws strokes in their order.
function put(c, strokes) {
  strokes.sort((a, b) => a[0] - b[0] || a[1] - b[1]); // equal ones stay in the order of the option
  for (const [, , draw] of strokes) {
    c.save();
    draw();
    c.restore();
  }
}

const grounds = new WeakMap(); // canvas → {of: its axes as text, picture: the axes alone}

// ground is a picture of the axes, which stay while curves move: they are most of the text of a chart. There is none
// until they are drawn for the second time.
function ground(canvas, of, axes, ratio) {
  const known = grounds.get(canvas);
  if (known?.of !== of) {
    grounds.set(canvas, { of });
    return undefined;
  }
  if (known.picture) return known.picture;
  known.picture = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
  const c = known.picture.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const strokes = [];
  axes(c, (...stroke) => strokes.push(stroke));
  put(c, strokes);
  return known.picture;
}

// crisp moves a line of a whole width onto pixels.
function crisp(at, width) {
  const twice = Math.round(at * 2);
  return (twice + Math.round(width)) % 2 === 0 ? twice / 2 : (twice + 1) / 2;
}

function stroke(c, { color, width = 1, type, opacity = 1 }) {
  c.strokeStyle = color;
  c.lineWidth = width;
  c.globalAlpha *= opacity;
  if (Array.isArray(type)) c.setLineDash(type);
}

function segment(c, style, x1, y1, x2, y2) {
  const width = style.width ?? 1;
  stroke(c, style);
  if (Math.round(x1 * 2) === Math.round(x2 * 2)) x1 = x2 = crisp(x1, width);
  if (Math.round(y1 * 2) === Math.round(y2 * 2)) y1 = y2 = crisp(y1, width);
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x2, y2);
  c.stroke();
}

const font = ({ fontStyle = 'normal', fontWeight = 'normal', fontSize = 12 }, family) => [fontStyle, fontWeight, `${fontSize}px`, family].filter((w) => w !== 'normal').join(' ');

const heights = new Map(); // font → height of a line

// lineHeight is that of ECharts: the width of a wide letter. To ask a canvas for its font makes a text of it.
function lineHeight(c, name) {
  if (!heights.has(name)) heights.set(name, c.measureText('国').width);
  return heights.get(name);
}

// write draws a text. `up` is where its height ends: 0 at the top of the text, 0.5 in the middle, 1 below it.
function write(c, text, style, family, x, y, align, up, turn = 0) {
  const name = font(style, family);
  c.font = name;
  const high = lineHeight(c, name);
  c.textAlign = align;
  c.textBaseline = 'middle';
  c.translate(x, y);
  if (turn) c.rotate(turn);
  let middle = (0.5 - up) * high;
  if (style.backgroundColor) {
    const [above, side] = style.padding;
    middle += (1 - 2 * up) * above;
    const room = c.measureText(text).width + 2 * side;
    const left = { left: 0, center: -room / 2, right: -room }[align];
    c.fillStyle = style.backgroundColor;
    c.beginPath(); // a rectangle that is filled at once has other edges than that of ECharts
    c.rect(left, middle - high / 2 - above, room, high + 2 * above);
    c.fill();
    c.translate({ left: side, center: 0, right: -side }[align], 0);
  }
  if (style.textBorderWidth) {
    Object.assign(c, { strokeStyle: style.textBorderColor, lineWidth: style.textBorderWidth, miterLimit: 2 });
    c.strokeText(text, 0, middle);
  }
  c.fillStyle = style.color;
  c.fillText(text, 0, middle);
}

// axis draws the line of an axis, its ticks, its labels, its name and the lines of its grid.
function axis(c, add, p, across, family) {
  const a = across ? p.across : p.up;
  const { axisLabel: label, axisTick: tick = {}, axisLine: base = {}, splitLine: grid = {} } = a;
  const within = (values) => (values ?? []).filter((v) => v >= a.min && v <= a.max);
  if (grid.show) {
    for (const v of within(tick.customValues)) {
      const at = across ? p.x(v) : p.y(v);
      add(0, layers.grid, () => segment(c, grid.lineStyle, ...(across ? [at, p.top, at, p.bottom] : [p.left, at, p.right, at])));
    }
  }
  if (base.show) {
    add(0, layers.axisLine, () => {
      c.lineCap = 'round';
      segment(c, base.lineStyle, ...(across ? [p.left, p.bottom, p.right, p.bottom] : [p.left, p.bottom, p.left, p.top]));
    });
  }
  if (tick.show) {
    for (const v of within(tick.customValues)) {
      const at = across ? p.x(v) : p.y(v);
      add(0, layers.tick, () => segment(c, tick.lineStyle, ...(across ? [at, p.bottom, at, p.bottom + tick.length] : [p.left, at, p.left - tick.length, at])));
    }
  }
  for (const v of within(label.customValues)) {
    const text = label.formatter ? label.formatter(v) : String(v);
    add(0, layers.axisText, () => write(c, text, label, family, ...(across ? [p.x(v), p.bottom + label.margin, 'center', 0] : [p.left - label.margin, p.y(v), 'right', 0.5])));
  }
  if (!a.name) return;
  if (across) add(0, layers.axisLine, () => write(c, a.name, a.nameTextStyle, family, (p.left + p.right) / 2, p.bottom + a.nameGap, 'center', 0));
  else add(0, layers.axisLine, () => write(c, a.name, a.nameTextStyle, family, p.left - a.nameGap, (p.top + p.bottom) / 2, 'center', 1, -Math.PI / 2));
}

// cut limits what follows to the plot, with half of a line's width around it.
function cut(c, p, width) {
  const x = p.left - width / 2;
  const whole = Math.floor(x);
  c.beginPath();
  c.rect(whole, p.top - width / 2, Math.ceil(p.right - p.left + width) + (whole === x ? 0 : 1), p.bottom - p.top + width);
  c.clip();
}

function curve(c, add, s, p) {
  const z = s.z ?? usual.series;
  const runs = []; // points between gaps
  let run;
  for (const point of s.data ?? []) {
    const [v, w] = point.value ?? point;
    if (typeof v !== 'number' || typeof w !== 'number') run = undefined;
    else if (run) run.push([p.x(v), p.y(w)]);
    else runs.push(run = [[p.x(v), p.y(w)]]);
  }
  if (!runs.length) return;
  const trace = (ends) => {
    c.beginPath();
    for (const points of runs) {
      points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      ends?.(points);
    }
  };
  const width = s.lineStyle?.width ?? 2;
  if (s.areaStyle) {
    const floor = p.y(Math.min(Math.max(0, p.up.min), p.up.max));
    add(z, 0, () => {
      cut(c, p, width);
      trace((points) => {
        c.lineTo(points.at(-1)[0], floor);
        c.lineTo(points[0][0], floor);
        c.closePath();
      });
      c.globalAlpha *= s.areaStyle.opacity ?? 1;
      c.fillStyle = s.areaStyle.color;
      c.fill();
    });
  }
  add(z, layers.curve, () => {
    cut(c, p, width);
    trace();
    c.lineJoin = 'bevel';
    stroke(c, { ...s.lineStyle, width });
    c.stroke();
  });
}

// outline traces a mark with half the width rx and half the height ry.
function outline(c, symbol, x, y, rx, ry) {
  c.beginPath();
  if (symbol === 'rect') c.rect(x - rx, y - ry, 2 * rx, 2 * ry);
  else if (symbol === 'circle') c.arc(x, y, Math.min(rx, ry), 0, 2 * Math.PI);
  else {
    c.moveTo(x, y - ry);
    if (symbol === 'diamond') {
      c.lineTo(x + rx, y);
      c.lineTo(x, y + ry);
      c.lineTo(x - rx, y);
    } else {
      c.lineTo(x + rx, y + ry);
      c.lineTo(x - rx, y + ry);
    }
    c.closePath();
  }
}

function points(c, add, s, p, family) {
  const z = s.z ?? usual.series;
  const marks = [];
  for (const point of s.data ?? []) {
    const [v, w] = point.value ?? point;
    if (typeof v !== 'number' || typeof w !== 'number') continue;
    const style = point.itemStyle ? { ...s.itemStyle, ...point.itemStyle } : s.itemStyle ?? {};
    const faint = style.opacity ?? (s.type === 'scatter' ? 0.8 : 1);
    const size = point.symbolSize ?? s.symbolSize ?? 10;
    const [rx, ry] = Array.isArray(size) ? [size[0] / 2, size[1] / 2] : [size / 2, size / 2];
    const [x, y] = [p.x(v), p.y(w)];
    // The ends of an axis have more digits than the points.
    if (x < p.left - 0.1 || x > p.right + 0.1 || y < p.top - 0.1 || y > p.bottom + 0.1) continue;
    marks.push({ symbol: point.symbol ?? s.symbol ?? 'circle', x, y, rx, ry, style, faint });
    if (!(point.label?.show ?? s.label?.show)) continue;
    const label = { ...s.label, ...point.label };
    const edge = (style.borderWidth ?? 0) / 2;
    const at = beside(label, x - rx - edge, y - ry - edge, x + rx + edge, y + ry + edge);
    add(z, layers.label, () => {
      c.globalAlpha *= faint;
      write(c, named(label, point.name), label, family, at.x, at.y, at.align, at.up);
    });
  }
  // All in one, since to save and restore the state for each point takes as long as to draw it.
  add(z, layers.mark, () => {
    const alpha = c.globalAlpha;
    for (const { symbol, x, y, rx, ry, style, faint } of marks) {
      c.globalAlpha = alpha * faint;
      outline(c, symbol, x, y, rx, ry);
      c.fillStyle = style.color;
      c.fill();
      if (!style.borderWidth) continue;
      stroke(c, { color: style.borderColor, width: style.borderWidth });
      c.stroke();
    }
  });
}

const named = (label, name) => (label.formatter ?? '{b}').replace('{b}', name ?? '');

// beside is the place of a label at a box.
function beside({ position = 'inside', distance = 5, align }, left, top, right, bottom) {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const place = {
    top: { x, y: top - distance, align: 'center', up: 1 },
    bottom: { x, y: bottom + distance, align: 'center', up: 0 },
    left: { x: left - distance, y, align: 'right', up: 0.5 },
    right: { x: right + distance, y, align: 'left', up: 0.5 },
    inside: { x, y, align: 'center', up: 0.5 },
    insideTop: { x, y: top + distance, align: 'center', up: 0 },
  }[position];
  return align ? { ...place, align } : place;
}

function area(c, add, { label: shared }, [from, to], p, family) {
  const within = (a, v) => Math.min(a.max, Math.max(a.min, v));
  const side = (a, name) => [from[name] ?? a.min, to[name] ?? a.max].map((v) => within(a, v));
  const [[left, right], [bottom, top]] = [side(p.across, 'xAxis').map(p.x), side(p.up, 'yAxis').map(p.y)];
  if (left === right || top === bottom) return;
  add(usual.area, 0, () => {
    c.fillStyle = from.itemStyle.color;
    c.globalAlpha *= from.itemStyle.opacity ?? 1;
    c.fillRect(left, top, right - left, bottom - top);
  });
  const label = { ...shared, ...from.label };
  if (!label.show) return;
  const { x, y, align, up } = beside(label, left, top, right, bottom);
  add(usual.area, layers.label, () => write(c, named(label, from.name), label, family, x, y, align, up));
}

// line draws a mark across the plot, or between two points, and its label.
function line(c, add, all, [from, to], p, family) {
  let ends;
  if (to) {
    if (![from, to].every((e) => p.holds(...e.coord))) return;
    ends = [from, to].map((e) => [p.x(e.coord[0]), p.y(e.coord[1])]);
  } else if (from.xAxis !== undefined) {
    if (!p.holds(from.xAxis, p.up.min)) return;
    ends = [[p.x(from.xAxis), p.bottom], [p.x(from.xAxis), p.top]];
  } else {
    if (!p.holds(p.across.min, from.yAxis)) return;
    ends = [[p.left, p.y(from.yAxis)], [p.right, p.y(from.yAxis)]];
  }
  const [[x1, y1], [x2, y2]] = ends;
  const style = { ...all.lineStyle, ...from.lineStyle };
  add(usual.line, 0, () => segment(c, style, x1, y1, x2, y2));
  const label = { ...all.label, ...from.label };
  const text = named(label, from.name);
  if (label.show === false || !text) return;
  const { distance = 5, position = 'end', align } = label;
  const [dx, dy] = [x2 - x1, y2 - y1].map((d) => d / Math.hypot(x2 - x1, y2 - y1));
  const place = {
    end: [x2 + dx * distance, y2 + dy * distance, dx > 0.8 ? 'left' : dx < -0.8 ? 'right' : 'center', dy > 0.8 ? 0 : dy < -0.8 ? 1 : 0.5],
    insideEndTop: [x2 - distance, y2 - distance, 'right', 1],
    insideStartTop: [x1 + distance, y1 - distance, 'left', 1],
    insideStartBottom: [x1 + distance, y1 + distance, 'left', 0],
  }[position];
  if (align) place[2] = align;
  add(usual.line, layers.label, () => write(c, text, label, family, ...place));
}
