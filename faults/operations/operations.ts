import type { Chance } from '../chance.ts';
import { CANCELS } from './cancels.ts';
import { KEYS } from './keys.ts';
import type { Operation } from './operation.ts';
import { PAYMENTS } from './payments.ts';
import { SPLITS } from './splits.ts';
import { VAULT } from './vault.ts';

/** Everything that the suite's merchants do. */
export const OPERATIONS: readonly Operation[] = [...PAYMENTS, ...CANCELS, ...SPLITS, ...VAULT, ...KEYS];

/** The first of the list: a card token, one installment. */
export const PLAIN_PAYMENT = OPERATIONS[0] as Operation;

const WEIGHTS = OPERATIONS.reduce((sum, operation) => sum + operation.weight, 0);

/** Draws an operation by weight. */
export function drawOperation(chance: Chance): Operation {
  let left = chance.next() * WEIGHTS;
  for (const operation of OPERATIONS) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  return PLAIN_PAYMENT;
}
