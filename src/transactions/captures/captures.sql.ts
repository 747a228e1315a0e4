import type { IdSpan } from '../../idempotency/derived-id.ts';
import { KEY_COLUMNS, REMEMBER_KEYS, racingForKeys } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows, type Timed, withDeadlines } from '../../platform/postgres/input-rows.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Cents } from '../../values/cents.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import {
  type CaptureIntent,
  type CaptureRefusal,
  type CaptureState,
  captureRefusal,
  type RecordedCapture,
} from '../capture.ts';
import { TRANSACTION_MOVES, type TransactionState } from '../transaction.ts';

export type CaptureIntentRow = CaptureIntent & { readonly leaseMilliseconds: number };

/** `keyUsed`: the request's key made another capture. `captured`: an earlier one of the same amount. */
export type CaptureIntentResult =
  | { readonly kind: 'keyUsed' }
  | { readonly kind: 'committed'; readonly amount: Cents; readonly authorizationCode: string }
  | {
      readonly kind: 'captured';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  | { readonly kind: 'refused'; readonly refusal: CaptureRefusal };

const INPUT = inputRows<Timed<CaptureIntentRow>>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  capture_id: ['uuid', (row) => row.captureId],
  amount: ['bigint', (row) => row.amount],
  minimum_installment: ['bigint', (row) => row.minimumInstallment],
  created_by: ['text', (row) => row.createdBy],
  requested_at: ['timestamptz', (row) => utcText(row.requestedAt)],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const COMMIT_INTENTS = statement(
  'captures.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, i.capture_id, coalesce(i.amount, t.amount) as amount, i.created_by,
       i.requested_at, i.lease, i.deadline, t.authorization_code
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
       join preauthorizations p on p.merchant_id = i.merchant_id and p.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'startCapture')}) and p.capture_until > i.requested_at
       and coalesce(i.amount, t.amount) between i.minimum_installment * t.installment_count and t.amount
       and not exists (
         select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), written as (
     insert into captures (merchant_id, transaction_id, capture_id, state, amount, created_by, requested_at, due_at)
     select merchant_id, transaction_id, capture_id, 'capturing', amount, created_by, requested_at,
       now() + lease * interval '1 millisecond'
     from locked where clock_timestamp() < deadline
     on conflict do nothing
     returning merchant_id, transaction_id, capture_id, amount
   ), begun as (
     update transactions t set state = 'capturing'
     from written w join locked l on l.merchant_id = w.merchant_id and l.capture_id = w.capture_id
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
   ), held as (
     update preauthorizations p set expires_at = null
     from written w where p.merchant_id = w.merchant_id and p.transaction_id = w.transaction_id
   ), keyed as (
     select i.*, i.capture_id as resource_id from input i
     join written w on w.merchant_id = i.merchant_id and w.capture_id = i.capture_id
   ), ${REMEMBER_KEYS}
   select w.capture_id, w.amount, l.authorization_code
   from written w join locked l on l.merchant_id = w.merchant_id and l.capture_id = w.capture_id`,
);

const WANTED = inputRows<CaptureIntentRow>({
  merchant_id: ['text', (row) => row.merchantId],
  transaction_id: ['uuid', (row) => row.transactionId],
  capture_id: ['uuid', (row) => row.captureId],
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const FIND_OBSTACLES = statement(
  'captures.find_obstacles',
  `select i.capture_id, c.amount as committed, t.state, t.amount, t.installment_count, t.authorization_code, t.approved_at,
     p.authorized_amount, p.capture_until,
     exists (select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash) as is_key_used
   from ${WANTED.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
   left join preauthorizations p on p.merchant_id = i.merchant_id and p.transaction_id = i.transaction_id
   left join captures c on c.merchant_id = i.merchant_id and c.capture_id = i.capture_id`,
);

/**
 * The intent: the capture's row, and the transaction in state `capturing`, before the acquirer is
 * asked. From then on nothing else begins with the transaction: the lock on it serializes this with
 * other captures, with its cancel and with the end of its time. Repeatable: an id that is there
 * already was written by an earlier try of the same caller. An intent that arrives after its
 * deadline records nothing.
 */
export function captureIntentsWrite(
  database: Database,
): BatchedWriteOptions<CaptureIntentRow, CaptureIntentResult> {
  return {
    name: 'captureIntents',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    bytes: () => 200,
    isRefusal: ({ kind }) => kind === 'refused',
    write: async (rows, deadlines) => {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const written = await racingForKeys(() => database.query(COMMIT_INTENTS, values));
      const committed = new Map(written.map((row) => [row.capture_id, committedOf(row)]));
      const missing = rows.filter((row) => !committed.has(row.captureId));
      const obstacles =
        missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const found = new Map(obstacles.map((row) => [row.capture_id, row]));
      return new Map(
        rows.map((row) => [
          row.transactionId,
          committed.get(row.captureId) ?? fateOf(row, found.get(row.captureId)),
        ]),
      );
    },
  };
}

function committedOf({ amount, authorization_code }: Row): CaptureIntentResult {
  return { kind: 'committed', amount: amount as Cents, authorizationCode: authorization_code as string };
}

function fateOf(wanted: CaptureIntentRow, found: Row | undefined): CaptureIntentResult | typeof NOT_WRITTEN {
  if (found === undefined) return { kind: 'refused', refusal: 'notFound' };
  if (found.committed !== null) return committedOf({ ...found, amount: found.committed });
  if (found.is_key_used === true) return { kind: 'keyUsed' };
  const amount = found.amount as Cents;
  const obstacle = {
    state: found.state as TransactionState,
    amount,
    installmentCount: found.installment_count as number,
    preauthorization:
      found.authorized_amount === null
        ? null
        : {
            authorizedAmount: found.authorized_amount as Cents,
            captureUntil: found.capture_until as Instant,
          },
  };
  const refusal = captureRefusal(obstacle, wanted);
  if (refusal === null) return NOT_WRITTEN;
  if (refusal !== 'captured') return { kind: 'refused', refusal };
  const authorizationCode = found.authorization_code as string;
  return { kind: 'captured', amount, authorizationCode, moment: found.approved_at as Instant };
}

const FIND_MADE = statement(
  'captures.find_made',
  `select capture_id from captures
   where merchant_id = $1 and capture_id between $2 and $3 and refusal_reason is distinct from 'notSent'
   union all
   select (c ->> 'captureReference')::uuid
   from restored_charges r, jsonb_array_elements(r.charge -> 'captures') c
   where r.merchant_id = $1 and r.transaction_id = $4 and r.decision in ('undecided', 'unfinished')
     and lower(c ->> 'captureReference') between $2::uuid::text and $3::uuid::text
   limit 1`,
);

/**
 * The one that was sent under an id of this span; after a restore also one that the acquirer has and
 * the books are still to get.
 */
export async function findMadeCapture(
  database: Database,
  { merchantId, transactionId }: { readonly merchantId: string; readonly transactionId: string },
  { first, last }: IdSpan,
): Promise<string | null> {
  const [row] = await database.query(FIND_MADE, [merchantId, first, last, transactionId]);
  return (row?.capture_id as string | undefined) ?? null;
}

const FIND = statement(
  'captures.find',
  `select c.state, c.amount, coalesce(c.refusal_reason = 'notSent', false) as was_never_sent, t.authorization_code,
     c.captured_at
   from captures c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   where c.merchant_id = $1 and c.capture_id = $2`,
);

export async function findCapture(
  database: Database,
  merchantId: string,
  captureId: string,
): Promise<RecordedCapture | null> {
  const [row] = await database.query(FIND, [merchantId, captureId]);
  if (row === undefined) return null;
  return {
    state: row.state as CaptureState,
    wasNeverSent: row.was_never_sent as boolean,
    amount: row.amount as Cents,
    authorizationCode: row.authorization_code as string,
    capturedAt: row.captured_at as Instant | null,
  };
}
