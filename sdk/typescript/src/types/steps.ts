// The steps contract: `message`, then `step`s, then `final` and `done`; or `error` and `done`.
import type {JsonValue, Timestamp, TokenUsage} from './common.js';

export interface StepsRequest {
  query: string;
}

export interface UserMessageEvent {
  type: 'message';
  role: 'user';
  content: string;
  timestamp: Timestamp;
}

export interface PlanningStepEvent {
  type: 'step';
  step_type: 'planning';
  step_number: number;
  plan: string;
  token_usage?: TokenUsage;
}

export interface ActionStepEvent {
  type: 'step';
  step_type: 'action';
  step_number: number;
  model_output: string;
  /** The code that ran; null in a step of tool calls. */
  code_action: string | null;
  observations: string;
  /** What went wrong in this step. The run goes on. */
  error: string | null;
  token_usage?: TokenUsage;
}

export type StepEvent = PlanningStepEvent | ActionStepEvent;

export interface FinalEvent {
  type: 'final';
  step_number: number;
  output: JsonValue;
}

/** The run failed or was interrupted; `done` follows. */
export interface StepsErrorEvent {
  type: 'error';
  error: string;
}

export interface StepsDoneEvent {
  type: 'done';
}

export type StepsEvent = UserMessageEvent | StepEvent | FinalEvent | StepsErrorEvent | StepsDoneEvent;

export interface InterruptReply {
  success: boolean;
  message: string;
}

export interface TokensReply {
  tokens: TokenUsage;
}

export interface StepList {
  steps: StepEvent[];
}

export interface ErrorBody {
  error: string;
}
