import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyCheckValue, openBytes, sealBytes } from './sealing.ts';

const key = randomBytes(32);
const seal = (context: string, plain: Buffer) => sealBytes(key, randomBytes(12), context, plain);

test('what was sealed opens under the same key and context', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, context) => {
      assert.deepEqual(openBytes(key, context, seal(context, Buffer.from(bytes))), Buffer.from(bytes));
    }),
  );
});

test('a sealed value moved to another record does not open', () => {
  const sealed = seal('merchant-a|1', Buffer.from('4111111111111111'));
  assert.throws(() => openBytes(key, 'merchant-b|1', sealed));
  assert.throws(() => openBytes(randomBytes(32), 'merchant-a|1', sealed));
});

test('a single altered bit anywhere closes the value', () => {
  const sealed = seal('record', Buffer.from('4111111111111111'));
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.throws(() => openBytes(key, 'record', altered));
  }
  assert.throws(() => openBytes(key, 'record', sealed.subarray(0, 20)));
});

test('the check value distinguishes keys and holds nothing of the key', () => {
  assert.notEqual(keyCheckValue(key), keyCheckValue(randomBytes(32)));
  assert.equal(keyCheckValue(key).length, 16);
});
