import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { againOf, type EarlierForm, endOf, keptRefusal, type SentForm } from './sent-form.ts';

const bytes = (filler: number) => Buffer.alloc(32, filler);
const sent: SentForm = { onceKey: randomUUID(), userId: 'u', pathHash: bytes(1), fieldsHash: bytes(2) };
const earlier: EarlierForm = { ...sent, outcome: null, refusal: null };
const refusal = { status: 404, errors: [{ tag: 'x', description: 'no' }] };

test('a key that was sent before says what became of it, and never does anything again', () => {
  assert.equal(againOf(sent, earlier), 'unknown');
  assert.equal(againOf({ ...sent, fieldsHash: bytes(3) }, earlier), 'changed');
  assert.equal(againOf(sent, { ...earlier, outcome: 'done' }), 'done');
  assert.equal(againOf({ ...sent, fieldsHash: bytes(3) }, { ...earlier, outcome: 'done' }), 'done');
  assert.deepEqual(againOf(sent, { ...earlier, outcome: 'refused', refusal }), refusal);
  assert.equal(againOf({ ...sent, pathHash: bytes(3) }, { ...earlier, outcome: 'done' }), 'strange');
  assert.equal(againOf({ ...sent, userId: 'v' }, { ...earlier, outcome: 'refused', refusal }), 'strange');
});

test('a plain refusal stands, a passing one frees the key, and of an unknown outcome nothing is said', () => {
  const ended = (status: number, tag = '') =>
    endOf({ ok: false, status, errors: [{ tag, description: '' }] });
  assert.equal(endOf({ ok: true, status: 200, body: null }), 'done');
  assert.equal(ended(400), 'refused');
  assert.equal(ended(409), 'refused');
  assert.equal(ended(409, 'idempotencyKey'), null);
  for (const status of [500, 504]) assert.equal(ended(status), null);
  assert.equal(ended(422, 'idempotencyKey'), null);
  for (const status of [429, 503]) assert.equal(ended(status), 'free');
  for (const status of [400, 404, 409, 422, 429, 500, 503, 504])
    for (const isReplayed of [false, true]) {
      const again = endOf({ ok: false, status, errors: [], isReplayed }, true);
      assert.equal(again, isReplayed && status < 423 ? 'refused' : null, `${status} ${isReplayed}`);
    }
});

test('a refusal is kept as far as it fits, whatever it says', () => {
  for (const odd of ['á', '\u0001', '😀', '"', '\ud800', 'a\0']) {
    const error = { tag: odd.repeat(500), description: `a${odd.repeat(500)}` };
    const kept = keptRefusal({ status: 409, errors: Array.from({ length: 30 }, () => error) });
    const text = JSON.stringify(kept);
    assert.ok(Buffer.byteLength(text) < 16_000 && kept.errors.length > 0, odd);
    assert.doesNotMatch(text, /\\u0000|\\ud8/);
  }
  const short = { status: 400, errors: [{ tag: 'name', description: 'Um nome' }] };
  assert.deepEqual(keptRefusal(short), short);
});
