// What a page has and Node has not: EventSource, a fetch that keeps cookies, and File before Node 20. The programs of the documents are those of
// a page on another port of this machine, so fetch also insists on what a browser insists on: the server must let that page read.
import {File} from 'node:buffer';
import {createRequire} from 'node:module';

const origin = 'http://127.0.0.1:5173';
const {EventSource} = createRequire(new URL('../clients/package.json', import.meta.url))('eventsource');
const plainFetch = globalThis.fetch;
const cookies = new Map();

globalThis.File ??= File;
globalThis.fetch = async (url, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Origin', origin);
  const include = init.credentials === 'include';
  if (include && cookies.size) headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  const response = await plainFetch(url, {...init, headers});
  if (response.headers.get('access-control-allow-origin') !== origin) throw new TypeError(`${url}: a page may not read this`);
  if (include && response.headers.get('access-control-allow-credentials') !== 'true') throw new TypeError(`${url}: no credentials allowed`);
  for (const line of include ? response.headers.getSetCookie() : []) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    cookies.set(name, value);
  }
  return response;
};

globalThis.EventSource ??= class extends EventSource {
  constructor(url, init) { super(url, {...init, fetch: (target, options) => globalThis.fetch(target, options)}); }
};
