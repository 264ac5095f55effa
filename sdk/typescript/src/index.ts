// The client, what it throws, and the types of each contract under the contract's name: `tasks.ChatEvent`. The names
// within a contract are its own, so the same name may mean different things in two of them.
export {Braidlog} from './client.js';
export type {ContractEvents, ContractResults} from './client.js';
export {BraidlogError, InvalidResponseError, NetworkError, ProtocolError, RunError, TruncatedError} from './errors.js';
export {EventStream} from './stream.js';
export type {StreamEnd, StreamOptions} from './stream.js';
export {SseParser} from './sse.js';
export type {SseFrame} from './sse.js';
export type {CallOptions, ClientOptions, StartOptions} from './transport.js';
export type {RetryNotice, RetryPolicy} from './retry.js';
export type {ChatStreamOptions} from './chat.js';
export type {SettledOptions, TasksStreamOptions} from './tasks.js';
export type {ChatResult, ContractFrame, ExecutionSummary, PlanResult} from './readers.js';
export type {ContractName, JsonObject, JsonValue, TokenUsage} from './types/common.js';
export type * as chat from './types/chat.js';
export type * as conversation from './types/conversation.js';
export type * as identity from './types/identity.js';
export type * as runs from './types/runs.js';
export type * as sessions from './types/sessions.js';
export type * as steps from './types/steps.js';
export type * as tasks from './types/tasks.js';
