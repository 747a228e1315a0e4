import { ALL_MERCHANTS, type FeeVersion } from '../../transactions/fees/fee-version.ts';
import { FEES } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import { type FeesFound, feePage } from './fee-view.ts';

export type FeeTools = {
  /** Of an owner, or of all with null: those that begin last first, up to one more than are listed. */
  readonly listFees: (owner: string | null) => Promise<readonly FeeVersion[]>;
};

export const FEE_SCREENS: readonly Screen<FeeTools>[] = [
  screen<FeeTools, FeesFound>({
    path: FEES,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Fees',
    place: 6,
    async read({ query: { merchant = null } }, { listFees }) {
      return {
        ofAll: await listFees(ALL_MERCHANTS),
        ofMerchant: merchant === null ? null : { merchantId: merchant, versions: await listFees(merchant) },
        newest: await listFees(merchant),
      };
    },
    view: feePage,
  }),
];
