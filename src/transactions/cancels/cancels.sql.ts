import type { IdSpan } from '../../idempotency/idempotency-key.ts';
import {
  IS_KEY_USED,
  KEY_COLUMNS,
  REMEMBER_KEYS,
  racingForKeys,
} from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Cents } from '../../values/cents.ts';
import { FIRST_END, requestQueue, UNANSWERED } from '../requests/request-queue.sql.ts';
import { sentRequests } from '../requests/sent-requests.sql.ts';
import { TRANSACTION_STATES } from '../transaction.ts';
import {
  CANCEL_MOVES,
  CANCEL_STATES,
  type CancelIntent,
  type CancelRefusal,
  cancelRefusal,
  type RecordedCancel,
} from './cancel.ts';

export type CancelIntentRow = CancelIntent & { readonly leaseMilliseconds: number };

/** `keyUsed`: the request's key belongs to another cancel. */
export type CancelIntentResult =
  | { readonly kind: 'keyUsed' }
  | {
      readonly kind: 'committed';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly acquirer: string;
      readonly tid: string | null;
      /**
       * Cents that other cancels gave back. At an acquirer that knows no cancel's reference all of those are
       * decided.
       */
      readonly givenBack: Cents;
    }
  /** The charge is only authorized: nothing was written here, and it must be released instead. */
  | { readonly kind: 'preauthorized' }
  | { readonly kind: 'refused'; readonly refusal: CancelRefusal };

const INPUT = inputRows<Timed<CancelIntentRow>>({
  ...own({ merchantId: 'text', transactionId: 'uuid', cancelId: 'uuid', amount: 'bigint' }),
  created_by: ['text', (row) => row.createdBy],
  requested_at: ['timestamptz', (row) => new Date(row.requestedAt).toISOString()],
  oldest_sale: ['timestamptz', (row) => new Date(row.oldestSale).toISOString()],
  oldest_at: ['jsonb', (row) => JSON.stringify(row.oldestAt)],
  whole_at: ['text', (row) => row.wholeAt.join()],
  one_at: ['text', (row) => row.oneAt.join()],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const COMMITTED = rowCodec(
  {
    cancelId: column.text(),
    amount: column.money(),
    authorizationCode: column.text('l.authorization_code'),
    acquirer: column.text('l.acquirer'),
    tid: column.nullable(column.text('l.tid')),
    givenBack: column.money('l.given_back'),
  },
  'w',
);

const AMOUNT_GIVEN_BACK = `(select coalesce(sum(o.amount), 0)::bigint from cancels o where o.merchant_id = t.merchant_id
       and o.transaction_id = t.transaction_id and o.state = 'canceled')`;

/**
 * What was taken off the installments, by chargebacks too. It equals the transaction's canceled_amount only
 * if no cancel is undecided. If one was written while this statement waited for the lock, they differ as
 * well: then only the transaction's own columns are read anew.
 */
const DECIDED_AMOUNT = `(select coalesce(sum(p.canceled_amount), 0)::bigint from installments p where p.merchant_id = t.merchant_id
       and p.transaction_id = t.transaction_id)`;

const COMMIT_INTENTS = statement(
  'cancels.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, i.cancel_id, coalesce(i.amount, t.amount - t.canceled_amount) as amount,
       i.created_by, i.requested_at, i.lease, i.deadline, t.authorization_code, t.acquirer, t.tid,
       case when t.acquirer = any (string_to_array(i.one_at, ',')) then ${AMOUNT_GIVEN_BACK} else 0 end as given_back
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state = 'approved' and t.sold_at >= i.oldest_sale
       and t.sold_at >= coalesce(to_timestamp((i.oldest_at ->> t.acquirer)::float8 / 1000), i.oldest_sale)
       and t.amount - t.canceled_amount >= coalesce(i.amount, 1)
       and (t.acquirer <> all (string_to_array(i.whole_at, ',')) or (t.canceled_amount = 0 and coalesce(i.amount, t.amount) = t.amount))
       and (t.acquirer <> all (string_to_array(i.one_at, ',')) or t.canceled_amount = ${DECIDED_AMOUNT})
       and not exists (
         select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), written as (
     insert into cancels (merchant_id, transaction_id, cancel_id, state, amount, created_by, requested_at, due_at)
     select merchant_id, transaction_id, cancel_id, 'canceling', amount, created_by, requested_at,
       now() + lease * interval '1 millisecond'
     from locked where clock_timestamp() < deadline
     on conflict do nothing
     returning merchant_id, transaction_id, cancel_id, amount
   ), reserved as (
     update transactions t set canceled_amount = t.canceled_amount + w.amount
     from written w
     where t.merchant_id = w.merchant_id and t.transaction_id = w.transaction_id
   ), keyed as (
     select i.*, i.cancel_id as resource_id from input i
     join written w on w.merchant_id = i.merchant_id and w.cancel_id = i.cancel_id
   ), ${REMEMBER_KEYS}
   select ${COMMITTED.columns}
   from written w join locked l on l.merchant_id = w.merchant_id and l.cancel_id = w.cancel_id`,
);

const WANTED = inputRows<CancelIntentRow>({
  ...own({ merchantId: 'text', transactionId: 'uuid', cancelId: 'uuid' }),
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const AMOUNT_UNDER_WAY = `(select coalesce(sum(o.amount), 0)::bigint from cancels o where o.merchant_id = t.merchant_id
       and o.transaction_id = t.transaction_id and o.state in (${fromStates(CANCEL_MOVES, 'confirm')}))`;

const FOUND = rowCodec(
  {
    cancelId: column.text('i.cancel_id'),
    /** The cancel's own amount if an earlier try wrote it; null: the cancel does not exist. */
    committed: column.nullable(column.money('c.amount')),
    state: column.oneOf(TRANSACTION_STATES),
    soldAt: column.instant(),
    amount: column.money(),
    canceledAmount: column.money(),
    amountUnderWay: column.money(AMOUNT_UNDER_WAY),
    givenBack: column.money(AMOUNT_GIVEN_BACK),
    authorizationCode: column.nullable(column.text()),
    acquirer: column.text(),
    tid: column.nullable(column.text()),
    isKeyUsed: column.boolean(IS_KEY_USED),
  },
  't',
);

const FIND_OBSTACLES = statement(
  'cancels.find_obstacles',
  `select ${FOUND.columns}
   from ${WANTED.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
   left join cancels c on c.merchant_id = i.merchant_id and c.cancel_id = i.cancel_id`,
);

/**
 * Records intents before the acquirer is asked: the cancel's row, and its amount held on the transaction.
 * Several cancels of a transaction may be open if each fits into what the others leave. A statement has one
 * cancel a transaction; the transaction's lock serializes those of other statements, and the rest is read
 * under that lock. Repeatable: an id that exists was written by an earlier try of the same caller. A key
 * makes one cancel only. After its deadline, also after waiting for the lock, an intent records nothing.
 */
export function cancelIntentsWrite(
  database: Database,
): BatchedWriteOptions<CancelIntentRow, CancelIntentResult> {
  return {
    name: 'cancelIntents',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    bytes: () => 200,
    isRefusal: ({ kind }) => kind === 'refused' || kind === 'preauthorized',
    write: async (rows, deadlines) => {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const written = await racingForKeys(() => database.query(COMMIT_INTENTS, values));
      const committed = new Map(
        written.map(COMMITTED.parse).map((row) => [row.cancelId, { kind: 'committed', ...row } as const]),
      );
      const missing = rows.filter((row) => !committed.has(row.cancelId));
      const obstacles =
        missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const found = new Map(obstacles.map(FOUND.parse).map((row) => [row.cancelId, row]));
      return new Map(
        rows.map((row) => [
          row.transactionId,
          committed.get(row.cancelId) ?? fateOf(row, found.get(row.cancelId)),
        ]),
      );
    },
  };
}

function fateOf(
  wanted: CancelIntentRow,
  found: RowOf<typeof FOUND> | undefined,
): CancelIntentResult | typeof NOT_WRITTEN {
  if (found === undefined) return { kind: 'refused', refusal: 'notFound' };
  const { committed, authorizationCode, acquirer, tid, givenBack } = found;
  if (committed !== null && authorizationCode !== null)
    return { kind: 'committed', amount: committed, authorizationCode, acquirer, tid, givenBack };
  if (found.isKeyUsed) return { kind: 'keyUsed' };
  const refusal = cancelRefusal(found, {
    ...wanted,
    oldestSale: wanted.oldestAt[acquirer] ?? wanted.oldestSale,
    mustBeWhole: wanted.wholeAt.includes(acquirer),
    mustBeAlone: wanted.oneAt.includes(acquirer),
  });
  if (refusal !== null) return { kind: 'refused', refusal };
  return found.state === 'preauthorized' ? { kind: 'preauthorized' } : NOT_WRITTEN;
}

const MADE = rowCodec({ cancelId: column.text() });

const FIND_MADE = statement(
  'cancels.find_made',
  `select ${MADE.columns} from cancels
   where merchant_id = $1 and cancel_id between $2 and $3 and refusal_reason is distinct from 'notSent'
   union all
   select release_id from preauthorizations
   where merchant_id = $1 and transaction_id = $4 and release_id between $2 and $3
   union all
   select (c ->> 'cancellationReference')::uuid
   from restored_charges r, jsonb_array_elements(r.charge -> 'cancellations') c
   where r.merchant_id = $1 and r.transaction_id = $4 and r.decision in ('undecided', 'unfinished')
     and lower(c ->> 'cancellationReference') between $2::uuid::text and $3::uuid::text
   limit 1`,
);

/**
 * Finds the sent cancel, or the release, whose id is in this span. After a restore it also finds a cancel
 * that the acquirer has, and that is still to be recorded here.
 */
export async function findMadeCancel(
  database: Database,
  { merchantId, transactionId }: { readonly merchantId: string; readonly transactionId: string },
  { first, last }: IdSpan,
): Promise<string | null> {
  const [row] = await database.query(FIND_MADE, [merchantId, first, last, transactionId]);
  return row === undefined ? null : MADE.parse(row).cancelId;
}

const RECORDED = rowCodec<RecordedCancel>(
  {
    state: column.oneOf(CANCEL_STATES),
    amount: column.money(),
    wasNeverSent: column.boolean(`coalesce(c.refusal_reason = 'notSent', false)`),
    authorizationCode: column.text('t.authorization_code'),
    canceledAt: column.nullable(column.instant('coalesce(c.canceled_at, c.decided_at)')),
  },
  'c',
);

const FIND = statement(
  'cancels.find',
  `select ${RECORDED.columns}
   from cancels c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   where c.merchant_id = $1 and c.cancel_id = $2`,
);

export async function findCancel(
  database: Database,
  merchantId: string,
  cancelId: string,
): Promise<RecordedCancel | null> {
  return firstOf(await database.query(FIND, [merchantId, cancelId]), RECORDED.parse);
}

const UNRESOLVED = rowCodec(
  {
    ...UNANSWERED.fields,
    requestId: column.text('c.cancel_id'),
    isAccepted: column.boolean('c.accepted_at is not null'),
    refundId: column.nullable(column.text()),
    /** Cents that other cancels of the charge gave back. */
    givenBack: column.money(
      `(select coalesce(sum(o.amount), 0)::bigint from cancels o where o.merchant_id = c.merchant_id
       and o.transaction_id = c.transaction_id and o.state = 'canceled')`,
    ),
  },
  'c',
);

/** A cancel without a final answer, leased by this process. */
export type UnresolvedCancel = RowOf<typeof UNRESOLVED>;

export const CANCEL_REQUESTS = requestQueue(
  {
    table: 'cancels',
    alias: 'c',
    key: 'cancel_id',
    open: fromStates(CANCEL_MOVES, 'confirm'),
    claimed: `unknown_reason = case when c.accepted_at is null
       then coalesce(c.unknown_reason, 'the process that asked did not finish') else c.unknown_reason end`,
    postponed: FIRST_END,
    overdue: 'accepted_at is not null or unknown_reason is not null',
    columns: UNRESOLVED.columns,
  },
  UNRESOLVED.parse,
);

export const SENT_CANCELS = sentRequests({
  table: 'cancels',
  key: 'cancel_id',
  open: fromStates(CANCEL_MOVES, 'confirm'),
});

/**
 * Part of a larger statement: open cancels whose end the acquirer reports (`decided`: merchant_id, cancel_id)
 * become due, in the commit of `moved`. One that a process is asking about keeps its lease, so that no other
 * takes it. The raised fence makes an older answer on its way change nothing.
 */
export const ASK_FOR_DECIDED_CANCELS = `asked_for as (
     update cancels c set fence = c.fence + 1,
       due_at = case when c.due_at = c.rests_until then now() else c.due_at end,
       rests_until = case when c.due_at = c.rests_until then now() end
     from moved m, decided d
     where c.merchant_id = d.merchant_id and c.cancel_id = d.cancel_id
       and c.state in (${fromStates(CANCEL_MOVES, 'confirm')})
   )`;
