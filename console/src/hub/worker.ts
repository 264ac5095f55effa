// The SharedWorker: one hub for all tabs. A page that is gone says so (`leave`), or lets go of the lock that it holds while it lives, or
// falls silent where there are no locks.
import {Hub} from './hub';
import type {Page, ToHub, ToPage} from './protocol';

const silenceMax = 150_000;  // Browsers wake a hidden tab once a minute.
const hub = new Hub();

addEventListener('connect', (connect) => {
  const port = (connect as MessageEvent).ports[0]!;
  const page: Page = {send: (message: ToPage) => port.postMessage(message)};
  let silence: ReturnType<typeof setTimeout> | undefined;
  let joined = 0;  // A page that comes back from the browser's cache joins again, with another lock.
  port.onmessage = ({data}: MessageEvent<ToHub>) => {
    if (data.kind === 'join') {
      ++joined;
      hub.join(page);
    } else if (data.kind === 'lock') {
      const mine = joined;
      void navigator.locks.request(data.name, () => { if (joined === mine) hub.leave(page); });
    } else if (data.kind === 'leave') {
      hub.leave(page);
    } else if (data.kind === 'alive') {
      if (!hub.has(page)) {
        hub.join(page);
        page.send({kind: 'forgotten'});
      }
      clearTimeout(silence);
      silence = setTimeout(() => hub.leave(page), silenceMax);
    } else {
      hub.receive(page, data);
    }
  };
});
