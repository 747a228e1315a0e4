import type { Plant } from './plant.ts';

const INTENTS = 'src/transactions/cancels/cancels.sql.ts';
const OUTCOMES = 'src/transactions/cancels/cancel-outcomes.sql.ts';
const CANCEL = 'src/transactions/cancels/cancel-transaction.ts';
const SETTLE = 'src/transactions/cancels/resolve-unresolved-cancels.ts';

/** Mistakes in giving money back and in dividing it. */
export const CANCEL_PLANTS: readonly Plant[] = [
  {
    name: 'two cancels at once may take more than is left',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: INTENTS,
        // As it was before the lock: a select beside it is not looked at again when the lock was waited for.
        find: 'and t.amount - t.canceled_amount >= coalesce(i.amount, 1)',
        put: `and (select s.amount - s.canceled_amount from transactions s where s.merchant_id = i.merchant_id
         and s.transaction_id = i.transaction_id) >= coalesce(i.amount, 1)`,
      },
      {
        file: 'migrations/*.sql',
        find: 'constraint transactions_canceled_amount_check check (canceled_amount between 0 and amount)',
        put: 'constraint transactions_canceled_amount_check check (canceled_amount >= 0)',
      },
    ],
    kinds: 'calm',
    kills: 60,
  },
  {
    name: 'an unanswered cancel is sent under a new id',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: SETTLE,
        find: 'cancellationReference: requestId };',
        put: 'cancellationReference: crypto.randomUUID() };',
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'an unanswered cancel counts as refused',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: CANCEL,
        find: 'ask: (markSent) => acquirer.cancel({ ...question, markSent }, timeout),',
        put: `ask: async (markSent) => {
            const answer = await acquirer.cancel({ ...question, markSent }, timeout);
            return answer.kind === 'unknown' ? { kind: 'refused', reason: answer.reason } : answer;
          },`,
      },
    ],
    kinds: 'answers',
    kills: 40,
  },
  {
    name: 'a refused cancel keeps its amount held',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: 'set canceled_amount = t.canceled_amount - c.amount',
        put: 'set canceled_amount = t.canceled_amount - 0 * c.amount',
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
  {
    name: 'a cancel is asked for before its intent is committed',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: CANCEL,
        find: '  const committed = await tools.writeCancelIntent(',
        put: `  if (wanted.amount !== null)
    await tools.acquirers.of('default').cancel({ merchantId: wanted.merchantId, reference: wanted.transactionId, cancellationReference: cancelId, amount: wanted.amount, requestedAt }, 500);
  const committed = await tools.writeCancelIntent(`,
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
  {
    name: 'a partial cancel leaves the shares alone',
    fast: 'test/payments/split.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: 'set canceled_amount = s.canceled_amount\n       + (',
        put: 'set canceled_amount = s.canceled_amount\n       + 0 * (',
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
  {
    name: 'a part comes off the first installments',
    fast: 'src/transactions/cancels/partial-cancel.test.ts',
    edits: [
      {
        file: 'src/transactions/cancels/partial-cancel.ts',
        find: 'rests.toSorted((one, other) => other.number - one.number)',
        put: 'rests.toSorted((one, other) => one.number - other.number)',
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
  {
    name: 'an installment that is given back gets no movement',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: 'ENDED_PARTS.values(parts.flatMap((part) => endedState(part, rests)))',
        put: 'ENDED_PARTS.values(parts.slice(1).flatMap((part) => endedState(part, rests)))',
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
  {
    name: 'the outcome of a cancel is recorded twice',
    fast: 'test/payments/broken-wires.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: `where c.merchant_id = $1 and c.cancel_id = $2 and c.state in (\${fromStates(CANCEL_MOVES, 'confirm')})`,
        put: 'where c.merchant_id = $1 and c.cancel_id = $2',
      },
      {
        file: OUTCOMES,
        find: `and state in (\${fromStates(CANCEL_MOVES, 'confirm')})`,
        put: '',
      },
    ],
    kinds: 'wires,pauses',
    kills: 60,
  },
  {
    name: 'a no to a cancel counts that is heard behind the claim of another process',
    suite: 'acquirers',
    fast: 'test/payments/captures-denied.test.ts',
    edits: [
      {
        file: 'src/transactions/requests/sent-requests.sql.ts',
        find: 'and fence = $3 and state in',
        put: 'and fence >= $3 and state in',
      },
      {
        file: OUTCOMES,
        find: 'c.fence = coalesce($3, c.fence)',
        put: 'c.fence >= coalesce($3, c.fence)',
      },
      { file: OUTCOMES, find: 'and fence = $4', put: 'and fence >= $4' },
    ],
    kinds: 'pauses',
    kills: 60,
  },
  {
    name: 'a cancel that its acquirer may have accepted unheard is sent again',
    suite: 'acquirers',
    fast: 'test/providers/cielo.test.ts',
    edits: [
      {
        file: 'src/providers/acquirers/sum-cancel.ts',
        find: 'const isSilent = sinceLastSend >= silence;',
        put: 'const isSilent = true;',
      },
    ],
    kinds: 'answers',
    kills: 60,
  },
  {
    name: 'shares are rounded down',
    fast: 'src/values/apportion.test.ts',
    edits: [
      {
        file: 'src/values/apportion.ts',
        find: 'parts[index] = (parts[index] as bigint) + 1n;',
        put: 'parts[index] = (parts[index] as bigint) + 0n;',
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
];
