import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationAnswer, CaptureAnswer } from './acquirer.ts';
import { chargeInTwoSteps } from './charge-in-two-steps.ts';
import { NO_NETWORK_REFERENCE } from './network-reference.ts';

const APPROVAL = { authorizationCode: 'A', nsu: '1', networkReference: NO_NETWORK_REFERENCE, tid: 'T' };

async function charge(answer: AuthorizationAnswer, captured: CaptureAnswer = { kind: 'captured' }) {
  let captures = 0;
  const result = await chargeInTwoSteps(
    async () => answer,
    async () => {
      captures += 1;
      return captured;
    },
    1_000,
  );
  return { result, captures };
}

test('what was authorized is captured, and only then charged', async () => {
  const { result } = await charge({ kind: 'preauthorized', ...APPROVAL });
  assert.deepEqual(result, { kind: 'approved', ...APPROVAL });
});

test('an authorization without an answer is never captured', async () => {
  const answers: AuthorizationAnswer[] = [
    { kind: 'unknown', reason: 'lost' },
    { kind: 'notConnected', reason: 'away' },
    { kind: 'declined', responseCode: '51', adviceCode: null },
  ];
  for (const answer of answers) assert.deepEqual(await charge(answer), { result: answer, captures: 0 });
});

test('a capture that is not done leaves the charge unknown', async () => {
  const reasons: CaptureAnswer[] = [
    { kind: 'unknown', reason: 'lost' },
    { kind: 'notConnected', reason: 'away' },
    { kind: 'refused', reason: 'expired' },
  ];
  for (const captured of reasons)
    assert.equal((await charge({ kind: 'preauthorized', ...APPROVAL }, captured)).result.kind, 'unknown');
});
