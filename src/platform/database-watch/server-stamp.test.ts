import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerIdentity } from './server-facts.ts';
import { judge, type Memory, type Stamp } from './server-stamp.ts';

const HERE: ServerIdentity = { systemIdentifier: '771', databaseOid: 5, tableOid: 9, timeline: 1 };
const STAMP: Stamp = { ...HERE, token: 'first', doubt: null };
const NEW: Memory = { tokens: new Set(), lastBeat: 0, wasReplicated: null };
const OLD: Memory = { tokens: new Set(['first']), lastBeat: 9, wasReplicated: true };

function verdict(
  memory: Memory,
  identity: Partial<ServerIdentity>,
  {
    stamp = STAMP,
    isLastBeatThere = true,
  }: { stamp?: Partial<Stamp> | null; isLastBeatThere?: boolean } = {},
) {
  return judge(memory, {
    identity: { ...HERE, ...identity },
    stamp: stamp === null ? null : { ...STAMP, ...stamp },
    isLastBeatThere,
  });
}

test('the database that was stamped acts', () => {
  assert.equal(verdict(NEW, {}).kind, 'same');
  assert.equal(verdict(OLD, {}).kind, 'same');
});

test('a database without a stamp gets one from the first start, and not from a process that knew one', () => {
  assert.equal(verdict(NEW, {}, { stamp: null }).kind, 'stamp');
  assert.equal(verdict(OLD, {}, { stamp: null }).kind, 'held');
});

test('another system or another database is a copy, whoever looks', () => {
  for (const memory of [NEW, OLD]) {
    assert.equal(verdict(memory, { systemIdentifier: '772' }).kind, 'held');
    assert.equal(verdict(memory, { databaseOid: 6 }).kind, 'held');
    assert.equal(verdict(memory, { tableOid: 10 }).kind, 'held');
    assert.equal(verdict(memory, { databaseOid: 6, timeline: 2 }).kind, 'held');
  }
});

test('a later timeline is vouched for by a process that lived through it and misses nothing', () => {
  assert.deepEqual(verdict(OLD, { timeline: 2 }), { kind: 'vouch', from: STAMP });
  assert.equal(verdict(OLD, { timeline: 3 }).kind, 'vouch');
});

test('a later timeline holds a process that has just begun: it cannot distinguish a promotion from a restore', () => {
  assert.equal(verdict(NEW, { timeline: 2 }).kind, 'held');
  assert.equal(verdict({ ...NEW, lastBeat: 3 }, { timeline: 2 }).kind, 'held');
});

test('a promotion behind asynchronous replication is held: what was acknowledged last may be missing', () => {
  assert.equal(verdict({ ...OLD, wasReplicated: false }, { timeline: 2 }).kind, 'held');
});

test('an earlier timeline than the stamp is never vouched for', () => {
  assert.equal(verdict(OLD, { timeline: 1 }, { stamp: { timeline: 2 } }).kind, 'held');
});

test('a missing beat holds everybody, also where the stamp fits', () => {
  for (const identity of [{}, { timeline: 2 }, { databaseOid: 6 }]) {
    const missed = verdict(OLD, identity, { isLastBeatThere: false });
    assert.ok(missed.kind === 'held' && missed.isDoubt, JSON.stringify(identity));
  }
  assert.equal(verdict(NEW, {}, { isLastBeatThere: false }).kind, 'same');
});

test('a doubt that another process left holds until the operator accepts', () => {
  assert.deepEqual(verdict(NEW, {}, { stamp: { doubt: 'commits were lost' } }), {
    kind: 'held',
    words: 'commits were lost',
    isDoubt: false,
  });
  assert.equal(verdict(NEW, {}, { stamp: { token: 'second' } }).kind, 'same');
});

test('an acceptance that a process has not seen lets it begin anew; an old one of an earlier state does not', () => {
  const accepted = { stamp: { token: 'second' }, isLastBeatThere: false };
  assert.equal(verdict(OLD, {}, accepted).kind, 'accepted');
  assert.equal(verdict({ ...OLD, tokens: new Set(['first', 'second']) }, {}, accepted).kind, 'held');
});

test('a part that the server kept to itself when it was stamped is not compared; one that it keeps since holds', () => {
  const hidden = { systemIdentifier: null, timeline: null };
  assert.equal(verdict(NEW, hidden, { stamp: hidden }).kind, 'same');
  assert.equal(verdict(NEW, { ...hidden, databaseOid: 6 }, { stamp: hidden }).kind, 'held');
  assert.equal(verdict(NEW, {}, { stamp: hidden }).kind, 'same');
  assert.equal(verdict(NEW, { systemIdentifier: null }).kind, 'held');
  assert.equal(verdict(OLD, { timeline: null }).kind, 'held');
});
