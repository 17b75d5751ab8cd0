// Where the program is served: "" at the root, "/taper" behind a proxy that gives it a
// path. This file is at {base}/static/{hash}/js/base.js.
export const base = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
