// Narrow screens show some parts of a page in another order than that of the source (`order` in the style sheets).
// Tab and screen readers follow the source, so the source is made to follow what is seen. CSS has reading-flow for
// this, but Chromium 156 leaves out controls when a part is laid out again, and other browsers do not know it.

const containers = '.work-lead, .work-3, .audit-desk, .top-in';
const written = new WeakMap(); // container → its parts in the order of the source

export function start(doc) {
  const narrow = matchMedia('(max-width: 960px)'); // the widths of narrow.css
  const phone = matchMedia('(max-width: 759px)');
  const follow = () => doc.querySelectorAll(containers).forEach(arrange);
  if (narrow.matches) follow();
  for (const width of [narrow, phone]) width.addEventListener('change', follow);
  doc.addEventListener('taper:visit', () => { if (narrow.matches) follow(); });
}

function arrange(box) {
  const parts = written.get(box) ?? [...box.children];
  written.set(box, parts);
  const order = new Map(parts.map((part) => [part, Number(getComputedStyle(part).order)]));
  const seen = [...parts].sort((a, b) => order.get(a) - order.get(b)); // equal ones stay as written
  const focused = document.activeElement;
  seen.forEach((part, i) => { if (box.children[i] !== part) box.insertBefore(part, box.children[i]); });
  if (box.contains(focused)) focused.focus({ preventScroll: true }); // a part that moves loses it
}
