// Where the page is: `#/PANEL/ID?query`. The hash is enough, because the server has one page, and a link to it can be sent to others.
import {signal, type ReadonlySignal} from '@preact/signals';

export interface Route {panel: string; id: string; query: URLSearchParams}

export const homePanel = 'chat';

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [panel = '', ...rest] = path.split('/');
  return {panel: panel || homePanel, id: decode(rest.join('/')), query: new URLSearchParams(query)};
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const current = signal(parseHash(location.hash));
export const route: ReadonlySignal<Route> = current;
addEventListener('hashchange', () => { current.value = parseHash(location.hash); });

export function href(panel: string, id = ''): string {
  return id === '' ? `#/${panel}` : `#/${panel}/${encodeURIComponent(id)}`;
}

export function go(hash: string): void {
  location.hash = hash;
}

// The same without a new entry in the history: for what the page finds out by itself, such as the id of a new session.
export function replace(hash: string): void {
  history.replaceState(null, '', hash);
  current.value = parseHash(hash);
}
