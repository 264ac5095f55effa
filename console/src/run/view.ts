// A run as people look at it: what was asked, then everything that happened, in order, and how it ended. Made from the log by fold.ts.
import type {RunStatus, Usage} from '../api/types';

export interface Attachment {name: string; mediaType: string; bytes: number}

export interface RunView {
  sequence: number;          // of the last event in here
  status: RunStatus;
  sessionId: string;
  userId: string;
  contract: string;
  agent: string;
  title: string;
  asked: string;
  attachments: Attachment[];
  queuedAt: number | null;
  startedAt: number | null;
  endedAt: number | null;
  model: string;
  items: Item[];
  tasks: TaskLine[];
  usage: Usage | null;
  failure: {code: number; message: string} | null;
  endReason: string;         // of an interrupted run
  restarts: number;          // of the server, in the middle of this run
  continues: number;         // the turn that goes on with the text of the one before it, which a restart cut
}

export interface TaskLine {id: string; title: string; description: string; status: 'pending' | 'in_progress' | 'done' | 'failed'}

export interface Approval {
  id: string;
  expiresAt: number | null;
  byPolicy: boolean;
  verdict: 'asked' | 'approved' | 'rejected';
  reason: string;
  always: boolean;
}

export type CallPhase = 'writing' | 'ready' | 'asking' | 'allowed' | 'running' | 'done' | 'failed' | 'refused' | 'abandoned';

interface Base {key: string; at: number}
export interface TextItem extends Base {kind: 'text'; turn: number; part: number; text: string; open: boolean}
export interface ReasoningItem extends Base {kind: 'reasoning'; turn: number; part: number; text: string; open: boolean; endedAt: number | null}
export interface PlanItem extends Base {kind: 'plan'; step: number; text: string}
export interface CallItem extends Base {
  kind: 'call';
  callId: string;
  name: string;
  byCode: boolean;
  args: string;              // JSON text; in phase `writing` the part that came so far
  phase: CallPhase;
  approval: Approval | null;
  startedAt: number | null;  // of the tool, not of the call
  endedAt: number | null;
  outcome: string;           // in a word, for a call that did not do well
  result: string;
  display: string;
}
export interface CodeItem extends Base {kind: 'code'; turn: number; code: string; output: string; error: string; endedAt: number | null}
export interface TasksItem extends Base {kind: 'tasks'; tasks: TaskLine[]}
export interface TaskItem extends Base {
  kind: 'task';
  taskId: string;
  title: string;
  status: TaskLine['status'];
  result: string;
  error: string;
  reflection: string;
}
export interface ArtifactItem extends Base {kind: 'artifact'; artifactId: string; name: string; type: string; content: string}
export interface DataItem extends Base {kind: 'data'; itemId: string; operation: 'create' | 'update' | 'delete'; type: string; data: string}
export interface NoteItem extends Base {kind: 'note'; tone: 'plain' | 'warn'; text: string}
// What the run answered, where no text of the model says it: the value of final_answer(), or the count of the tasks done.
export interface AnswerItem extends Base {kind: 'answer'; text: string}

export type Item = TextItem | ReasoningItem | PlanItem | CallItem | CodeItem | TasksItem | TaskItem | ArtifactItem | DataItem | NoteItem | AnswerItem;
