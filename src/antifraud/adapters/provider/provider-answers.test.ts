import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Sale, VERDICTS } from '../../anti-fraud.ts';
import { ProviderSilent } from './ask-provider.ts';
import { readDecision } from './provider-answers.ts';
import { RoutedDecider } from './routed-decider.ts';

const ID = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';

function read(change: object, status = 200) {
  return readDecision({ status, body: { transactionId: ID, verdict: 'review', ...change } }, ID);
}

test('a verdict is read with its reasons and its score, and what accepts needs none', () => {
  assert.deepEqual(read({}), { verdict: 'review', reasons: [] });
  assert.deepEqual(read({ verdict: 'reject', score: 950, reasons: ['known-fraud', 'ip.v4_range'] }), {
    verdict: 'reject',
    reasons: ['provider/known-fraud', 'provider/ip.v4_range', 'provider/score-950'],
  });
  assert.deepEqual(read({ verdict: 'accept', score: 0, reasons: ['old-customer'], more: true }), {
    verdict: 'accept',
    reasons: [],
  });
});

test('what is not clear is no decision', () => {
  for (const change of [
    { transactionId: 'another' },
    { transactionId: null },
    { verdict: 'deny' },
    { verdict: 'ACCEPT' },
    { verdict: ['accept'] },
    { score: 1_001 },
    { score: -1 },
    { score: 0.5 },
    { score: '950' },
    { reasons: 'known-fraud' },
    { reasons: ['Known fraud'] },
    { reasons: ['a,b'] },
    { reasons: ['provider/rule'] },
    { reasons: ['x'.repeat(41)] },
    { reasons: ['cpf-52998224725'] },
    { reasons: Array.from({ length: 11 }, () => 'a') },
  ])
    assert.equal(typeof read(change), 'string', JSON.stringify(change));
  for (const status of [201, 204, 302, 400, 401, 403, 409, 429, 500, 503])
    assert.equal(typeof read({ verdict: 'accept' }, status), 'string', `${status}`);
});

test('whatever comes, it is a decision of the closed set or a sentence that repeats nothing of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      const given = readDecision({ status: 200, body }, ID);
      if (typeof given === 'string') assert.ok(given.length < 80);
      else assert.ok(VERDICTS.includes(given.verdict));
    }),
  );
});

test('a provider that was not asked for our own limit is not noted as silent', async () => {
  const noted: string[] = [];
  for (const error of [
    new ProviderSilent('too many', 'full'),
    new ProviderSilent('late'),
    new Error('odd'),
  ]) {
    const decide = () => Promise.reject(error);
    const providers = { of: () => ({ decide }), choose: () => 'default' };
    const routed = new RoutedDecider(providers, 1_000, (_name, { kind }) => void noted.push(kind));
    const sale = { merchantId: ID, transactionId: ID, card: {} } as Sale;
    await assert.rejects(routed.decide(sale, AbortSignal.timeout(1_000)), error);
  }
  assert.deepEqual(noted, ['full', 'silent', 'silent']);
});
