// The base path of the program: "" at the root, "/taper" behind a proxy that serves it under a path. The address of
// this file is {base}/static/{hash}/js/base.js.
export const base = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
