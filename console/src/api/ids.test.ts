import assert from 'node:assert/strict';
import {test} from 'node:test';
import {eventId, spelled} from './ids';

test('every spelling of an id is the same run', () => {
  const run = 'run_01M7FFK916E6HRSPXD4VE5MAF1';
  for (const spelling of [run, '01M7FFK916E6HRSPXD4VE5MAF1', '01m7ffk916e6hrspxd4ve5maf1', '01a1def9-a426-71a3-8cdb-ad26dc5a29e1']) {
    assert.equal(spelled('run', spelling), run);
  }
  assert.equal(eventId(run, 7), 'evt_01M7FFK916E6HRSPXD4VE5MAF1_0000000007');
});
