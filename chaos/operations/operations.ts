import type { Chance } from '../chance.ts';
import { CANCELS } from './cancels.ts';
import { CAPTURES } from './captures.ts';
import { CHANGES } from './changes.ts';
import { KEYS } from './keys.ts';
import type { Operation } from './operation.ts';
import { PAYMENTS } from './payments.ts';
import { SPLITS } from './splits.ts';
import { VAULT } from './vault.ts';

/** Everything that merchants do in the suite of payments; the first is the plainest. */
export const OPERATIONS: readonly Operation[] = [
  ...PAYMENTS,
  ...CANCELS,
  ...CAPTURES,
  ...CHANGES,
  ...SPLITS,
  ...VAULT,
  ...KEYS,
];

/** Draws one of these operations by weight. */
export function drawOperation(operations: readonly Operation[], chance: Chance): Operation {
  let left = chance.next() * operations.reduce((sum, operation) => sum + operation.weight, 0);
  for (const operation of operations) {
    left -= operation.weight;
    if (left < 0) return operation;
  }
  return operations[0] as Operation;
}
