import type { BankPoint } from './bench.ts';
import { CHANGE_POINTS } from './change-points.ts';
import { REGISTRATION_POINTS } from './registration-points.ts';

/** What every bridge to a bank must do, in the order of docs/bank-protocol.md. */
export const BANK_POINTS: readonly BankPoint[] = [...REGISTRATION_POINTS, ...CHANGE_POINTS];
