// How a page reaches the hub: through the SharedWorker, or, in browsers without one, a hub of its own.
import {randomName} from '../api/ids';
import {Hub} from './hub';
import type {Page, ToHub, ToPage} from './protocol';

export interface Link {send(message: ToHub): void}
export interface LinkEars {
  receive(message: ToPage): void;
  // The page is known to a hub that knows nothing of its watches.
  joined(): void;
}

const aliveMs = 30_000;

export function openLink(ears: LinkEars): Link {
  const link = 'SharedWorker' in globalThis ? sharedLink(ears) : ownLink(ears);
  addEventListener('online', () => link.send({kind: 'retry'}));
  document.addEventListener('visibilitychange', () => { if (!document.hidden) link.send({kind: 'retry'}); });
  return link;
}

function ownLink(ears: LinkEars): Link {
  const hub = new Hub();
  // In a task of its own, as a worker would.
  const page: Page = {send: (message) => queueMicrotask(() => ears.receive(message))};
  hub.join(page);
  return {send: (message) => hub.receive(page, message)};
}

function sharedLink(ears: LinkEars): Link {
  const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), {type: 'module', name: 'braidlog'});
  let own: Link | null = null;
  const send = (message: ToHub) => (own ? own.send(message) : worker.port.postMessage(message));
  worker.port.onmessage = ({data}: MessageEvent<ToPage>) => ears.receive(data);
  worker.onerror = () => {
    own ??= ownLink(ears);
    ears.joined();
  };
  join(send);
  addEventListener('pagehide', () => send({kind: 'leave'}));
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    join(send);
    ears.joined();
  });
  return {send};
}

function join(send: (message: ToHub) => void): void {
  send({kind: 'join'});
  if (!('locks' in navigator)) {
    send({kind: 'alive'});
    setInterval(() => send({kind: 'alive'}), aliveMs);
    return;
  }
  const name = `braidlog page ${randomName()}`;
  // Held until the page is gone, however it goes. The hub asks for it too, and gets it then.
  void navigator.locks.request(name, () => {
    send({kind: 'lock', name});
    return new Promise<never>(() => {});
  });
}
