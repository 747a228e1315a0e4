import type { Plant } from './plant.ts';

/** Found by its text, wherever the module keeps it. */
const CHARGING = 'src/recurrence/**/*.ts';
const SETTLE = 'src/transactions/methods/card/resolve-unresolved-charges.ts';

/** Mistakes in charging billings. */
export const RECURRENCE_PLANTS: readonly Plant[] = [
  {
    name: 'a billing is taken whoever is charging it',
    fast: 'test/recurrence/charge-commits.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `         and ((b.transaction_id = i.transaction_id and exists (
             select from billing_charges c where c.merchant_id = i.merchant_id
               and c.transaction_id = i.transaction_id and c.taker = i.taker
           )) or (b.fence = i.fence and b.transaction_id is null
           and (b.lease_expires_at is null or b.lease_expires_at <= now())))\n`,
        put: '',
      },
      // A second defence: one attempt, one charge.
      {
        file: 'migrations/*.sql',
        find: 'create unique index billing_charges_by_attempt',
        put: 'create index billing_charges_by_attempt',
      },
    ],
    kinds: 'nights',
    kills: 16,
  },
  {
    name: 'a charge without an answer is taken for a lack of funds',
    fast: 'test/recurrence/charging-unanswered.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `    case 'unresolved':\n      return null;\n    case 'voided':`,
        put: `      return null;\n    case 'unresolved':\n      return { ...APPROVED, result: 'funds', code: '51' };\n    case 'voided':`,
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'a charge that the acquirer is still asked for is given up and made again',
    fast: 'test/recurrence/charging-slow.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `    case 'charging':\n    case 'unresolved':\n      return null;\n    case 'voided':`,
        put: `    case 'charging':\n      return null;\n    case 'unresolved':\n      return 'voided';\n    case 'voided':`,
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'a charge that settling has found approved is kept, and voided at the acquirer all the same',
    fast: 'test/recurrence/charging-unanswered.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: SETTLE,
        find: "if (found.kind === 'approved') return keepOne(tools, charge, found);",
        put: `if (found.kind === 'approved') {
      await acquirer.voidCharge(merchantId, transactionId, timeout);
      return keepOne(tools, charge, found);
    }`,
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a subscription that a charge ends makes no notice',
    fast: 'test/recurrence/events.test.ts',
    suite: 'recurrence',
    edits: [
      { file: CHARGING, find: `union all \${MOVE_NOTICES}`, put: `union all \${MOVE_NOTICES} where false` },
    ],
    kinds: 'steps',
    kills: 8,
  },
  {
    name: 'a due day is notified of at each look',
    fast: 'test/recurrence/events.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `insert into upcoming_alerts (merchant_id, alert_endpoint_id, due_on, billing_id)
     select $1::text, $2::uuid, i.due_on, i.billing_id from \${ALERTS.sql}`,
        put: `insert into upcoming_alerts (merchant_id, alert_endpoint_id, due_on, billing_id)
     select $1::text, $2::uuid, i.due_on, i.billing_id from \${ALERTS.sql} where false`,
      },
    ],
    kinds: 'steps',
    kills: 8,
  },
  {
    name: 'the end of a charge opens no next billing',
    fast: 'test/recurrence/charging.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: 'from ended e where e.next_installment is not null',
        put: 'from ended e where e.next_installment is not null and false',
      },
    ],
    kinds: 'calm',
    kills: 8,
  },
  {
    name: 'a canceled card is tried again like one without funds',
    fast: 'src/recurrence/billings/billing-after-charge.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `return charge.result === 'funds' ? (verdictOfFunds(charge)`,
        put: `return ['funds', 'blocked'].includes(charge.result) ? (verdictOfFunds(charge)`,
      },
    ],
    kinds: 'calm',
    kills: 16,
  },
  {
    name: 'a charge of which nothing stays counts as an attempt',
    fast: 'src/recurrence/collection/outcome-record.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: 'restSeconds, chargesMade: chargesMade - 1 };',
        put: 'restSeconds, chargesMade };',
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a charge of which nothing stays is not made again',
    fast: 'src/recurrence/billings/billing-after-charge.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: `if (subscription === 'active')\n    return { state: 'opened', chargeOn: scheduledOn`,
        put: `if (subscription === 'blocked')\n    return { state: 'opened', chargeOn: scheduledOn`,
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'an installment whose day has come is charged on the day of the one before',
    fast: 'src/recurrence/billings/billing-after-charge.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: 'const chargeOn = nextDueOn > today ? nextDueOn : addDays(today, 1);',
        put: 'const chargeOn = nextDueOn;',
      },
    ],
    kinds: 'calm',
    kills: 16,
  },
  {
    name: 'nobody looks what came of a charge whose process died',
    fast: 'test/recurrence/charging-unanswered.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: 'from billing_charges c where c.due_at <= now()',
        put: 'from billing_charges c where c.due_at <= now() and false',
      },
    ],
    kinds: 'steps',
    kills: 16,
  },
  {
    name: 'a worker that slept past its lease takes what it had found, whatever became of it',
    fast: 'test/recurrence/charge-commits.test.ts',
    suite: 'recurrence',
    edits: [
      {
        file: CHARGING,
        find: ')) or (b.fence = i.fence and b.transaction_id is null',
        put: ')) or (b.transaction_id is null',
      },
      {
        file: CHARGING,
        find: `and case when i.attempt_number is null
           then b.state in ('denied', 'paymentInvalid') else b.state = 'opened' end`,
        put: '',
      },
      // A second defence: one attempt, one charge.
      {
        file: 'migrations/*.sql',
        find: 'create unique index billing_charges_by_attempt',
        put: 'create index billing_charges_by_attempt',
      },
    ],
    kinds: 'nights',
    kills: 24,
  },
];
