import { payUntilAnswered } from '../failover/operations.ts';
import { drawPlainAmount, type Operation } from '../operations/operation.ts';
import { TOLD_OPERATIONS } from '../webhooks/operations.ts';

/** Amounts with which the simulator spoils its answer are left out: here every answer is to be a good one. */
const SPOILED = 'payAndBeNotified';

/** The first is the plainest, and half of all. */
export const SOAK_OPERATIONS: readonly Operation[] = [
  payUntilAnswered(drawPlainAmount),
  ...TOLD_OPERATIONS.filter(({ name }) => name !== SPOILED),
];
