import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isReplicatedBeforeAnswer,
  type ServerFacts,
  standstill,
  unfitness,
  weaknesses,
} from './server-facts.ts';

const GOOD: ServerFacts = {
  systemIdentifier: '7710981112500816882',
  databaseOid: 5,
  tableOid: 9,
  timeline: 1,
  version: 150_004,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  hasSynchronousStandby: false,
  logReaders: 0,
  isReadOnly: false,
  keepsSettings: true,
};
const unfitnessOf = (facts: Partial<ServerFacts>) => unfitness({ ...GOOD, ...facts });

test('a server that could lose an acknowledged commit is unfit for money, and the reason is reported', () => {
  assert.equal(unfitnessOf({}), null);
  assert.match(unfitnessOf({ synchronousCommit: 'off' }) ?? '', /synchronous_commit is off/);
  assert.match(unfitnessOf({ fsync: 'off' }) ?? '', /fsync/);
  assert.match(unfitnessOf({ fullPageWrites: 'off' }) ?? '', /full_page_writes/);
  assert.match(unfitnessOf({ version: 140_011 }) ?? '', /PostgreSQL 15/);
});

test('a server that takes no writes, or waits for a standby that is away, stands still', () => {
  const of = (facts: Partial<ServerFacts>) => standstill({ ...GOOD, ...facts });
  assert.equal(of({}), null);
  assert.match(of({ isReadOnly: true }) ?? '', /takes no writes/);
  assert.match(of({ hasSynchronousStandby: true }) ?? '', /none is connected/);
  assert.equal(of({ hasSynchronousStandby: true, logReaders: 1 }), null);
  assert.equal(of({ hasSynchronousStandby: true, synchronousCommit: 'local' }), null);
});

test('synchronous_commit local is enough for one server alone, and not beside a synchronous standby', () => {
  assert.equal(unfitnessOf({ synchronousCommit: 'local' }), null);
  assert.match(unfitnessOf({ synchronousCommit: 'local', hasSynchronousStandby: true }) ?? '', /local/);
  for (const synchronousCommit of ['on', 'remote_apply', 'remote_write']) {
    assert.equal(unfitnessOf({ synchronousCommit, hasSynchronousStandby: true }), null, synchronousCommit);
  }
});

test('a connection whose settings were dropped on the way is unfit, and the pooler is named', () => {
  assert.match(unfitnessOf({ keepsSettings: false }) ?? '', /PgBouncer/);
});

test('only what waits for a synchronous standby is on it', () => {
  assert.equal(isReplicatedBeforeAnswer(GOOD), false);
  assert.equal(isReplicatedBeforeAnswer({ ...GOOD, hasSynchronousStandby: true }), true);
  assert.equal(
    isReplicatedBeforeAnswer({ ...GOOD, hasSynchronousStandby: true, synchronousCommit: 'local' }),
    false,
  );
});

test('production is warned of replication that waits for nobody, and whoever it is of a server without a name', () => {
  assert.deepEqual(weaknesses(GOOD, true), []);
  assert.match(weaknesses({ ...GOOD, logReaders: 1 }, true).join(), /without a synchronous standby/);
  assert.deepEqual(weaknesses({ ...GOOD, logReaders: 1 }, false), []);
  assert.deepEqual(weaknesses({ ...GOOD, logReaders: 1, hasSynchronousStandby: true }, true), []);
  assert.match(weaknesses({ ...GOOD, systemIdentifier: null }, false).join(), /does not say who it is/);
});
