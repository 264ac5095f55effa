// Who is asking, and what belongs to no contract.
import type {Timestamp} from './common.js';

export interface Login {
  username: string;
  password: string;
}

export interface LoggedIn {
  user_id: string;
  username: string;
}

export interface Me extends LoggedIn {
  role: 'user' | 'admin';
}

export interface Agent {
  name: string;
  description: string;
  model: string;
  tools: string[];
}

export interface AgentList {
  agents: Agent[];
}

/** What agents told the admins. */
export interface Alert {
  ticket: number;
  created_at: Timestamp;
  user_id: string;
  session_id: string;
  run_id: string;
  message: string;
  priority: string;
}

export interface AlertList {
  alerts: Alert[];
}

export interface ErrorBody {
  detail: string;
}

export interface Health {
  status: string;
  version?: string;
}
