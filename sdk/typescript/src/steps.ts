import {StepsReader} from './readers.js';
import {EventStream} from './stream.js';
import type {StreamOptions} from './stream.js';
import {newKey, path} from './transport.js';
import type {CallOptions, StartOptions, Transport} from './transport.js';
import type {JsonValue} from './types/common.js';
import type {InterruptReply, StepList, StepsEvent, StepsRequest, TokensReply} from './types/steps.js';

/** An agent that plans and acts, step by step. The run goes on when its client goes. */
export class Steps {
  constructor(private readonly transport: Transport) {}

  stream(sessionId: string, request: StepsRequest, options: StartOptions & StreamOptions = {}): EventStream<StepsEvent, JsonValue> {
    return new EventStream(this.transport, {
      request: {
        method: 'POST',
        path: path`/sessions/${sessionId}/stream`,
        body: request,
        idempotencyKey: options.idempotencyKey ?? newKey(),
      },
      reader: new StepsReader(),
      resume: 'by id',
      options,
    });
  }

  interrupt(sessionId: string, options?: CallOptions): Promise<InterruptReply> {
    return this.transport.json({method: 'POST', path: path`/sessions/${sessionId}/interrupt`}, options);
  }

  tokens(sessionId: string, options?: CallOptions): Promise<TokensReply> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/tokens`}, options);
  }

  steps(sessionId: string, options?: CallOptions): Promise<StepList> {
    return this.transport.json({method: 'GET', path: path`/sessions/${sessionId}/steps`}, options);
  }
}
