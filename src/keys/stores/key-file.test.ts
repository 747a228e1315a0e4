import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { keyCheckValue } from '../sealing.ts';
import { isFormerKey, type KeyFile, parseKeyFile, preparedKey, printKeyFile } from './key-file.ts';

function fileOf(count: number, current: number): KeyFile {
  const keys = Array.from({ length: count }, () => {
    const key = randomBytes(32);
    return { keyId: keyCheckValue(key), key, createdAt: '2026-11-21T12:00:00.000Z' };
  });
  return { environment: 'production', currentKeyId: keys[current]?.keyId ?? '', keys };
}

test('a key file is read as it was written', () => {
  const file = fileOf(3, 1);
  assert.deepEqual(parseKeyFile(printKeyFile(file)), file);
});

test('keys before the current one are former, the one after it is prepared', () => {
  const file = fileOf(3, 1);
  const ids = file.keys.map(({ keyId }) => keyId);
  assert.deepEqual(
    ids.map((id) => isFormerKey(file, id)),
    [true, false, false],
  );
  assert.equal(isFormerKey(file, 'unknown'), false);
  assert.equal(preparedKey(file)?.keyId, ids[2]);
  assert.equal(preparedKey(fileOf(2, 1)), undefined);
});

test('the first format, of one key, still opens', () => {
  const key = randomBytes(32);
  const file = parseKeyFile(JSON.stringify({ environment: 'homologation', key: key.toString('base64') }));
  assert.deepEqual(file?.keys, [{ keyId: keyCheckValue(key), key, createdAt: null }]);
  assert.equal(file?.currentKeyId, keyCheckValue(key));
});

test('a file that lost a letter anywhere in a key, an id or its end is damaged', () => {
  const text = printKeyFile(fileOf(2, 1));
  const { current, keys } = JSON.parse(text);
  for (const part of [keys[0].key, keys[1].keyId, current]) {
    const altered = (part[3] === 'a' ? 'b' : 'a') as string;
    const changed = `${part.slice(0, 3)}${altered}${part.slice(4)}`;
    assert.equal(parseKeyFile(text.replace(part, changed)), null, part);
  }
  for (const end of [1, 50, text.length - 5]) assert.equal(parseKeyFile(text.slice(0, end)), null);
  for (const other of ['null', '[]', '{}', '{"environment":"production","version":3}'])
    assert.equal(parseKeyFile(other), null);
});
