import type { AcquirerPoint } from './bench.ts';
import { CANCELLATION_POINTS } from './cancellation-points.ts';
import { CAPTURE_POINTS } from './capture-points.ts';
import { CHANGE_POINTS } from './change-points.ts';
import { CHARGE_POINTS } from './charge-points.ts';
import { ERROR_POINTS } from './error-points.ts';
import { LIST_POINTS } from './list-points.ts';
import { UNDO_POINTS } from './undo-points.ts';
import { VERIFICATION_POINTS } from './verification-points.ts';
import { VERSION_2_POINTS } from './version-2-points.ts';

/** What every bridge must do, in the order of docs/acquirer-protocol.md. */
export const POINTS: readonly AcquirerPoint[] = [
  ...CHARGE_POINTS,
  ...UNDO_POINTS,
  ...CANCELLATION_POINTS,
  ...CHANGE_POINTS,
  ...VERIFICATION_POINTS,
  ...CAPTURE_POINTS,
  ...ERROR_POINTS,
  ...VERSION_2_POINTS,
  ...LIST_POINTS,
];
