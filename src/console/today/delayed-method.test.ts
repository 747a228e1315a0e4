import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Delay, parseReport } from '../../platform/process-reports/process-report.ts';
import { delayedMethods } from './delayed-method.ts';

const slow = (provider: string, since: number): Delay => ({ provider, since, silentSince: null });
const silent = (provider: string, since: number): Delay => ({
  provider,
  since: since - 5,
  silentSince: since,
});

/** Of cards, each part as a merchant reads it. */
function told(delays: readonly Delay[], first: readonly string[], later: readonly string[] = []): string {
  const times = { since: 0, answeredAt: null, feedAgeSeconds: null, reason: null };
  const seen = { peer: 'acquirer', state: 'answers', awayFor: [], awayProviders: [], ...times } as const;
  const process = { processId: 'p', startedAt: 0, reportedAt: 0, ageSeconds: 1 };
  const report = { ...parseReport('{}'), ...process, peers: [{ ...seen, delays }] };
  const none = { first: ['default'], later: [] };
  return delayedMethods([report], { card: { first, later }, pix: none, boleto: none })
    .map(
      (one) =>
        `${one.isInPart ? 'part of ' : ''}${one.method} ${one.isSilent ? 'silent' : 'slow'} ${one.since}`,
    )
    .join();
}

test('a method is told as slow or silent in whole only if all that its charges may go to are', () => {
  assert.equal(told([], ['rede']), '');
  assert.equal(told([silent('outra', 10)], ['rede']), '', 'no charge of the merchant goes there');
  assert.equal(told([silent('rede', 10)], ['rede']), 'card silent 10', 'slow before');
  assert.equal(told([slow('rede', 10)], ['rede', 'cielo']), 'part of card slow 10');
  assert.equal(told([slow('rede', 20), slow('cielo', 10)], ['rede', 'cielo']), 'card slow 10');
});

test('as more becomes slow, what is silent is told as before', () => {
  assert.equal(told([silent('rede', 20)], ['rede', 'cielo']), 'part of card silent 20');
  assert.equal(told([silent('rede', 20), slow('cielo', 10)], ['rede', 'cielo']), 'part of card silent 20');
  assert.equal(told([silent('rede', 20), silent('cielo', 30)], ['rede', 'cielo']), 'card silent 20');
});

test("what is not made at the first is made at a later one, whose delay alone is nobody's", () => {
  assert.equal(told([silent('rede', 20)], ['rede'], ['default']), 'part of card silent 20');
  assert.equal(
    told([silent('rede', 20), slow('default', 10)], ['rede'], ['default']),
    'part of card silent 20',
  );
  assert.equal(told([silent('rede', 20), silent('default', 10)], ['rede'], ['default']), 'card silent 20');
  assert.equal(told([silent('default', 10)], ['rede'], ['default']), '');
  assert.equal(told([slow('rede', 20), silent('default', 10)], ['rede'], ['default']), 'card slow 20');
});
