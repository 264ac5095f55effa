// What a page and the hub say to each other. The hub lives in a SharedWorker (or in the page itself), so all of it can be copied.
export type Connection = 'connecting' | 'live' | 'lost';
export type View = 'log' | 'all';

// One event of a watched run, unread: `data` is the JSON text.
export interface Frame {id: string; data: string}
export interface Notice {what: 'run' | 'approvals' | 'tasks' | 'items'; run_id: string; session_id: string; status: string}

export type ToHub =
  | {kind: 'join'}
  | {kind: 'lock'; name: string}                                                   // held by the page as long as it lives
  | {kind: 'alive'}                                                                // again and again, where there are no locks
  | {kind: 'watch'; watch: number; view: View; run: string; after: string | null}  // watch: the page's own number
  | {kind: 'unwatch'; watch: number}
  | {kind: 'retry'}                                                                // somebody logged in, or the network is back
  | {kind: 'leave'};

export type ToPage =
  | {kind: 'state'; state: Connection}
  | {kind: 'frames'; watch: number; frames: Frame[]}
  | {kind: 'caught-up' | 'over'; watch: number}
  | {kind: 'refused'; watch: number; status: number; error: string}
  | {kind: 'notice'; notice: Notice}
  | {kind: 'reconnected'}
  | {kind: 'forgotten'}                                                            // the page was taken for gone: it is to watch anew
  | {kind: 'unauthorized'}
  | {kind: 'user-changed'};

export interface Page {send(message: ToPage): void}
