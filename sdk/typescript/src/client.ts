import {Chat} from './chat.js';
import {Conversation} from './conversation.js';
import {Identity} from './identity.js';
import {AllReader, newReaders} from './readers.js';
import {Runs} from './runs.js';
import {Sessions} from './sessions.js';
import {Steps} from './steps.js';
import {EventStream} from './stream.js';
import type {Reader, StreamOptions} from './stream.js';
import {Tasks} from './tasks.js';
import {Transport, path} from './transport.js';
import type {CallOptions, ClientOptions} from './transport.js';
import type {ContractName} from './types/common.js';
import type {AgentList, AlertList, Health} from './types/identity.js';

type Readers = {[Name in ContractName]: ReturnType<(typeof newReaders)[Name]>} & {all: AllReader};
/** The events of a run by contract, as `anyRun` gives them. */
export type ContractEvents = {[Name in keyof Readers]: Readers[Name] extends Reader<infer E, unknown> ? E : never};
export type ContractResults = {[Name in keyof Readers]: ReturnType<Readers[Name]['result']>};

/** One Braidlog server, in its five contracts. Holds no connection and no state: make as many as you like. */
export class Braidlog {
  readonly steps: Steps;
  readonly runs: Runs;
  readonly chat: Chat;
  readonly conversation: Conversation;
  readonly tasks: Tasks;
  readonly sessions: Sessions;
  readonly auth: Identity;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
    this.steps = new Steps(this.#transport);
    this.runs = new Runs(this.#transport);
    this.chat = new Chat(this.#transport);
    this.conversation = new Conversation(this.#transport);
    this.tasks = new Tasks(this.#transport);
    this.sessions = new Sessions(this.#transport);
    this.auth = new Identity(this.#transport);
  }

  /**
   * Any run in the words of any contract, whichever began it, from its first event. Only looks: it neither starts nor
   * stops anything. `all` gives the frames of all contracts, in the order of the log.
   */
  anyRun<Name extends ContractName | 'all'>(
    runId: string, contract: Name, options: StreamOptions = {},
  ): EventStream<ContractEvents[Name], ContractResults[Name]> {
    const reader = contract === 'all' ? new AllReader() : newReaders[contract as ContractName]();
    return new EventStream(this.#transport, {
      request: {method: 'GET', path: path`/runs/${runId}/stream`, query: {contract}},
      reader: reader as unknown as Reader<ContractEvents[Name], ContractResults[Name]>,
      resume: contract === 'tasks' ? 'by count' : 'by id',
      options,
    });
  }

  agents(options?: CallOptions): Promise<AgentList> {
    return this.#transport.json({method: 'GET', path: '/agents'}, options);
  }

  /** For admins. */
  alerts(query: {limit?: number} = {}, options?: CallOptions): Promise<AlertList> {
    return this.#transport.json({method: 'GET', path: '/alerts', query: {...query}}, options);
  }

  health(options?: CallOptions): Promise<Health> {
    return this.#transport.json({method: 'GET', path: '/health'}, options);
  }
}
