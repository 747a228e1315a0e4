import type { IdSpan } from '../../../idempotency/idempotency-key.ts';
import {
  IS_KEY_USED,
  KEY_COLUMNS,
  REMEMBER_KEYS,
  racingForKeys,
} from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../../platform/postgres/input-rows.ts';
import {
  column,
  firstOf,
  type RowOf,
  rowCodec,
  UnreadableRow,
} from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import type { Cents } from '../../../values/cents.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import {
  CAPTURE_MOVES,
  CAPTURE_STATES,
  type CaptureIntent,
  type CaptureRefusal,
  captureRefusal,
  type RecordedCapture,
} from '../../capture.ts';
import { FIRST_END, requestQueue, UNANSWERED } from '../../requests/request-queue.sql.ts';
import { sentRequests } from '../../requests/sent-requests.sql.ts';
import { TRANSACTION_MOVES, TRANSACTION_STATES } from '../../transaction.ts';

export type CaptureIntentRow = CaptureIntent & { readonly leaseMilliseconds: number };

/** `keyUsed`: the key belongs to another capture. `captured`: an earlier one of the same amount. */
export type CaptureIntentResult =
  | { readonly kind: 'keyUsed' }
  | {
      readonly kind: 'committed';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly acquirer: string;
      readonly tid: string | null;
    }
  | {
      readonly kind: 'captured';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  | { readonly kind: 'refused'; readonly refusal: CaptureRefusal };

const INPUT = inputRows<Timed<CaptureIntentRow>>({
  ...own({ merchantId: 'text', transactionId: 'uuid', captureId: 'uuid', amount: 'bigint' }),
  ...own({ minimumInstallment: 'bigint', createdBy: 'text' }),
  requested_at: ['timestamptz', (row) => utcText(row.requestedAt)],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const COMMITTED = rowCodec(
  {
    captureId: column.text(),
    amount: column.money(),
    authorizationCode: column.text('l.authorization_code'),
    acquirer: column.text('l.acquirer'),
    tid: column.nullable(column.text('l.tid')),
  },
  'w',
);

const COMMIT_INTENTS = statement(
  'captures.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, i.capture_id, coalesce(i.amount, t.amount) as amount, i.created_by,
       i.requested_at, i.lease, i.deadline, t.authorization_code, t.acquirer, t.tid
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
       join preauthorizations p on p.merchant_id = i.merchant_id and p.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'startCapture')}) and p.capture_until > i.requested_at
       and coalesce(i.amount, t.amount) between i.minimum_installment * t.installment_count and t.amount
       and not exists (
         select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), written as (
     insert into captures (merchant_id, transaction_id, capture_id, state, amount, created_by, requested_at, due_at, sent_at)
     select merchant_id, transaction_id, capture_id, 'capturing', amount, created_by, requested_at,
       now() + lease * interval '1 millisecond', null
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
   select ${COMMITTED.columns}
   from written w join locked l on l.merchant_id = w.merchant_id and l.capture_id = w.capture_id`,
);

const WANTED = inputRows<CaptureIntentRow>({
  ...own({ merchantId: 'text', transactionId: 'uuid', captureId: 'uuid' }),
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const FOUND = rowCodec(
  {
    captureId: column.text('i.capture_id'),
    acquirer: column.text('t.acquirer'),
    tid: column.nullable(column.text('t.tid')),
    /** The capture's own amount, if an earlier try wrote its row; null: none did. */
    committed: column.nullable(column.money('c.amount')),
    state: column.oneOf(TRANSACTION_STATES),
    amount: column.money(),
    installmentCount: column.whole(),
    authorizationCode: column.nullable(column.text()),
    approvedAt: column.nullable(column.instant()),
    isKeyUsed: column.boolean(IS_KEY_USED),
  },
  't',
);

const PREAUTHORIZATION = rowCodec({ authorizedAmount: column.money(), captureUntil: column.instant() }, 'p');

const FIND_OBSTACLES = statement(
  'captures.find_obstacles',
  `select ${FOUND.columns}, ${PREAUTHORIZATION.columns}
   from ${WANTED.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
   left join preauthorizations p on p.merchant_id = i.merchant_id and p.transaction_id = i.transaction_id
   left join captures c on c.merchant_id = i.merchant_id and c.capture_id = i.capture_id`,
);

/**
 * Records intents before the acquirer is asked: the capture's row, and the transaction in state `capturing`.
 * From then on nothing else begins with the transaction: its lock serializes other captures, its cancel and
 * its expiry. Repeatable: an id that exists was written by an earlier try of the same caller. After its
 * deadline an intent records nothing.
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
      const committed = new Map(
        written.map(COMMITTED.parse).map((row) => [row.captureId, { kind: 'committed', ...row } as const]),
      );
      const missing = rows.filter((row) => !committed.has(row.captureId));
      const obstacles =
        missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const found = new Map(obstacles.map(parseFound).map((row) => [row.captureId, row]));
      return new Map(
        rows.map((row) => [
          row.transactionId,
          committed.get(row.captureId) ?? fateOf(row, found.get(row.captureId)),
        ]),
      );
    },
  };
}

function parseFound(row: Row) {
  const preauthorization = row.authorized_amount === null ? null : PREAUTHORIZATION.parse(row);
  return { ...FOUND.parse(row), preauthorization };
}

function fateOf(
  wanted: CaptureIntentRow,
  found: ReturnType<typeof parseFound> | undefined,
): CaptureIntentResult | typeof NOT_WRITTEN {
  if (found === undefined) return { kind: 'refused', refusal: 'notFound' };
  const { committed, amount, authorizationCode, acquirer, tid, approvedAt: moment } = found;
  if (committed !== null && authorizationCode !== null)
    return { kind: 'committed', amount: committed, authorizationCode, acquirer, tid };
  if (found.isKeyUsed) return { kind: 'keyUsed' };
  const refusal = captureRefusal(found, wanted);
  if (refusal === null) return NOT_WRITTEN;
  if (refusal !== 'captured') return { kind: 'refused', refusal };
  if (authorizationCode === null || moment === null)
    throw new UnreadableRow('what was captured has no authorization');
  return { kind: 'captured', amount, authorizationCode, moment };
}

const MADE = rowCodec({ captureId: column.text() });

const FIND_MADE = statement(
  'captures.find_made',
  `select ${MADE.columns} from captures
   where merchant_id = $1 and capture_id between $2 and $3 and refusal_reason is distinct from 'notSent'
   union all
   select (c ->> 'captureReference')::uuid
   from restored_charges r, jsonb_array_elements(r.charge -> 'captures') c
   where r.merchant_id = $1 and r.transaction_id = $4 and r.decision in ('undecided', 'unfinished')
     and lower(c ->> 'captureReference') between $2::uuid::text and $3::uuid::text
   limit 1`,
);

/**
 * Finds the sent capture whose id is in this span. After a restore also one that the acquirer has and that is
 * still to be recorded here.
 */
export async function findMadeCapture(
  database: Database,
  { merchantId, transactionId }: { readonly merchantId: string; readonly transactionId: string },
  { first, last }: IdSpan,
): Promise<string | null> {
  const [row] = await database.query(FIND_MADE, [merchantId, first, last, transactionId]);
  return row === undefined ? null : MADE.parse(row).captureId;
}

const RECORDED = rowCodec<RecordedCapture>(
  {
    state: column.oneOf(CAPTURE_STATES),
    amount: column.money(),
    wasNeverSent: column.boolean(`coalesce(c.refusal_reason = 'notSent', false)`),
    authorizationCode: column.text('t.authorization_code'),
    capturedAt: column.nullable(column.instant()),
  },
  'c',
);

const FIND = statement(
  'captures.find',
  `select ${RECORDED.columns}
   from captures c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
   where c.merchant_id = $1 and c.capture_id = $2`,
);

export async function findCapture(
  database: Database,
  merchantId: string,
  captureId: string,
): Promise<RecordedCapture | null> {
  return firstOf(await database.query(FIND, [merchantId, captureId]), RECORDED.parse);
}

const UNRESOLVED = rowCodec({ ...UNANSWERED.fields, requestId: column.text('c.capture_id') }, 'c');
export type UnresolvedCapture = Readonly<RowOf<typeof UNRESOLVED>>;

export const SENT_CAPTURES = sentRequests({
  table: 'captures',
  key: 'capture_id',
  open: fromStates(CAPTURE_MOVES, 'confirm'),
});

export const CAPTURE_REQUESTS = requestQueue(
  {
    table: 'captures',
    alias: 'c',
    key: 'capture_id',
    open: fromStates(CAPTURE_MOVES, 'confirm'),
    // A process of an older release does not mark a capture as sent, and does not write marked_fence.
    claimed: `unknown_reason = coalesce(c.unknown_reason, 'the process that asked did not finish'),
     sent_at = case when c.fence = c.marked_fence then c.sent_at else now() end,
     marked_fence = c.fence + 1`,
    // A process that holds a capture back sends nothing.
    held: ',\n     marked_fence = case when c.fence = c.marked_fence then c.fence + 1 else c.marked_fence end',
    postponed: FIRST_END,
    overdue: 'unknown_reason is not null',
    columns: UNRESOLVED.columns,
  },
  UNRESOLVED.parse,
);
