import type { ListedCharge } from '../../acquirers/listed-charge.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { BillingState } from '../../recurrence/billings/billing.ts';
import type { RecordedSplit } from '../../transactions/split.ts';
import type { Origin, TransactionState } from '../../transactions/transaction.ts';
import { type Cents, cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Books, RestoredDecision } from './restored-charge.ts';

const CHARGES = inputRows<ListedCharge>({
  merchant_id: ['text', ({ merchantId }) => merchantId],
  transaction_id: ['uuid', ({ reference }) => reference],
  billing_id: [
    'uuid',
    ({ merchantReference }) => (isUuid(merchantReference ?? '') ? merchantReference : null),
  ],
});

const FIND = statement(
  'restored_charges.find_books',
  `select i.merchant_id, i.transaction_id, m.accounts, t.state, t.origin, t.fence, t.amount, t.installment_count, t.split, c.cancel_ids,
     p.capture_ids, b.billing_id, b.state as billing_state, b.amount as billing_amount, b.is_charging, r.decision
   from ${CHARGES.sql}
   left join lateral (
     select array(select a.account_number from accounts a where a.merchant_id = s.merchant_id order by a.position)
       as accounts
     from merchants s where s.merchant_id = i.merchant_id limit 1
   ) m on true
   left join lateral (
     select o.state, o.origin, o.fence, o.amount, o.installment_count, o.split from transactions o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id limit 1
   ) t on true
   left join lateral (
     select array_agg(o.cancel_id::text) as cancel_ids from cancels o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id
   ) c on true
   left join lateral (
     select array_agg(o.capture_id::text) as capture_ids from captures o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id
   ) p on true
   left join lateral (
     select o.billing_id, o.state, o.amount, o.transaction_id is not null as is_charging from billings o
     where o.merchant_id = i.merchant_id and o.billing_id = i.billing_id limit 1
   ) b on true
   left join lateral (
     select o.decision from restored_charges o
     where o.merchant_id = i.merchant_id and o.transaction_id = i.transaction_id limit 1
   ) r on true`,
);

/** By `bookKey`. The references are UUIDs. */
export async function findBooks(
  database: Database,
  charges: readonly ListedCharge[],
): Promise<ReadonlyMap<string, Books>> {
  const rows = await database.query(FIND, CHARGES.values(charges));
  return new Map(rows.map((row) => [`${row.merchant_id}|${row.transaction_id}`, parseBooks(row)]));
}

export function bookKey({ merchantId, reference }: Pick<ListedCharge, 'merchantId' | 'reference'>): string {
  return `${merchantId}|${reference.toLowerCase()}`;
}

function parseBooks(row: Row): Books {
  return {
    accounts: row.accounts as string[] | null,
    transaction:
      row.state === null
        ? null
        : {
            state: row.state as TransactionState,
            origin: row.origin as Origin,
            fence: row.fence as number,
            amount: row.amount as Cents,
            installmentCount: row.installment_count as number,
            split: row.split as RecordedSplit | null,
            cancelIds: (row.cancel_ids ?? []) as string[],
            captureIds: (row.capture_ids ?? []) as string[],
          },
    billing:
      row.billing_id === null
        ? null
        : {
            billingId: row.billing_id as string,
            state: row.billing_state as BillingState,
            amount: cents(row.billing_amount as number),
            isCharging: row.is_charging as boolean,
          },
    decision: row.decision as RestoredDecision | null,
  };
}
