import type { FeeVersion } from '../../transactions/fees/fee-version.ts';
import { html } from '../parts/html.ts';
import { ALL_ROLES, mayUse, type Screen, screen } from '../parts/screen.ts';
import { feeTable, MAY_CHANGE_FEES, newFeeVersion } from './fee-view.ts';

export type FeeTools = {
  /** Those that begin last first, up to a bound. */
  readonly listFees: () => Promise<readonly FeeVersion[]>;
};

export const FEE_SCREENS: readonly Screen<FeeTools>[] = [
  screen<FeeTools, readonly FeeVersion[]>({
    path: '/fees',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Fees',
    place: 6,
    read: (_visit, { listFees }) => listFees(),
    view: (versions, visit) =>
      html`${mayUse(MAY_CHANGE_FEES, visit.user) && newFeeVersion(visit)}${feeTable(versions, visit)}`,
  }),
];
