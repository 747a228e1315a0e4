import { ABOUT_POINTS } from './about-points.ts';
import type { AcquirerPoint } from './bench.ts';
import { CANCELLATION_POINTS } from './cancellation-points.ts';
import { CAPTURE_POINTS } from './capture-points.ts';
import { CHANGE_POINTS } from './change-points.ts';
import { CHARGE_POINTS } from './charge-points.ts';
import { ERROR_POINTS } from './error-points.ts';
import { LIST_POINTS } from './list-points.ts';
import { UNDO_POINTS } from './undo-points.ts';
import { VERIFICATION_POINTS } from './verification-points.ts';

/** What every bridge must do, in the order of docs/acquirer-protocol.md. */
export const POINTS: readonly AcquirerPoint[] = [
  ...ABOUT_POINTS,
  ...CHARGE_POINTS,
  ...UNDO_POINTS,
  ...CANCELLATION_POINTS,
  ...CHANGE_POINTS,
  ...VERIFICATION_POINTS,
  ...CAPTURE_POINTS,
  ...LIST_POINTS,
  ...ERROR_POINTS,
];
