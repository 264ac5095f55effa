// What the server's answers hold, as far as the console looks at them.

export interface Me {user_id: string; username: string; role: 'user' | 'admin'}

export type RunStatus = 'queued' | 'running' | 'waiting_approval' | 'interrupting' | 'completed' | 'failed' | 'interrupted';
export const isOver = (status: string): boolean => status === 'completed' || status === 'failed' || status === 'interrupted';

export interface Usage {input_tokens: number; output_tokens: number; total_tokens?: number}

export interface RunItem {
  run_id: string;
  session_id: string;
  session_title: string;
  user_id: string;
  agent: string;
  contract: string;
  status: RunStatus;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  usage: Usage | null;
  error: {code?: string; error_code?: string; message: string} | string | null;
  events: number;
  replayable: boolean;
  text: string;
}

export interface RunPage {items: RunItem[]; next: string | null}

export type Way = 'converse' | 'steps' | 'tasks' | 'execute';
export interface RunBegun {run_id: string; session_id: string; status: RunStatus}

export interface Session {id: string; session_id: string; title: string; status: string; createdAt: string; updatedAt: string}
export interface Message {id: string; role: 'user' | 'assistant' | 'system' | 'tool'; content: string; createdAt: string}
export interface SessionDetail extends Session {
  messages: Message[];
  tasks: Task[];
  artifacts: Artifact[];
  dataItems: DataItem[];
  activeRunId: string | null;
}

export interface Task {
  id: string;
  sessionId: string;
  title: string;
  description: string;
  status: 'pending' | 'in_progress' | 'done' | 'failed';
  result: string | null;
  reflection: string | null;
  order: number;
  createdAt: string;
  updatedAt: string;
}
export interface Artifact {id: string; sessionId: string; taskId: string | null; name: string; type: string; content?: string; createdAt: string}
export interface DataItem {id: string; sessionId: string; itemType: string; data: unknown; createdAt: string; updatedAt: string}

export interface AgentTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  writes: boolean;
  idempotent: boolean;
  policy: 'ask' | 'auto' | 'deny';
}
export interface Agent {
  name: string;
  version: string;
  description: string;
  model: string;
  provider: string;
  style: 'tools' | 'code';
  max_steps: number;
  planning_interval: number;
  default_of: string[];
  file: string | null;
  yaml: string | null;
  tools: AgentTool[];
}
export interface AgentFault {file: string; lines: string[]; kept: string | null}
export interface AgentList {agents: Agent[]; faults: AgentFault[]}

export interface SystemFigures {
  at: string;
  version: string;
  uptime_seconds: number;
  draining: boolean;
  store_healthy: boolean;
  runs_open: number;
  streams_open: number;
  connections_open: number;
  requests_total: number;
  bad_requests_total: number;
  streams_stalled_total: number;
  sent_bytes_total: number;
  events_total: number;
  commits_total: number;
  runs_completed_total: number;
  runs_failed_total: number;
  runs_interrupted_total: number;
  resident_bytes: number;
  commit_us: {le: number | string; count: number}[];
}

export interface Alert {ticket: string; created_at: string; user_id: string; session_id: string; run_id: string; message: string; priority: string}
