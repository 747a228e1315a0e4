import type { Plant } from './plant.ts';

const PORT = 'test/providers/port/port.test.ts';
const REDE = 'src/providers/acquirers/adapters/rede/rede.ts';
const REDE_CODES = 'src/providers/acquirers/adapters/rede/rede-codes.ts';

/** Mistakes at acquirers that know neither tombstones nor cancels, and in routing between them. */
export const ACQUIRER_PLANTS: readonly Plant[] = [
  {
    name: 'a charge of unknown fate goes on to the next acquirer',
    suite: 'acquirers',
    fast: 'test/providers/rede.test.ts',
    edits: [
      {
        file: 'src/transactions/methods/card/charge-somewhere.ts',
        find: "if (charge.kind !== 'notConnected') return { intent, charge };",
        put: "if (charge.kind !== 'notConnected' && charge.kind !== 'unknown') return { intent, charge };",
      },
      {
        file: 'src/transactions/methods/card/next-attempts.sql.ts',
        find: "and state = 'voided' and next_attempt_id is null",
        put: 'and next_attempt_id is null',
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'a time-out that Rede reports counts as not charged',
    suite: 'acquirers',
    fast: PORT,
    edits: [
      { file: REDE_CODES, find: "'56 64 74 106 117 121 122 150 370 899'", put: "'56 64 74 106 899'" },
      { file: REDE_CODES, find: '24 25 26 31 32', put: '24 25 150 26 31 32' },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'a charge that one look-up does not find counts as gone, and nobody looks again',
    suite: 'acquirers',
    fast: 'test/providers/rede.test.ts',
    edits: [
      {
        file: 'src/transactions/transaction.ts',
        find: 'return Math.max(0, horizon - searchedMilliseconds, apart - clearMilliseconds);',
        put: 'return Math.min(0, horizon, apart, searchedMilliseconds, clearMilliseconds);',
      },
      {
        file: 'src/transactions/methods/card/resolve-unresolved-charges.ts',
        find: 'const watch = isWatched ? WATCH_AFTER_HORIZON : undefined;',
        put: 'const watch = isWatched && charge.tries < 0 ? WATCH_AFTER_HORIZON : undefined;',
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'of several payments under one order Cielo is asked about the newest alone',
    suite: 'acquirers',
    fast: PORT,
    edits: [
      {
        file: 'src/providers/acquirers/adapters/cielo/cielo.ts',
        find: 'for (const id of new Set(ids)) {',
        put: 'for (const id of new Set(ids.slice(0, 1))) {',
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'a cancel without an answer is sent again whatever the sums say',
    suite: 'acquirers',
    fast: PORT,
    edits: [
      {
        file: REDE,
        find: "if (step.kind !== 'send') return step;",
        put: "if (history.sinceLastSend === null && step.kind !== 'send') return step;",
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'a capture without an answer counts as done',
    suite: 'acquirers',
    fast: 'src/providers/acquirers/charge-in-two-steps.test.ts',
    edits: [
      {
        file: 'src/providers/acquirers/charge-in-two-steps.ts',
        find: "if (captured.kind === 'captured') return",
        put: "if (captured.kind === 'captured' || captured.kind === 'unknown') return",
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
];
