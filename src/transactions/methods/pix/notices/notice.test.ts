import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNotice, readNoticePath } from './notice.ts';

test('an address names the bank, and what is told there; the bare one tells of Pix', () => {
  assert.deepEqual(readNoticePath('/itau/pix'), { bank: 'itau', kind: 'pix' });
  assert.deepEqual(readNoticePath('/itau/cobr?x=1'), { bank: 'itau', kind: 'cobr' });
  assert.deepEqual(readNoticePath('/itau/'), { bank: 'itau', kind: 'pix' });
  for (const url of ['/', '', '/itau/pix/more', '/itau/boleto', '/../pix', '/ITAU/pix', `/${'a'.repeat(41)}`])
    assert.equal(readNoticePath(url), null, url);
});

test('of a notice only ids are taken, each once, and only so many', () => {
  const endToEndId = 'E'.padEnd(32, '0');
  const pix = [{ endToEndId, valor: '1.00' }, { endToEndId }, { endToEndId: "'; drop" }, null, 7];
  assert.deepEqual(readNotice(JSON.stringify({ pix })), {
    endToEndIds: [endToEndId],
    recIds: [],
    txids: [],
    hasReturns: false,
  });
  const many = Array.from({ length: 2_000 }, (_, at) => ({ txid: String(at).padStart(30, '0') }));
  assert.equal(readNotice(JSON.stringify({ cobsr: many }))?.txids.length, 500);
  assert.deepEqual(readNotice('{"evento":"teste"}'), {
    endToEndIds: [],
    recIds: [],
    txids: [],
    hasReturns: false,
  });
});

test('garbage is no notice', () => {
  for (const text of ['{"pix":[{"endToEndId"', 'null', '"x"', '<xml/>'])
    assert.equal(readNotice(text), null, text);
  assert.notEqual(readNotice(''), null, 'an empty one tells that something changed');
});
