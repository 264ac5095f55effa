// All panels: where they are, what they are called, which key leads there. Each is loaded when it is first opened.
import type {ReadonlySignal} from '@preact/signals';
import type {ComponentType} from 'preact';
import {pendingCount} from '../pending_approvals';

export interface Panel {
  name: string;   // in the address: #/NAME/ID
  title: string;
  key: string;    // after `g`
  icon: string;   // path in a 24 × 24 box
  load: () => Promise<{default: ComponentType}>;
  first?: boolean;      // has its place on a phone
  adminOnly?: boolean;
  badge?: ReadonlySignal<number>;
}

export const panels: Panel[] = [
  {name: 'chat', first: true, title: 'Chat', key: 'c', load: () => import('./chat'),
    icon: 'M4 5h16v11H9l-5 4V5z M8 9h8 M8 12.5h5'},
  {name: 'runs', first: true, title: 'Runs', key: 'r', load: () => import('./runs'),
    icon: 'M4 6h16 M4 12h16 M4 18h10'},
  {name: 'run', title: 'Timeline', key: 't', load: () => import('./timeline'),
    icon: 'M5 4v16 M5 7h9 M5 12h14 M5 17h6'},
  {name: 'ways', title: 'Five ways', key: 'w', load: () => import('./five_ways'),
    icon: 'M3 4v16 M7.5 4v16 M12 4v16 M16.5 4v16 M21 4v16'},
  {name: 'approvals', first: true, title: 'Approvals', key: 'a', load: () => import('./approvals'), badge: pendingCount,
    icon: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6l7-3z M9 12l2 2 4-4'},
  {name: 'tasks', first: true, title: 'Tasks', key: 'k', load: () => import('./tasks'),
    icon: 'M4 6l1.5 1.5L8 5 M4 12l1.5 1.5L8 11 M4 18l1.5 1.5L8 17 M11 6h9 M11 12h9 M11 18h9'},
  {name: 'agents', title: 'Agents', key: 'g', load: () => import('./agents'),
    icon: 'M12 3v3 M6 8h12v10H6z M9.5 12v1.5 M14.5 12v1.5 M3 12v3 M21 12v3'},
  {name: 'system', title: 'System', key: 's', load: () => import('./system'), adminOnly: true,
    icon: 'M3 13h4l2-7 4 13 3-9 1.5 3H21'},
];
