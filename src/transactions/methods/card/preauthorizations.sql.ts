import { MARK_USES } from '../../../cards/vault/card-uses.sql.ts';
import type { BatchedWriteOptions } from '../../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement, type Tx } from '../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../platform/postgres/input-rows.ts';
import { column, onlyOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import type { NetworkReference } from '../../../providers/acquirers/network-reference.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_CALLBACK_DELIVERIES } from '../../movements/movement-deliveries.sql.ts';
import { TRANSACTION_MOVES, type TransactionState } from '../../transaction.ts';
import { findStates } from '../../transaction-queries.sql.ts';
import type { OutcomeResult } from './outcomes.sql.ts';

export type PreauthorizationRow = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly fence: number;
  readonly authorizationCode: string;
  readonly nsu: string;
  readonly networkReference: NetworkReference;
  readonly tid: string | null;
  /** `moment` (of the approval) and `captureUntil` are business time. */
  readonly moment: Instant;
  readonly captureUntil: Instant;
};

const INPUT = inputRows<PreauthorizationRow>({
  ...own({ merchantId: 'text', transactionId: 'uuid', fence: 'integer', authorizationCode: 'text' }),
  ...own({ nsu: 'text', tid: 'text' }),
  network_transaction_id: ['text', (row) => row.networkReference.transactionId],
  transaction_link_id: ['text', (row) => row.networkReference.linkId],
  moment: ['timestamptz', (row) => utcText(row.moment)],
  moment_text: ['text', (row) => saoPauloOffsetText(row.moment)],
  capture_until: ['timestamptz', (row) => utcText(row.captureUntil)],
});

const CHANGED = rowCodec({ transactionId: column.text() });

const COMMIT = statement(
  'transactions.commit_preauthorizations',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, t.account_number, t.vault_id, t.callback_url, t.amount, t.installment_count,
       i.authorization_code, i.nsu, i.network_transaction_id, i.transaction_link_id, i.tid, i.moment, i.moment_text,
       i.capture_until
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'preauthorize')}) and t.fence = i.fence
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), changed as (
     update transactions t set state = 'preauthorized', authorization_code = l.authorization_code, nsu = l.nsu,
       network_transaction_id = l.network_transaction_id, transaction_link_id = l.transaction_link_id, tid = l.tid,
       decided_at = now(), due_at = null
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.transaction_id
   ), kept as (
     insert into preauthorizations (merchant_id, transaction_id, authorized_amount, authorized_at, capture_until, expires_at)
     select merchant_id, transaction_id, amount, moment, capture_until, capture_until from locked
   ), news as (
     select l.*, 0 as lease, 'PRE-AUTORIZADA' as callback_status from locked l
   ), ${ENQUEUE_CALLBACK_DELIVERIES}, used_cards as (
     select merchant_id, vault_id, network_transaction_id, transaction_link_id from locked where vault_id is not null
   ), ${MARK_USES}
   select ${CHANGED.columns}, exists (select from enqueued_callbacks) as is_waiting from changed`,
);

/**
 * Runs the statement of `preauthorizationsWrite` in a larger commit. Returns the transactions that it wrote
 * now.
 */
export async function writePreauthorizations(
  tx: Tx,
  rows: readonly PreauthorizationRow[],
): Promise<ReadonlySet<string>> {
  return idsOf(await tx.query(COMMIT, INPUT.values(rows)));
}

function idsOf(changed: readonly Row[]): Set<string> {
  return new Set(changed.map((row) => CHANGED.parse(row).transactionId));
}

const HAS_PREAUTHORIZATION: ReadonlySet<TransactionState> = new Set([
  'preauthorized',
  'capturing',
  'approved',
]);

/**
 * Records pre-authorizations, by a statement of their own, so that charges captured at once do not pay for
 * it. Repeatable as `transactions.commit_outcomes` is.
 */
export function preauthorizationsWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<PreauthorizationRow, OutcomeResult> {
  return {
    name: 'preauthorizations',
    isRefusal: () => false,
    key: (row) => row.transactionId,
    mustBeWritten: true,
    merchant: (row) => row.merchantId,
    write: async (rows) => {
      const changed = await database.query(COMMIT, INPUT.values(rows));
      if (changed.some(({ is_waiting }) => is_waiting === true)) deliverer.notify();
      const recorded = idsOf(changed);
      const missing = rows.filter((row) => !recorded.has(row.transactionId));
      // An earlier try wrote the row: this caller has the fence, and no other process pre-authorizes. After
      // its callback the merchant may have captured it, which keeps the fence. A release raises the fence.
      for (const { transactionId, state, fence } of await findStates(database, missing)) {
        const row = missing.find((one) => one.transactionId === transactionId);
        if (HAS_PREAUTHORIZATION.has(state) && fence === row?.fence) recorded.add(transactionId);
      }
      return new Map(
        rows.map(({ transactionId }) => [transactionId, { isRecorded: recorded.has(transactionId) }]),
      );
    },
  };
}

/**
 * Releases the pre-authorizations in `due`. One that is being captured is not among them: its `expires_at` is
 * null. One whose capture begins at this moment is locked, and skipped.
 */
const LET_GO = `locked as (
     select t.merchant_id, t.transaction_id, d.expires_at
     from due d join transactions t on t.merchant_id = d.merchant_id and t.transaction_id = d.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'release')})
     order by t.merchant_id, t.transaction_id
     for no key update of t skip locked
   ), released as (
     update transactions t set state = 'unresolved', fence = t.fence + 1, decided_at = null, due_at = now(),
       unresolved_since = now(), unknown_reason = 'it was not captured in time'
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.merchant_id, t.transaction_id, l.expires_at
   )
   update preauthorizations p set expires_at = null, released_at = r.expires_at, released_by = 'system'
   from released r
   where p.merchant_id = r.merchant_id and p.transaction_id = r.transaction_id
   returning p.transaction_id`;

/** How far the merchant's clock is ahead. It never goes back, so nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $1), 0) * interval '1 millisecond'`;

const EXPIRE = statement(
  'preauthorizations.expire',
  `with due as (
     select merchant_id, transaction_id, expires_at from preauthorizations
     where expires_at <= now() order by expires_at limit $1
   ), ${LET_GO}`,
);

const EXPIRE_OF = statement(
  'preauthorizations.expire_of_merchant',
  `with due as (
     select merchant_id, transaction_id, expires_at from preauthorizations
     where merchant_id = $1 and expires_at <= now() + ${SHIFT} order by expires_at limit $2
   ), ${LET_GO}`,
);

/**
 * `merchantId` null: of all merchants, by real time; else of this one, by its own clock. Returns how many
 * expired.
 */
export async function expirePreauthorizations(
  database: Database,
  merchantId: string | null,
  limit: number,
): Promise<number> {
  const rows =
    merchantId === null
      ? await database.query(EXPIRE, [limit])
      : await database.query(EXPIRE_OF, [merchantId, limit]);
  return rows.length;
}

const DUE = rowCodec({ count: column.whole('count(*)') });

const COUNT_DUE = statement(
  'transactions.count_due',
  `select ${DUE.columns} from (select from transactions where due_at <= now() limit $1 + 1) as due`,
);

export async function areManyChargesDue(database: Database, many: number): Promise<boolean> {
  return onlyOf(await database.query(COUNT_DUE, [many]), DUE.parse).count > many;
}

const AHEAD = rowCodec({ merchantId: column.text('c.merchant_id') });

const MOVED = statement(
  'preauthorizations.merchants_ahead',
  `select ${AHEAD.columns} from merchant_clocks c
   where c.shift_milliseconds > 0 and c.target_at is null and exists (
     select from preauthorizations p where p.merchant_id = c.merchant_id
       and p.expires_at <= now() + c.shift_milliseconds * interval '1 millisecond')
   limit $1`,
);

/** Merchants whose test clock is past the end of a pre-authorization. Homologation only. */
export async function findMerchantsAhead(database: Database, limit: number): Promise<string[]> {
  return (await database.query(MOVED, [limit])).map((row) => AHEAD.parse(row).merchantId);
}

/** Null if nothing has expired, by real time and by clocks that are ahead. */
export const EXPIRIES_DUE = statement(
  'preauthorizations.due',
  `select case when exists (select from preauthorizations where expires_at <= now())
     or exists (
       select from merchant_clocks c
       where c.shift_milliseconds > 0 and c.target_at is null and exists (
         select from preauthorizations p where p.merchant_id = c.merchant_id
           and p.expires_at <= now() + c.shift_milliseconds * interval '1 millisecond'))
     then 0 end as milliseconds`,
);

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant()) });

const EARLIEST_OF = statement(
  'preauthorizations.earliest_of_merchant',
  `select least(
     (select min(expires_at) from preauthorizations where merchant_id = $1 and expires_at <= $2::timestamptz),
     (select min(p.released_at) from (
        select merchant_id, transaction_id from transactions where due_at is not null and state = 'unresolved'
        order by due_at limit 1000
      ) t join preauthorizations p on p.merchant_id = t.merchant_id and p.transaction_id = t.transaction_id
      where t.merchant_id = $1)) as earliest`,
);

/**
 * The earliest expiry up to `until`, or null. A released pre-authorization counts until it is voided, because
 * a jump of the clock waits for that.
 */
export async function earliestExpiry(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<Instant | null> {
  return onlyOf(await database.query(EARLIEST_OF, [merchantId, utcText(until)]), EARLIEST.parse).earliest;
}
