import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import {
  IS_KEY_USED,
  KEY_COLUMNS,
  REMEMBER_KEYS,
  racingForKeys,
} from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../platform/postgres/state-table.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import { TRANSACTION_MOVES, TRANSACTION_STATES } from '../../transaction.ts';

export type ReleaseRow = {
  readonly merchantId: string;
  readonly releaseId: string;
  readonly transactionId: string;
  readonly createdBy: string;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly leaseMilliseconds: number;
  readonly request: KeyedRequest | null;
};

const RELEASED = rowCodec({
  releaseId: column.text(),
  fence: column.whole(),
  amount: column.money(),
  authorizationCode: column.text(),
  acquirer: column.text(),
});

/** `overtaken`: a capture or another release came first, and nothing was written. */
export type ReleaseResult =
  | ({ readonly kind: 'released' } & Readonly<RowOf<typeof RELEASED>>)
  | { readonly kind: 'keyUsed' }
  | { readonly kind: 'overtaken' };

const INPUT = inputRows<Timed<ReleaseRow>>({
  ...own({ merchantId: 'text', transactionId: 'uuid', releaseId: 'uuid', createdBy: 'text' }),
  requested_at: ['timestamptz', (row) => utcText(row.requestedAt)],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const COMMIT = statement(
  'preauthorizations.release',
  `with input as (
     select * from ${INPUT.sql}
   ), locked as (
     select t.merchant_id, t.transaction_id, i.release_id, i.created_by, i.requested_at, i.lease, i.deadline
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state in (${fromStates(TRANSACTION_MOVES, 'release')})
       and not exists (
         select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), released as (
     update transactions t set state = 'unresolved', fence = t.fence + 1, decided_at = null,
       due_at = now() + l.lease * interval '1 millisecond', unresolved_since = now(),
       unknown_reason = 'it was canceled before its capture'
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id and clock_timestamp() < l.deadline
     returning t.merchant_id, t.transaction_id, t.fence, t.amount, t.authorization_code, t.acquirer, l.release_id, l.created_by,
       l.requested_at
   ), ended as (
     update preauthorizations p set expires_at = null, released_at = r.requested_at, released_by = r.created_by,
       release_id = r.release_id
     from released r
     where p.merchant_id = r.merchant_id and p.transaction_id = r.transaction_id
   ), keyed as (
     select i.*, i.release_id as resource_id from input i
     join released r on r.merchant_id = i.merchant_id and r.release_id = i.release_id
   ), ${REMEMBER_KEYS}
   select ${RELEASED.columns} from released`,
);

const WANTED = inputRows<ReleaseRow>({
  ...own({ merchantId: 'text', transactionId: 'uuid', releaseId: 'uuid' }),
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const FOUND = rowCodec(
  {
    ...RELEASED.fields,
    releaseId: column.text('i.release_id'),
    state: column.oneOf(TRANSACTION_STATES),
    isReleased: column.boolean('coalesce(p.release_id = i.release_id, false)'),
    isKeyUsed: column.boolean(IS_KEY_USED),
  },
  't',
);

const FIND_OBSTACLES = statement(
  'preauthorizations.find_release_obstacles',
  `select ${FOUND.columns}
   from ${WANTED.sql}
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
   join preauthorizations p on p.merchant_id = i.merchant_id and p.transaction_id = i.transaction_id`,
);

/**
 * Records releases. From then on each is an unresolved charge, whose void `resolveUnresolvedCharges` repeats
 * until the acquirer acknowledges it. A release is refused once a capture has begun. Repeatable, and refused
 * after its deadline, as intents of cancels are.
 */
export function releasesWrite(database: Database): BatchedWriteOptions<ReleaseRow, ReleaseResult> {
  return {
    name: 'releases',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    isRefusal: ({ kind }) => kind === 'overtaken',
    write: async (rows, deadlines) => {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const written = await racingForKeys(() => database.query(COMMIT, values));
      const released = new Map(
        written.map(RELEASED.parse).map((row) => [row.releaseId, { kind: 'released', ...row } as const]),
      );
      const missing = rows.filter((row) => !released.has(row.releaseId));
      const obstacles =
        missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const found = new Map(obstacles.map(FOUND.parse).map((row) => [row.releaseId, row]));
      return new Map(
        rows.map((row) => [
          row.transactionId,
          released.get(row.releaseId) ?? fateOf(found.get(row.releaseId)),
        ]),
      );
    },
  };
}

function fateOf(found: RowOf<typeof FOUND> | undefined): ReleaseResult | typeof NOT_WRITTEN {
  if (found?.isReleased === true) return { ...found, kind: 'released' };
  if (found?.isKeyUsed === true) return { kind: 'keyUsed' };
  return found?.state === 'preauthorized' ? NOT_WRITTEN : { kind: 'overtaken' };
}

const RECORDED = rowCodec(
  {
    state: column.oneOf(TRANSACTION_STATES),
    amount: column.money(),
    authorizationCode: column.text(),
    /** Business time. */
    releasedAt: column.instant('p.released_at'),
  },
  't',
);

export type RecordedRelease = RowOf<typeof RECORDED>;

const FIND = statement(
  'preauthorizations.find_release',
  `select ${RECORDED.columns}
   from preauthorizations p join transactions t on t.merchant_id = p.merchant_id and t.transaction_id = p.transaction_id
   where p.merchant_id = $1 and p.transaction_id = $2 and p.release_id = $3`,
);

export async function findRelease(
  database: Database,
  merchantId: string,
  transactionId: string,
  releaseId: string,
): Promise<RecordedRelease | null> {
  return firstOf(await database.query(FIND, [merchantId, transactionId, releaseId]), RECORDED.parse);
}
