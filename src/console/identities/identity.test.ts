import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptCookie, attemptOf, attemptOfCookie, claimedName, identityOf } from './identity.ts';

test('a name is believed where the provider has proven it, in one spelling', () => {
  assert.equal(claimedName({ email: 'Ana@Loja.Example', email_verified: true }, 'email'), 'ana@loja.example');
  for (const proof of [false, 'true', 1, undefined])
    assert.equal(claimedName({ email: 'ana@loja.example', email_verified: proof }, 'email'), null);
  assert.equal(claimedName({ preferred_username: 'ana' }, 'preferred_username'), 'ana');
  assert.equal(claimedName({ email: 'ana@loja.example', email_verified: true }, 'preferred_username'), null);
  for (const odd of ['', 'ana maria', 'ana\0', 'á@x', 'a'.repeat(61), ['ana'], 7, '\u212aai', '\u0130da'])
    assert.equal(claimedName({ preferred_username: odd }, 'preferred_username'), null);
});

test('an identity is an issuer and a subject that can be kept and compared', () => {
  assert.deepEqual(identityOf({ iss: 'https://id.example', sub: 'a-1' }), {
    issuer: 'https://id.example',
    subject: 'a-1',
  });
  for (const sub of ['', 'a'.repeat(256), 'a\0', 'a\ud800', 7, undefined])
    assert.equal(identityOf({ iss: 'https://id.example', sub }), null);
});

test('state, nonce and verifier follow from the secret, and differ', () => {
  const attempt = attemptOf('1.secret', '/console/audit?action=a&b=%20');
  const other = attemptOf('1.secreu', attempt.next);
  const all = [attempt, other].flatMap(({ state, nonce, verifier }) => [state, nonce, verifier]);
  assert.equal(new Set(all).size, 6);
  for (const one of all) assert.match(one, /^[\w-]{43}$/);
});

test('the cookie gives back what was begun, for this host alone', () => {
  const attempt = attemptOf('1.secret', '/console/audit?action=a&b=%20');
  for (const isSecure of [true, false]) {
    const set = attemptCookie(attempt, isSecure);
    const [sent = ''] = set.split(';');
    assert.deepEqual(attemptOfCookie(sent, isSecure), attempt);
    assert.equal(
      attemptOfCookie(`${sent}; ${sent}`, isSecure),
      null,
      'of two it cannot be known which is ours',
    );
    assert.equal(attemptOfCookie(sent, !isSecure), null);
    assert.equal(set.includes('; Secure'), isSecure);
  }
  assert.match(
    attemptCookie(attempt, true),
    /^__Host-parcela-oidc=.*; Path=\/; HttpOnly; SameSite=Lax; Max-Age=300; Secure$/,
  );
  assert.match(attemptCookie(null, true), /^__Host-parcela-oidc=; .*Max-Age=0/);
  for (const odd of ['', '~/console', 'a~%', `a~${'b'.repeat(2_001)}`])
    assert.equal(attemptOfCookie(`__Host-parcela-oidc=${odd}`, true), null);
});
