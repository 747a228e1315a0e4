import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unusable } from '../../../platform/channels/unclear.ts';
import type { FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import { behindLook } from './void-answers.ts';

const SILENT = { kind: 'unknown', reason: 'no answer came' } as const;
const UNDECIDED = unusable('Cielo has not decided yet');
const NOT_THERE: FoundCharge = { kind: 'notFound' };

test('a void says of its acquirer what it sent, and else no more than the look-up before it', () => {
  const isLook = (found: FoundCharge, voided: VoidAnswer) => behindLook(found, voided).isLook;
  assert.equal(isLook(NOT_THERE, { kind: 'voided', charges: 1 }), false);
  assert.equal(isLook(NOT_THERE, { kind: 'voided', charges: 0 }), true);
  assert.equal(isLook(NOT_THERE, { kind: 'notFound', reason: 'nothing is there' }), true);
  assert.equal(isLook(UNDECIDED, UNDECIDED), true);
  assert.equal(isLook(NOT_THERE, UNDECIDED), false);
});

test('a void that is silent behind an answered look-up is silent in part', () => {
  const causeOf = (found: FoundCharge) => {
    const { answer } = behindLook(found, SILENT);
    return answer.kind === 'unknown' ? answer.cause : null;
  };
  assert.equal(causeOf(NOT_THERE), 'partly');
  assert.equal(causeOf(UNDECIDED), 'partly');
  assert.equal(causeOf(SILENT), undefined);
});
