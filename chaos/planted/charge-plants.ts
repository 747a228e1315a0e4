import type { Plant } from './plant.ts';

const CHARGE = 'src/transactions/methods/card/charge-card.ts';
const INTENTS = 'src/transactions/methods/card/intents.sql.ts';
const OUTCOMES = 'src/transactions/methods/card/outcomes.sql.ts';
const APPROVALS = 'src/transactions/methods/card/approvals.sql.ts';
const SETTLE = 'src/transactions/methods/card/resolve-unresolved-charges.ts';
const SETTLEMENTS = 'src/transactions/methods/card/resolutions.sql.ts';

/** Mistakes in charging and settling. */
export const CHARGE_PLANTS: readonly Plant[] = [
  {
    name: 'the claim on a cardSource loses its unique key',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: 'migrations/*.sql',
        find: 'primary key (merchant_id, source_hash)\n',
        put: 'primary key (merchant_id, source_hash, transaction_id)\n',
      },
    ],
    kinds: 'calm',
    kills: 30,
  },
  {
    name: 'the card is charged before the intent is committed',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: CHARGE,
        find: '  const committed = await tools.writeIntent(',
        put: '  const early = tools.acquirers.of(intent.acquirer);\n  await early.authorize(authorizationRequest(intent, card, later, early.traits), 500);\n  const committed = await tools.writeIntent(',
      },
    ],
    kinds: 'steps',
    kills: 40,
  },
  {
    name: 'the caller is answered before the outcome is committed',
    fast: 'test/payments/broken-wires.test.ts',
    edits: [
      {
        file: CHARGE,
        find: 'const { isRecorded } = await tools.writeOutcome(row, deadlineAt);',
        put: 'const isRecorded = true;\n    void tools.writeOutcome(row, deadlineAt).catch(() => {});',
      },
    ],
    kinds: 'steps',
    kills: 60,
  },
  {
    name: 'an unknown authorization is sent again under another reference',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: CHARGE,
        find: ': await acquirer.authorize(authorizationRequest(intent, card, later, acquirer.traits), timeout);',
        put: `: await acquirer.authorize(authorizationRequest(intent, card, later, acquirer.traits), timeout).then((first) =>
          first.kind === 'unknown'
            ? acquirer.authorize({ ...authorizationRequest(intent, card, later, acquirer.traits), reference: crypto.randomUUID() }, timeout)
            : first,
        );`,
      },
    ],
    kinds: 'answers',
    kills: 12,
  },
  {
    name: 'an unknown authorization is recorded as a decline',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: CHARGE,
        find: "return { ...row, state: 'unresolved', unknownReason: answer.reason };",
        put: "return { ...row, state: 'declined', responseCode: '99' };",
      },
    ],
    kinds: 'answers',
    kills: 12,
  },
  {
    name: 'an undo that was refused counts as done',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: SETTLE,
        find: "  if (voided.kind === 'declined') return 'declined while it was being voided';\n  return unlessPromised(charge, voided);\n",
        put: "  return { state: 'voided' };\n",
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: '"not found" counts as proof that nothing was charged',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: SETTLE,
        find: '  // Approved, not found or unclear: the void is right for all three.\n',
        put: "  if (found.kind === 'notFound') return { state: 'voided' };\n",
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'the outcome is written whatever the state and the fence are',
    fast: 'test/antifraud/claims.test.ts',
    edits: [
      { file: OUTCOMES, find: 'where t.state = i.expected_state and t.fence = i.fence', put: 'where true' },
    ],
    kinds: 'pauses',
    kills: 12,
  },
  {
    name: 'a plain approval is written whatever the fence is',
    fast: 'test/antifraud/claims.test.ts',
    edits: [{ file: APPROVALS, find: ' and t.fence = i.fence and', put: ' and' }],
    kinds: 'pauses',
    kills: 12,
  },
  {
    name: 'charges are taken from living processes before their lease ends',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: SETTLEMENTS,
        find: 'where due_at <= now() and state in',
        put: 'where due_at is not null and state in',
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'the results of a batch are matched by position',
    fast: 'test/antifraud/claims.test.ts',
    edits: [
      {
        file: INTENTS,
        find: `rows.map(({ transactionId }): [string, IntentResult | typeof NOT_WRITTEN] => {
          const fate = fates.get(transactionId);
          const isThere = fate?.isWritten === true || present.has(transactionId);`,
        put: `rows.map(({ transactionId }, index): [string, IntentResult | typeof NOT_WRITTEN] => {
          const fate = fates.get(transactionId);
          const written = [...fates.values()].filter(({ isWritten }) => isWritten);
          const isThere = index < written.length + present.size;`,
      },
    ],
    kinds: 'calm',
    kills: 60,
  },
  {
    name: 'a lost commit is taken for one that was carried out',
    fast: 'test/payments/broken-wires.test.ts',
    edits: [
      {
        file: APPROVALS,
        find: 'await database.query(COMMIT_APPROVALS, values))',
        put: 'await database.query(COMMIT_APPROVALS, values).catch(() => rows.map(({ transactionId }) => ({ transaction_id: transactionId }))))',
      },
    ],
    kinds: 'wires',
    kills: 40,
  },
  {
    name: 'a cardSource is given back by an approval too',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: "from locked where state = 'declined'",
        put: "from locked where state in ('approved', 'declined')",
      },
    ],
    kinds: 'calm',
    kills: 30,
  },
  {
    name: 'a cardSource is not given back by an undo',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: SETTLEMENTS,
        find: "state = 'declined' as is_declined, card_brand, response_code from changed",
        put: "state = 'declined' as is_declined, card_brand, response_code from changed where false",
      },
    ],
    kinds: 'calm',
    kills: 30,
  },
  {
    name: 'a charge whose commit is in doubt is voided at once',
    fast: 'test/payments/broken-wires.test.ts',
    edits: [
      {
        file: CHARGE,
        find: '    return wasNotWritten(error) ?',
        put: '    await tools.acquirers.of(intent.acquirer).voidCharge(intent.merchantId, intent.transactionId, 1_000);\n    return wasNotWritten(error) ?',
      },
    ],
    kinds: 'wires',
    kills: 40,
  },
  {
    name: 'a caller whose commit is in doubt is told of an error',
    fast: null,
    slowBecause: 'the door cuts the connection at the same deadline',
    edits: [
      {
        file: 'src/payments/endpoints.ts',
        find: "    case 'unrecorded':\n      return CUT_CONNECTION;",
        put: "    case 'unrecorded':\n      return refusalAnswer(FAILURES.unknownFailure, language);",
      },
    ],
    kinds: 'wires',
    kills: 40,
  },
  {
    name: 'only the first installment of an approval that tells nobody gets its movement',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: APPROVALS,
        find: '     join changed c using (transaction_id)\n   ), divided',
        put: '     join changed c using (transaction_id) where p.installment_number = 1\n   ), divided',
      },
    ],
    kinds: 'calm',
    kills: 30,
  },
  {
    name: 'only the first installment gets its movement',
    fast: 'test/payments/payments.test.ts',
    edits: [
      {
        file: OUTCOMES,
        find: '     join locked l using (transaction_id)\n     returning *',
        put: '     join locked l using (transaction_id) where p.installment_number = 1\n     returning *',
      },
    ],
    kinds: 'calm',
    kills: 30,
  },
  {
    name: 'a card is authorized after its settling, which laid no tombstone',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: CHARGE,
        find: 'return timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS || now + timeout >= leaseEndsAt ? null : timeout;',
        put: 'return tools.acquirerTimeoutMilliseconds;',
      },
      {
        file: SETTLE,
        find: '  // Approved, not found or unclear: the void is right for all three.\n',
        put: "  if (found.kind === 'notFound') return { state: 'voided' };\n",
      },
    ],
    kinds: 'pauses',
    kills: 12,
  },
  {
    name: 'an undo is recorded and never sent',
    fast: 'test/payments/resolving.test.ts',
    edits: [
      {
        file: SETTLE,
        find: 'const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);',
        put: "const undo = { kind: 'voided' } as { kind: 'voided' } | { kind: 'declined' } | { kind: 'unknown'; reason: string };",
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
];
