import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPassword, hashPassword } from './check-password.ts';
import { createPassword } from './create-credential.ts';
import { isSameComputation, parsePasswordHash, passwordHashText } from './password-hash.ts';

test('a hash is kept with its parameters and comes back as it was', async () => {
  const text = await hashPassword('segredo');
  assert.match(text, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(passwordHashText(parsePasswordHash(text)), text);
  assert.throws(() => parsePasswordHash('$2b$10$abcdefghijklmnopqrstuv'), /not an argon2id hash/);
});

test('the whole password counts: 72 bytes of it, a trailing space and capital letters make another', async () => {
  const password = `${'ção𝒜 '.repeat(51)} `;
  assert.equal([...password].length, 256);
  const hash = await hashPassword(password);
  assert.equal(await checkPassword(password, [hash]), hash);
  const inBytes = Buffer.from(password).subarray(0, 72).toString();
  for (const other of [inBytes, password.trimEnd(), `${password} `, password.toUpperCase()]) {
    assert.equal(await checkPassword(other, [hash]), null);
  }
});

test('the same password has another hash at every credential', async () => {
  assert.notEqual(await hashPassword('segredo'), await hashPassword('segredo'));
});

test('beside the hash of the password before, one computation answers for both', async () => {
  const before = await hashPassword('antes');
  const after = await hashPassword('depois', before);
  assert.equal(isSameComputation(parsePasswordHash(before), parsePasswordHash(after)), true);
  assert.equal(await checkPassword('antes', [after, before]), before);
  assert.equal(await checkPassword('depois', [after, before]), after);
  assert.equal(await checkPassword('nunca', [after, before]), null);
});

test('with no hash at all nothing fits', async () => {
  assert.equal(await checkPassword('', []), null);
});

test('a made password is long, clear to read, and never the same', () => {
  const made = Array.from({ length: 200 }, createPassword);
  for (const password of made) assert.match(password, /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[^0O1lIiLo]{32}$/);
  assert.equal(new Set(made).size, made.length);
});
