import type { Plant } from './plant.ts';

const DENIED = 'test/payments/captures-denied.test.ts';

/** Mistakes in capturing what was authorized before. */
export const CAPTURE_PLANTS: readonly Plant[] = [
  {
    name: 'an unanswered capture counts as refused',
    fast: 'test/payments/captures-unresolved.test.ts',
    edits: [
      {
        file: 'src/transactions/methods/card/capture-transaction.ts',
        find: 'ask: (markSent) => acquirer.capture({ ...question, markSent }, timeout),',
        put: `ask: async (markSent) => {
            const answer = await acquirer.capture({ ...question, markSent }, timeout);
            return answer.kind === 'unknown' ? { kind: 'refused', reason: answer.reason } : answer;
          },`,
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
  {
    name: 'a no counts that is heard behind the claim of another process',
    suite: 'acquirers',
    fast: DENIED,
    edits: [
      {
        file: 'src/transactions/requests/sent-requests.sql.ts',
        find: 'and fence = $3 and state in',
        put: 'and fence >= $3 and state in',
      },
      {
        file: 'src/transactions/methods/card/capture-outcomes.sql.ts',
        find: 'c.fence = coalesce($3, c.fence)',
        put: 'c.fence >= coalesce($3, c.fence)',
      },
      {
        file: 'src/transactions/methods/card/capture-outcomes.sql.ts',
        find: '       and fence = $4',
        put: '       and fence >= $4',
      },
    ],
    kinds: 'pauses',
    kills: 60,
  },
  {
    name: 'a no is believed that is to a repetition of what may still be booked',
    suite: 'acquirers',
    fast: DENIED,
    edits: [
      {
        file: 'src/transactions/requests/ask-once-sent.ts',
        find: 'const isFirst = sinceLastSend === null;',
        put: 'const isFirst = true;',
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
  {
    name: 'what was said no to is sent again',
    suite: 'acquirers',
    fast: DENIED,
    edits: [
      {
        file: 'src/transactions/requests/sent-requests.sql.ts',
        find: `then ends_at end\n   where \${isHeld} and denial is null`,
        put: `then ends_at end\n   where \${isHeld}`,
      },
      {
        file: 'src/transactions/methods/card/resolve-unresolved-captures.ts',
        find: "if (found.kind !== 'notFound' || request.denial !== null) return found;",
        put: "if (found.kind !== 'notFound') return found;",
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
  {
    name: 'a no is believed at once that could not be looked up',
    suite: 'acquirers',
    fast: DENIED,
    edits: [
      {
        file: 'src/transactions/requests/ask-once-sent.ts',
        find: "const isSure = proof !== 'doubtful' && isUnseen !== true;",
        put: "const isSure = proof !== 'doubtful';",
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
  {
    name: 'one look-up is enough to believe a no',
    suite: 'acquirers',
    fast: DENIED,
    edits: [
      {
        file: 'src/transactions/requests/ask-once-sent.ts',
        find: 'const until = late ?? { horizon: 0, apart: 0 };',
        put: 'const until = { horizon: late?.horizon ?? 0, apart: 0 };',
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
];
