import type { Plant } from './plant.ts';

/** Mistakes in capturing what was authorized before. */
export const CAPTURE_PLANTS: readonly Plant[] = [
  {
    name: 'an unanswered capture counts as refused',
    fast: 'test/payments/captures-unresolved.test.ts',
    edits: [
      {
        file: 'src/transactions/methods/card/capture-transaction.ts',
        find: "return answer.kind === 'denied' ? {",
        put: "return answer.kind === 'denied' || answer.kind === 'unknown' ? {",
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'a capture and a cancel of one payment may both begin',
    fast: 'test/payments/captures.test.ts',
    edits: [
      {
        file: 'src/transactions/methods/card/releases.sql.ts',
        find: `where t.state in (\${fromStates(TRANSACTION_MOVES, 'release')})`,
        put: "where t.state in ('preauthorized', 'capturing')",
      },
    ],
    kinds: 'calm',
    kills: 60,
  },
];
