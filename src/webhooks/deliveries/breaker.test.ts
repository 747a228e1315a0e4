import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { instant } from '../../values/instant.ts';
import { type Health, healthAfter, isFailing, isGone, isTripped, UNPROCESSED } from './breaker.ts';
import type { EndpointResponse } from './delivery-outcome.ts';

const START = Date.UTC(2026, 10, 21, 13);
const anyResponse = fc.constantFrom<EndpointResponse>('taken', 'refused', 'gone', 'failed', 'unsent');
const anyTries = fc.array(fc.tuple(anyResponse, fc.integer({ min: 0, max: 120 })), { maxLength: 60 });

function healthOf(tries: readonly (readonly [EndpointResponse, number])[]): { health: Health; end: number } {
  let end = START;
  let health = UNPROCESSED;
  for (const [response, seconds] of tries) {
    end += seconds * 1_000;
    health = healthAfter(health, response, instant(end));
  }
  return { health, end };
}

test('ten failures in a row open the breaker, however far apart; nine do not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 100_000 }), (seconds) => {
      const failures = (count: number) => Array.from({ length: count }, () => ['failed', seconds] as const);
      assert.equal(isTripped(healthOf(failures(9)).health), false);
      assert.equal(isTripped(healthOf(failures(10)).health), true);
      assert.equal(isTripped(healthOf([...failures(9), ['taken', 1], ['failed', seconds]]).health), false);
    }),
  );
});

test('seven of ten of at least ten tries in five minutes open the breaker', () => {
  const mixed = (failures: number, successes: number) => {
    const tries: (readonly [EndpointResponse, number])[] = Array.from({ length: successes }, () => [
      'taken',
      1,
    ]);
    return healthOf([...tries, ...Array.from({ length: failures }, () => ['failed', 1] as const)]).health;
  };
  assert.equal(isTripped(mixed(7, 3)), true);
  assert.equal(isTripped(mixed(7, 4)), false);
  assert.equal(isTripped(mixed(6, 2)), false, 'of fewer than ten');
});

test('what a target refuses, or what we could not send, never opens the breaker', () => {
  const harmless = fc.constantFrom<EndpointResponse>('taken', 'refused', 'gone', 'unsent');
  fc.assert(
    fc.property(fc.array(fc.tuple(harmless, fc.integer({ min: 0, max: 60 }))), (tries) => {
      const { health } = healthOf(tries);
      assert.equal(isTripped(health), false);
      assert.equal(isFailing(health), false);
    }),
  );
});

test('the counts agree with the tries reported one by one, and are bounded', () => {
  fc.assert(
    fc.property(anyTries, (tries) => {
      const { health, end } = healthOf(tries);
      const sent = tries.filter(([response]) => response !== 'unsent').map(([response]) => response);
      const inRow = (wanted: EndpointResponse) =>
        [...sent].reverse().findIndex((response) => response !== wanted);
      const runOf = (wanted: EndpointResponse) => (inRow(wanted) === -1 ? sent.length : inRow(wanted));
      assert.equal(health.failuresInRow, runOf('failed'));
      assert.equal(health.goneInRow, runOf('gone'));
      assert.equal(isGone(health), runOf('gone') >= 3);
      assert.ok(health.minutes.length <= 5);
      for (const { minute, tries: count, failures } of health.minutes) {
        assert.ok(minute * 60_000 <= end && failures <= count);
      }
    }),
  );
});
