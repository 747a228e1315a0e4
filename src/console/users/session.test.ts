import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieOf, isSameOrigin, tokenOfCookie } from './session.ts';

const TOKEN = `1790000000000.${'a'.repeat(43)}.${'b'.repeat(43)}`;
const ORIGIN = 'https://console.example';

test('over TLS the cookie is bound to the host, and no other name counts', () => {
  assert.equal(cookieOf(TOKEN, true), `__Host-parcela=${TOKEN}; Path=/; HttpOnly; SameSite=Strict; Secure`);
  assert.equal(tokenOfCookie(`x=1; __Host-parcela=${TOKEN}`, true), TOKEN);
  assert.equal(tokenOfCookie(`parcela_homologation=${TOKEN}`, true), null);
  assert.equal(tokenOfCookie(`__Host-parcela=${TOKEN}; __Host-parcela=${TOKEN}`, true), null);
  for (const header of [
    undefined,
    '',
    '__Host-parcela=',
    '__Host-parcela=short',
    `__Host-parcela=${'a'.repeat(43)}`,
    `__Host-parcela=${TOKEN}x`,
  ])
    assert.equal(tokenOfCookie(header, true), null);
});

test('a form is believed when the browser says that it is of this origin, and nothing speaks against it', () => {
  const cases: [Record<string, string>, boolean][] = [
    [{ origin: ORIGIN }, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: ORIGIN, 'sec-fetch-site': 'same-origin' }, true],
    [{}, false],
    [{ origin: 'null' }, false],
    [{ origin: `${ORIGIN}.evil.example` }, false],
    [{ origin: ORIGIN, 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
  ];
  for (const [headers, expected] of cases)
    assert.equal(isSameOrigin({ headers, origin: ORIGIN }), expected, JSON.stringify(headers));
});
