// The theme button. The choice is a cookie, so that the server writes the right theme into the first HTML and
// nothing flashes; without scripts the form sets it by a request.

const order = ['auto', 'light', 'dark'];
const year = 60 * 60 * 24 * 365;
const root = document.documentElement;
const listeners = new Set();

export function start(doc) {
  doc.querySelector('[data-theme-form]')?.addEventListener('submit', (e) => {
    e.preventDefault();
    choose(e.submitter.value);
    relabel(e.target);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', announce);
  matchMedia('print').addEventListener('change', announce); // paper is always light, and canvases keep their colours
}

// onChange calls f whenever the colours of the page have changed.
export function onChange(f) {
  listeners.add(f);
}

function choose(theme) {
  document.cookie = `theme=${theme}; path=/; max-age=${year}; samesite=strict`;
  if (theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme;
  announce();
}

function announce() {
  for (const f of listeners) f();
}

// relabel sets the labels of the button from the server's texts in its data attributes.
function relabel(form) {
  const button = form.querySelector('button');
  const now = button.value;
  button.value = order[(order.indexOf(now) + 1) % order.length];
  for (const face of form.querySelectorAll('[data-face]')) {
    const on = face.dataset.face === now;
    face.hidden = !on;
    if (on) {
      button.setAttribute('aria-label', face.dataset.label);
      button.title = face.dataset.label;
    }
  }
}
