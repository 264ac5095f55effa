import assert from 'node:assert/strict';
import {test} from 'node:test';
import {draftOf, jsonOf, kindOf, type Draft, type Faults, type Schema} from './schema_field';

const order: Schema = {
  type: 'object',
  properties: {
    id: {type: 'string'},
    limit: {type: 'integer', default: 5},
    price: {type: 'number'},
    open: {type: 'boolean'},
    state: {type: 'string', enum: ['open', 'sent']},
    tags: {type: 'array', items: {type: 'string'}},
    customer: {type: 'object', properties: {name: {type: 'string'}, age: {type: 'integer'}}, required: ['name']},
    extra: {anyOf: [{type: 'string'}, {type: 'object'}]},
  },
  required: ['id'],
};

function written(changes: {[name: string]: Draft}): [string | undefined, Faults] {
  const faults: Faults = new Map();
  return [jsonOf(order, {...(draftOf(order) as object), ...changes}, true, faults), faults];
}

test('each schema has its input', () => {
  assert.deepEqual(Object.values(order.properties!).map((part) => kindOf(part)),
    ['text', 'number', 'number', 'boolean', 'choice', 'list', 'group', 'json']);
  assert.equal(kindOf({type: ['string', 'null']}), 'text');
  assert.equal(kindOf({type: ['string', 'integer']}), 'json');
  assert.equal(kindOf({}), 'json');
  assert.equal(kindOf({type: 'object', additionalProperties: {type: 'string'}}), 'json');
});

test('what is left empty is left out, defaults are there', () => {
  assert.deepEqual(written({id: '7'}), ['{"id": "7", "limit": 5}', new Map()]);
});

test('everything filled in', () => {
  const [json, faults] = written({id: 'a"b', limit: '12345678901234567890', price: '1.10', open: 'false', state: '1', tags: ['x', 'y\nz'],
    customer: {name: 'Ada', age: ''}, extra: '{"a": [1, 2]}'});
  assert.equal(faults.size, 0);
  assert.equal(json, '{"id": "a\\"b", "limit": 12345678901234567890, "price": 1.10, "open": false, "state": "sent", ' +
    '"tags": ["x", "y\\nz"], "customer": {"name": "Ada"}, "extra": {"a": [1, 2]}}');
});

test('what is wrong is said where it is', () => {
  const [, faults] = written({limit: '1.5', price: 'much', extra: '{', customer: {name: '', age: '3'}, tags: ['']});
  assert.deepEqual([...faults.keys()].sort(), ['/customer/name', '/extra', '/id', '/limit', '/price', '/tags/0']);
  assert.equal(faults.get('/id'), 'is needed');
  assert.equal(faults.get('/limit'), 'must be a whole number');
  assert.equal(faults.get('/price'), 'is no number');
});

test('a group that may be left out asks for nothing', () => {
  assert.deepEqual(written({id: '7', limit: '', customer: {name: '', age: ''}}), ['{"id": "7"}', new Map()]);
});
