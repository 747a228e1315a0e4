import type { Plant } from './plant.ts';

const SHARES = 'src/platform/work/fair-share.ts';

/** Mistakes in what keeps one merchant or stranger from taking the service from the others. */
export const CROWD_PLANTS: readonly Plant[] = [
  {
    name: 'one merchant may have all connections to the acquirer',
    fast: 'src/platform/work/fair-share.test.ts',
    suite: 'crowd',
    edits: [
      {
        file: SHARES,
        find: 'return ofBoth < KIND_FACTOR * (free - ofMerchant) && ofBoth < KIND_FACTOR * free - ofKind;',
        put: 'return free > 0 || ofBoth + ofKind + ofMerchant + KIND_FACTOR < 0;',
      },
    ],
    kinds: 'slowPayments',
    // The places of a merchant must be more than the connections to the acquirer.
    size: 0.4,
    kills: 1,
  },
  {
    name: 'one merchant may take all slots and all places to wait',
    fast: 'src/platform/work/fair-share.test.ts',
    suite: 'crowd',
    edits: [
      {
        file: SHARES,
        find: 'return ofMerchant < slots - inAll;',
        put: 'return inAll < slots || ofMerchant < 0;',
      },
    ],
    kinds: 'secrets',
    // Its callers must be more than the places to wait for a secret.
    size: 0.6,
    kills: 1,
  },
  {
    name: 'one address may have any number of connections',
    fast: 'src/app/config.test.ts',
    suite: 'crowd',
    edits: [
      {
        file: 'src/app/settings.ts',
        find: "PARCELA_CONNECTIONS_PER_ADDRESS: [\n    '1000',",
        put: "PARCELA_CONNECTIONS_PER_ADDRESS: [\n    '100000',",
      },
    ],
    kinds: 'idle',
    kills: 1,
  },
];
