import { KEY_COLUMNS, REMEMBER_KEYS, racingForKeys } from '../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../../platform/postgres/batched-writes.ts';
import { type Database, type Row, statement } from '../../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { utcText } from '../../../values/instant.ts';
import type { BoletoIntent } from './boleto.ts';

export type BoletoIntentRow = BoletoIntent & { readonly leaseMilliseconds: number };

/** `keyUsed`: the request's key belongs to another boleto. */
export type BoletoIntentResult =
  | { readonly kind: 'committed'; readonly ourNumber: string }
  | { readonly kind: 'keyUsed' };

const INPUT = inputRows<Timed<BoletoIntentRow>>({
  ...own({ merchantId: 'text', boletoId: 'uuid', accountNumber: 'text', pageKey: 'text' }),
  ...own({ amount: 'bigint', issuedOn: 'date', dueOn: 'date', payableUntil: 'date' }),
  days_to_expire: ['integer', (row) => row.daysToExpire],
  payer: ['jsonb', (row) => JSON.stringify(row.payer)],
  reference_transaction: ['text', (row) => row.referenceTransaction],
  instructions: ['jsonb', (row) => JSON.stringify(row.instructions)],
  fine_portion: ['integer', (row) => row.finePortion],
  interest_portion: ['integer', (row) => row.interestPortion],
  discount_amount: ['bigint', (row) => row.discount?.amount ?? null],
  discount_until: ['date', (row) => row.discount?.until ?? null],
  callback_url: ['text', (row) => row.callbackUrl],
  link_id: ['uuid', (row) => row.linkId ?? null],
  created_by: ['text', (row) => row.createdBy],
  requested_at: ['timestamptz', (row) => utcText(row.requestedAt)],
  asked_bank: ['text', (row) => row.askedBank],
  bank: ['text', (row) => row.bank],
  lease: ['integer', (row) => row.leaseMilliseconds],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

const WRITTEN = rowCodec({ boletoId: column.text(), ourNumber: column.text() });

const COMMIT_INTENTS = statement(
  'boletos.commit_intents',
  `with input as (
     select * from ${INPUT.sql}
   ), written as (
     insert into boletos (merchant_id, boleto_id, account_number, our_number, page_key, state, amount, issued_on, due_on,
       payable_until, days_to_expire, payer, reference_transaction, instructions, fine_portion, interest_portion,
       discount_amount, discount_until, callback_url, link_id, created_by, requested_at, changed_at, asked_bank, bank, due_at)
     select i.merchant_id, i.boleto_id, i.account_number, lpad(nextval('boleto_numbers')::text, 11, '0'), i.page_key, 'issuing',
       i.amount, i.issued_on, i.due_on, i.payable_until, i.days_to_expire, i.payer, i.reference_transaction,
       array(select jsonb_array_elements_text(i.instructions)), i.fine_portion, i.interest_portion, i.discount_amount,
       i.discount_until, i.callback_url, i.link_id, i.created_by, i.requested_at, i.requested_at, i.asked_bank, i.bank,
       now() + i.lease * interval '1 millisecond'
     from input i
     where clock_timestamp() < i.deadline and not exists (
         select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)
       and not exists (select from boletos b where b.merchant_id = i.merchant_id and b.boleto_id = i.boleto_id)
     on conflict do nothing
     returning merchant_id, boleto_id, our_number
   ), keyed as (
     select i.*, i.boleto_id as resource_id from input i
     join written w on w.merchant_id = i.merchant_id and w.boleto_id = i.boleto_id
   ), ${REMEMBER_KEYS}
   select ${WRITTEN.columns} from written`,
);

const WANTED = inputRows<BoletoIntentRow>({
  merchant_id: ['text', (row) => row.merchantId],
  boleto_id: ['uuid', (row) => row.boletoId],
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
});

const OBSTACLE = rowCodec({
  boletoId: column.text('i.boleto_id'),
  ourNumber: column.nullable(column.text('b.our_number')),
  isKeyUsed: column.boolean(
    'exists (select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)',
  ),
});

const FIND_OBSTACLES = statement(
  'boletos.find_obstacles',
  `select ${OBSTACLE.columns}
   from ${WANTED.sql}
   left join boletos b on b.merchant_id = i.merchant_id and b.boleto_id = i.boleto_id`,
);

/**
 * Records boletos before the bank is asked. The bank is asked under no other number than the one given here.
 * Repeatable: an id that exists was written by an earlier try of the same caller. After its deadline an
 * intent records nothing.
 */
export function boletoIntentsWrite(
  database: Database,
): BatchedWriteOptions<BoletoIntentRow, BoletoIntentResult> {
  return {
    name: 'boletoIntents',
    key: (row) => row.boletoId,
    merchant: (row) => row.merchantId,
    bytes: (row) => 1_000 + row.instructions.join('').length,
    isRefusal: () => false,
    write: async (rows, deadlines) => {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const written = await racingForKeys(() => database.query(COMMIT_INTENTS, values));
      const numbers = new Map(
        written.map(WRITTEN.parse).map(({ boletoId, ourNumber }) => [boletoId, ourNumber]),
      );
      const missing = rows.filter((row) => !numbers.has(row.boletoId));
      const obstacles =
        missing.length === 0 ? [] : await database.query(FIND_OBSTACLES, WANTED.values(missing));
      const found = new Map(obstacles.map(OBSTACLE.parse).map((obstacle) => [obstacle.boletoId, obstacle]));
      const fateOf = ({ boletoId }: BoletoIntentRow): BoletoIntentResult | typeof NOT_WRITTEN => {
        const obstacle = found.get(boletoId);
        const ourNumber = numbers.get(boletoId) ?? obstacle?.ourNumber ?? null;
        if (ourNumber !== null) return { kind: 'committed', ourNumber };
        return obstacle?.isKeyUsed === true ? { kind: 'keyUsed' } : NOT_WRITTEN;
      };
      return new Map(rows.map((row) => [row.boletoId, fateOf(row)]));
    },
  };
}

/** More numbers than are given between a backup and its restore. */
const SKIPPED = 1_000_000;
/** How many numbers one statement skips: a busy server must end it in its time. */
const SKIPPED_AT_ONCE = 10_000;

const SKIPPING = rowCodec({ last: column.whole("max(nextval('boleto_numbers'))") });

const SKIP = statement(
  'boletos.skip_numbers',
  `select ${SKIPPING.columns} from generate_series(1, $1::integer)`,
);

/**
 * After a restore the sequence is back at the backup, but the bank has boletos under later numbers. Skips
 * them and returns the last skipped number.
 */
export async function skipOurNumbers(database: Database): Promise<number> {
  let last = 0;
  for (let skipped = 0; skipped < SKIPPED; skipped += SKIPPED_AT_ONCE) {
    const [row] = await database.query(SKIP, [SKIPPED_AT_ONCE]);
    last = SKIPPING.parse(row as Row).last;
  }
  return last;
}
