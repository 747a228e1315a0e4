import type { Plant } from './plant.ts';

const CANCELS = 'src/transactions/cancels/cancels.sql.ts';
const ENROLMENTS = 'src/recurrence/subscriptions/subscription-creation.sql.ts';

/** Mistakes at the edges: what is answered, what comes late, and what goes by a clock, a key or a plan. */
export const EDGE_PLANTS: readonly Plant[] = [
  {
    name: 'a commit whose fate is unknown is told as one to be tried again',
    fast: 'src/platform/http/answers.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/platform/http/answers.ts',
        find: 'if (!watch.mayHaveWritten && !(error instanceof CommitUnknown)) throw error;',
        // A statement that took too long: the caller is answered with 503.
        put: "throw error instanceof CommitUnknown ? Object.assign(new Error('later'), { code: '57014' }) : error;",
      },
    ],
    kinds: 'absences',
    kills: 16,
  },
  {
    name: 'an enrolment that was refused is final while its first statement is on its way',
    fast: 'test/transactions/late-statements.test.ts',
    suite: 'recurrence',
    edits: [
      { file: ENROLMENTS, find: '    isRefusal: Array.isArray,\n', put: '' },
      { file: ENROLMENTS, find: ' and clock_timestamp() < i.deadline', put: '' },
    ],
    kinds: 'late',
    kills: 16,
  },
  {
    name: 'a cancel that was refused is final while its first statement is on its way',
    fast: 'test/transactions/late-statements.test.ts',
    edits: [
      {
        file: CANCELS,
        find: "    isRefusal: ({ kind }) => kind === 'refused' || kind === 'preauthorized',\n",
        put: '',
      },
      { file: CANCELS, find: 'from locked where clock_timestamp() < deadline', put: 'from locked' },
    ],
    kinds: 'late',
    kills: 16,
  },
  {
    name: 'a charge by hand of which nobody knows is told as an error',
    fast: 'test/recurrence/charging-unanswered.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/recurrence/collection/endpoints.ts',
        find: "    case 'pending':\n",
        put: `    case 'pending':
      if (result.kind === 'pending') return refusalAnswer(FAILURES.unknownFailure, language);
`,
      },
    ],
    kinds: 'byHand',
    kills: 32,
  },
  {
    name: 'the engine does not ask whether the plan is canceled',
    fast: 'test/recurrence/plan-cancel-charges.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/recurrence/collection/charge-intents.sql.ts',
        find: '\n     and (e.asked_at is null or e.asked_at < h.state_since)`',
        put: '`',
      },
    ],
    kinds: 'plans',
    kills: 16,
  },
  {
    name: 'a chargeback leaves its subscription as it is',
    fast: 'test/recurrence/chargeback-behind-cancel.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/recurrence/collection/chargebacks.sql.ts',
        find: `and (s.state in (\${fromOtherStates(SUBSCRIPTION_MOVES, 'block')})`,
        put: "and s.state = 'completed'",
      },
    ],
    kinds: 'calm',
    kills: 48,
  },
  {
    name: 'a part that a card holder takes back is not taken off the payment',
    fast: 'test/transactions/partial-chargebacks.test.ts',
    edits: [
      {
        file: 'src/transactions/changes/change-outcomes.sql.ts',
        find: 'canceled_amount = t.canceled_amount + $4, ',
        put: 'canceled_amount = t.canceled_amount + 0 * $4::bigint, ',
      },
    ],
    kinds: 'calm',
    kills: 48,
  },
  {
    name: 'a payment tells what was given back of its last installment alone',
    fast: 'test/payments/cancel.test.ts',
    edits: [
      {
        file: 'src/payments/status/contract.ts',
        find: 'const canceledAmount = installments.reduce((sum, part) => sum + part.canceledAmount, 0);',
        put: 'const canceledAmount = installments.at(-1)?.canceledAmount ?? 0;',
      },
    ],
    kinds: 'calm',
    kills: 48,
  },
  {
    name: 'a final no is looked for by the prints of the card alone',
    fast: 'test/recurrence/charging.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/transactions/methods/card/check-network-limits.ts',
        find: 'hasSaidNeverAgain(amount, [...(own.value ?? []), ...declines])',
        put: 'hasSaidNeverAgain(amount, declines)',
      },
    ],
    kinds: 'rotations',
    kills: 2,
  },
  {
    name: 'a billing gets the time of a checkout, and is voided as soon as nobody knows it',
    fast: 'test/recurrence/charging-slow.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: 'src/recurrence/collection/module.ts',
        find: '(isJumping(merchantId) ? ofRequest : ofBilling)',
        put: '(isJumping(merchantId) ? ofBilling && ofRequest : ofRequest)',
      },
      {
        file: 'src/transactions/module.ts',
        find: '(isJumping(merchantId) ? 0 : billings.searchMilliseconds)',
        put: '(isJumping(merchantId) ? 0 : 0 * billings.searchMilliseconds)',
      },
    ],
    kinds: 'slow',
    kills: 2,
  },
  {
    name: 'a lease ends by the wall clock of the process that took it',
    fast: null,
    slowBecause: 'the clocks of two processes must differ',
    edits: [
      {
        file: 'src/transactions/methods/card/charge-card.ts',
        find: 'const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;',
        // What the machine's clock shows is not moved with the process's.
        put: `const leaseMilliseconds = Math.ceil(
    deadlineAt - performance.now() + LEASE_MARGIN_MILLISECONDS + Date.now() - performance.timeOrigin - performance.now(),
  );`,
      },
    ],
    kinds: 'clocks',
    kills: 32,
  },
  {
    name: 'a client takes the 502 of a proxy for an error of the service',
    fast: null,
    slowBecause: "it is a mistake of the suite's own client",
    edits: [
      {
        file: 'chaos/merchant-client.ts',
        find: 'if (isOfProxy(status, headers)) return { ...NEVER_SENT, lostBy:',
        put: 'if (isOfProxy(status, headers)) return { status, body: null, isReplayed: false, lostBy: null, read:',
      },
    ],
    kinds: 'fronts',
    kills: 64,
  },
];
