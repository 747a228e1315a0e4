import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { isUuid } from '../values/ids.ts';
import { idSpan, idStem, idUnder, isOfBody } from './idempotency-key.ts';

const digest = (text: string) => hash('sha256', text, 'buffer');
const CHANCE = Buffer.from('0a1b2c3d', 'hex');

test('an id is a UUID of version 8, in the span of its key', () => {
  for (let at = 0; at < 200; at += 1) {
    const stem = idStem(digest(`key ${at}`), digest('body'));
    const id = idUnder(stem, CHANCE);
    assert.ok(isUuid(id) && id.charAt(14) === '8' && '89ab'.includes(id.charAt(19)), id);
    const { first, last } = idSpan(stem);
    assert.ok(isUuid(first) && isUuid(last) && first <= id && id <= last);
  }
});

test('another body has the same span, and is told apart; another key has another span', () => {
  const stem = idStem(digest('key'), digest('body'));
  const ofOther = idStem(digest('key'), digest('other body'));
  assert.deepEqual(idSpan(stem), idSpan(ofOther));
  assert.ok(isOfBody(idUnder(stem, CHANCE).toUpperCase(), stem));
  assert.equal(isOfBody(idUnder(ofOther, CHANCE), stem), false);
  assert.notDeepEqual(idSpan(idStem(digest('other key'), digest('body'))), idSpan(stem));
});
