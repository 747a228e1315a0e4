import {
  IS_KEY_USED,
  KEY_COLUMNS,
  REMEMBER_KEYS,
  racingForKeys,
} from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { utcText } from '../../../values/instant.ts';
import type { PixIntent } from './pix.ts';

export type PixIntentRow = PixIntent & { readonly leaseMilliseconds: number };

/** `keyUsed`: the request's key belongs to another payment. */
export type PixIntentResult = 'committed' | 'keyUsed';

const INPUT = inputRows<Timed<PixIntentRow>>({
  ...own({ merchantId: 'text', pixId: 'uuid', accountNumber: 'text', txid: 'text', pageKey: 'text' }),
  ...own({ amount: 'bigint', expiresInSeconds: 'integer' }),
  due_on: ['date', (row) => row.due?.dueOn ?? null],
  payable_until: ['date', (row) => row.due?.payableUntil ?? null],
  fine_portion: ['integer', (row) => row.due?.finePortion ?? null],
  interest_portion: ['integer', (row) => row.due?.interestPortion ?? null],
  discount_amount: ['bigint', (row) => row.due?.discount?.amount ?? null],
  discount_until: ['date', (row) => row.due?.discount?.until ?? null],
  expires_at: ['timestamptz', (row) => utcText(row.expiresAt)],
  payer: ['jsonb', (row) => (row.payer === null ? null : JSON.stringify(row.payer))],
  ...own({ description: 'text', referenceTransaction: 'text', callbackUrl: 'text' }),
  link_id: ['uuid', (row) => row.linkId ?? null],
  split: ['jsonb', (row) => row.split && JSON.stringify(row.split)],
  created_by: ['text', (row) => row.createdBy],
  requested_at: ['timestamptz', (row) => utcText(row.requestedAt)],
  bank: ['text', (row) => row.bank],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const WRITTEN = rowCodec({ pixId: column.text() });

const COMMIT_INTENTS = statement(
  'pix_charges.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), written as (
     insert into pix_charges (merchant_id, pix_id, account_number, txid, page_key, state, amount, expires_in_seconds, due_on,
       payable_until, fine_portion, interest_portion, discount_amount, discount_until, expires_at, payer, description,
       reference_transaction, callback_url, link_id, split, created_by, requested_at, changed_at, bank, due_at)
     select i.merchant_id, i.pix_id, i.account_number, i.txid, i.page_key, 'issuing', i.amount, i.expires_in_seconds, i.due_on,
       i.payable_until, i.fine_portion, i.interest_portion, i.discount_amount, i.discount_until, i.expires_at, i.payer,
       i.description, i.reference_transaction, i.callback_url, i.link_id, i.split, i.created_by, i.requested_at, i.requested_at, i.bank,
       now() + i.lease * interval '1 millisecond'
     from input i
     where clock_timestamp() < i.deadline and not ${IS_KEY_USED}
     on conflict do nothing
     returning merchant_id, pix_id
   ), keyed as (
     select i.*, i.pix_id as resource_id from input i
     join written w on w.merchant_id = i.merchant_id and w.pix_id = i.pix_id
   ), ${REMEMBER_KEYS}
   select ${WRITTEN.columns} from written`,
);

const WANTED = inputRows<PixIntentRow>({
  merchant_id: ['text', (row) => row.merchantId],
  pix_id: ['uuid', (row) => row.pixId],
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const OBSTACLE = rowCodec({
  pixId: column.text('i.pix_id'),
  isThere: column.boolean('p.pix_id is not null'),
  isKeyUsed: column.boolean(IS_KEY_USED),
});

const FIND_OBSTACLES = statement(
  'pix_charges.find_obstacles',
  `select ${OBSTACLE.columns}
   from ${WANTED.sql}
   left join pix_charges p on p.merchant_id = i.merchant_id and p.pix_id = i.pix_id`,
);

/**
 * Records charges before the bank is asked. Repeatable: an id that exists was written by an earlier try of
 * the same caller. After its deadline an intent records nothing.
 */
export function pixIntentsWrite(database: Database): BatchedWriteOptions<PixIntentRow, PixIntentResult> {
  return {
    name: 'pixIntents',
    key: (row) => row.pixId,
    merchant: (row) => row.merchantId,
    bytes: () => 1_000,
    isRefusal: () => false,
    write: async (rows, deadlines) => {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const written = await racingForKeys(() => database.query(COMMIT_INTENTS, values));
      const ids = new Set(written.map((row) => WRITTEN.parse(row).pixId));
      const missing = rows.filter(({ pixId }) => !ids.has(pixId));
      const found = missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const obstacles = new Map(found.map(OBSTACLE.parse).map((one) => [one.pixId, one]));
      const fateOf = ({ pixId }: PixIntentRow): PixIntentResult | typeof NOT_WRITTEN => {
        const obstacle = obstacles.get(pixId);
        if (ids.has(pixId) || obstacle?.isThere === true) return 'committed';
        return obstacle?.isKeyUsed === true ? 'keyUsed' : NOT_WRITTEN;
      };
      return new Map(rows.map((row) => [row.pixId, fateOf(row)]));
    },
  };
}
