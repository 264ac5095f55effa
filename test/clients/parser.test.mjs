// npm: eventsource-parser, as fetch clients use it: fed with whatever a read brings, and as a stream.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {createParser} from 'eventsource-parser';
import {EventSourceParserStream} from 'eventsource-parser/stream';
import {Server} from './server.mjs';

const server = new Server({limits: {keepalive_interval: 100}});
before(() => server.start());
after(() => server.end());

async function feed(url, {headers = {}, until = () => false} = {}) {
  const events = [], comments = [], problems = [], reads = [];
  const parser = createParser({
    onEvent: (event) => events.push(event), onComment: (text) => comments.push(text), onError: (error) => problems.push(error),
    onRetry: (time) => problems.push(new Error(`retry ${time}`)),
  });
  const reply = await fetch(url, {headers});
  assert.equal(reply.status, 200);
  const decoder = new TextDecoder('utf-8', {fatal: true});
  for await (const bytes of reply.body) {
    const text = decoder.decode(bytes, {stream: true});
    reads.push(text);
    parser.feed(text);
    if (until(events, comments)) break;
  }
  assert.deepEqual(problems, []);
  return {events, comments, reads};
}

test('a run by createParser', {timeout: 30_000}, async () => {
  const text = 'lines\nand\rreturns \u2028\u0085 and 😀';
  const run = await server.begin('say exactly: ' + text);
  const {events, reads} = await feed(server.url + run.stream);
  assert.equal(events[0].event, 'run_started');
  assert.equal(events.at(-1).event, 'run_completed');
  for (const event of events) {
    const data = JSON.parse(event.data);
    assert.equal(data.type, event.event);
    assert.equal(data.event_id, event.id);
  }
  assert.equal(JSON.parse(events.at(-1).data).payload.final_text, text);
  assert.ok(reads.every((read) => read.endsWith('\n\n')), 'every read ends between two frames');
  const rest = await feed(server.url + run.stream, {headers: {'Last-Event-ID': events[0].id}});
  assert.deepEqual(rest.events, events.slice(1));
});

test('keepalives are comments', {timeout: 30_000}, async () => {
  const run = await server.begin('Write a haiku about rivers to haiku.md');
  const {comments} = await feed(server.url + run.stream, {until: (_, comments) => comments.length >= 3});
  assert.deepEqual(new Set(comments), new Set(['keepalive']));
});

test('a run by EventSourceParserStream', {timeout: 30_000}, async () => {
  const run = await server.begin('a long story about lighthouses');
  const reply = await fetch(server.url + run.stream);
  const types = [];
  for await (const event of reply.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
    types.push(event.event);
  }
  assert.equal(types[0], 'run_started');
  assert.equal(types.at(-1), 'run_completed');
  assert.ok(types.length > 30);
});
