import type { IdSpan, KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import { FREE_KEYS, keyValues, REMEMBER_KEYS } from '../../../idempotency/idempotency-keys.sql.ts';
import type { BatchedWriteOptions } from '../../../platform/postgres/batched-writes.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { PixPayer } from '../../../providers/pix/pix-bank.ts';
import { saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import { PAYMENT_KINDS } from '../../bill-payment.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../movements/bill-movements.sql.ts';
import type { Moved, MoveRow } from '../../requests/move.ts';
import { type MovedRow, movesWrite } from '../../requests/moves.sql.ts';
import { readSplit } from '../../split.ts';
import { NOT_SENT, PIX_STATES, type Pix, type PixKey, REFUSALS_OF_BANK, type ReceivedPix } from './pix.ts';
import type { PixMove } from './pix-move.ts';
import { callbackBody, nsuOf } from './pix-status.ts';

/** The key of the exception of a payment `y`. */
const EXCEPTION_KEY = `'pix:' || y.pix_id || ':' || y.end_to_end_id`;

const PAYMENTS = `(
    select coalesce(jsonb_agg(jsonb_build_object('end_to_end_id', y.end_to_end_id, 'amount', y.amount, 'paid_at', (extract(epoch from y.paid_at) * 1000)::bigint,
      'kind', y.kind, 'is_paying', y.surprise is null, 'is_open', coalesce(e.state = 'open', false),
      'exception_id', e.exception_id, 'returned_amount', y.returned_amount, 'held_amount', y.held_amount)
      order by y.created_at, y.end_to_end_id), '[]')
    from pix_payments y left join lateral (
      select state, exception_id from reconciliation_exceptions
      where merchant_id = y.merchant_id and exception_key = ${EXCEPTION_KEY} limit 1
    ) e on true
    where y.merchant_id = p.merchant_id and y.pix_id = p.pix_id
  )`;

const PAYMENT = rowCodec<ReceivedPix>({
  endToEndId: column.text(),
  amount: column.money(),
  paidAt: column.instant(),
  kind: column.oneOf(PAYMENT_KINDS),
  isPaying: column.boolean(),
  isOpen: column.boolean(),
  exceptionId: column.nullable(column.text()),
  returnedAmount: column.money(),
  heldAmount: column.money(),
});

/** The contract checked the payer's fields when they were written. */
export function readPayer(value: unknown): PixPayer | undefined {
  return typeof value === 'object' && value !== null ? (value as PixPayer) : undefined;
}

export const PIX = rowCodec(
  {
    merchantId: column.text(),
    pixId: column.text(),
    accountNumber: column.text(),
    txid: column.text(),
    pageKey: column.text(),
    state: column.oneOf(PIX_STATES),
    isExpiring: column.boolean(),
    amount: column.money(),
    expiresInSeconds: column.nullable(column.whole()),
    dueOn: column.nullable(column.day()),
    payableUntil: column.nullable(column.day()),
    finePortion: column.nullable(column.whole()),
    interestPortion: column.nullable(column.whole()),
    discountAmount: column.nullable(column.money()),
    discountUntil: column.nullable(column.day()),
    expiresAt: column.instant(),
    payer: column.nullable(column.parsedBy(readPayer)),
    isPayerErased: column.boolean('p.payer_erased_at is not null'),
    description: column.nullable(column.text()),
    referenceTransaction: column.nullable(column.text()),
    callbackUrl: column.nullable(column.text()),
    split: column.nullable(column.parsedBy(readSplit)),
    linkId: column.nullable(column.text()),
    billingId: column.nullable(column.text('case when p.is_collected then p.reference_transaction end')),
    bank: column.text(),
    pixEmv: column.nullable(column.text()),
    refusalReason: column.nullable(column.oneOf([...REFUSALS_OF_BANK, NOT_SENT] as const)),
    endToEndId: column.nullable(column.text()),
    paidAmount: column.nullable(column.money()),
    paidAt: column.nullable(column.instant()),
    actsAt: column.nullable(column.instant()),
    requestedAt: column.instant(),
    fence: column.whole(),
    tries: column.whole(),
    unknownReason: column.nullable(column.text()),
    payments: column.parsedBy(
      (value) => (Array.isArray(value) ? value.map(PAYMENT.parse) : undefined),
      `${PAYMENTS}`,
    ),
  },
  'p',
);

/** The same columns with a prefix, for rows that have more than a Pix. */
export const SHOWN_PIX = rowCodec(PIX.fields, 'p', 'pix_');

export function parsePix(row: Row): Pix {
  return pixOf(PIX.parse(row));
}

export function parseShownPix(row: Row): Pix {
  return pixOf(SHOWN_PIX.parse(row));
}

function pixOf({
  dueOn,
  payableUntil,
  finePortion,
  interestPortion,
  discountAmount,
  discountUntil,
  ...read
}: RowOf<typeof PIX>): Pix {
  const { endToEndId, paidAmount, paidAt, ...pix } = read;
  const discount =
    discountAmount === null || discountUntil === null
      ? null
      : { amount: discountAmount, until: discountUntil };
  const isDue = dueOn !== null && payableUntil !== null;
  const isPaid = endToEndId !== null && paidAmount !== null && paidAt !== null;
  return {
    ...pix,
    due: isDue ? { dueOn, payableUntil, finePortion, interestPortion, discount } : null,
    payment: isPaid ? { endToEndId, amount: paidAmount, paidAt } : null,
  };
}

const FIND = statement(
  'pix_charges.find',
  `select ${PIX.columns} from pix_charges p where p.merchant_id = $1 and p.pix_id = $2`,
);

export async function findPix(database: Reader, { merchantId, pixId }: PixKey): Promise<Pix | null> {
  return firstOf(await database.query(FIND, [merchantId, pixId]), parsePix);
}

const NAMED = rowCodec({ paymentId: column.text('p.pix_id'), soldAt: column.instant('p.requested_at') });

/** Uses pix_charges_by_payer_time. */
const BY_DOCUMENT = statement(
  'pix_charges.find_by_document',
  `select ${NAMED.columns} from unnest($2::text[]) d (document) cross join lateral (
     select pix_id, requested_at from pix_charges
     where payer is not null and payer ->> 'documentNumber' = d.document and merchant_id = $1
     order by requested_at desc, pix_id desc limit $3::bigint
   ) p`,
);

/** The newest `limit` charges of each document, in no order. */
export async function findPixOfPayer(
  database: Reader,
  { merchantId, documents }: { readonly merchantId: string; readonly documents: readonly string[] },
  limit: number,
): Promise<RowOf<typeof NAMED>[]> {
  return (await database.query(BY_DOCUMENT, [merchantId, documents, limit])).map(NAMED.parse);
}

const LOCK = statement(
  'pix_charges.lock',
  'select pix_id from pix_charges where merchant_id = $1 and pix_id = $2 for no key update',
);

/**
 * The charge is read after it is locked: a statement that waited for the lock would show its payments as they
 * were before.
 */
export async function lockPix(tx: Tx, { merchantId, pixId }: PixKey): Promise<Pix | null> {
  const [locked] = await tx.query(LOCK, [merchantId, pixId]);
  if (locked === undefined) return null;
  return firstOf(await tx.query(FIND, [merchantId, pixId]), parsePix);
}

/** Writes the decided move of a locked row, with its movement, deliveries and the key of who asked for it. */
const MOVE = statement(
  'pix_charges.move',
  `with changed as (
     update pix_charges p set state = $4, is_expiring = $5, pix_emv = $6, refusal_reason = $7, end_to_end_id = $8,
       paid_amount = $9, paid_at = $10::timestamptz, acts_at = $11::timestamptz,
       due_at = now() + $12::integer * interval '1 millisecond', changed_at = $13::timestamptz,
       fence = p.fence + 1, tries = 0, unknown_since = null, unknown_reason = null
     where p.merchant_id = $1 and p.pix_id = $2 and p.state = $3
     returning ${PIX.columns}
   ), unkeyed as (
     select merchant_id, $14::bytea as key_hash, pix_id as resource_id from changed
   ), ${FREE_KEYS}, keyed as (
     select merchant_id, $15::bytea as key_hash, $16::bytea as body_fingerprint, $17::integer as body_fingerprint_key_id,
       pix_id as resource_id from changed
   ), ${REMEMBER_KEYS}, news as (
     select c.merchant_id, null::uuid as boleto_id, c.pix_id, 'Pix' as type, c.account_number, $18::text as nsu,
       c.callback_url, $19::text as old_state, $20::text as new_state, $13::timestamptz as moment, $21::text as moment_text,
       $22::text as callback_body
     from changed c where $20::text is not null
   ), ${BILL_MOVEMENTS}
   select c.*, ${IS_WAITING} from changed c`,
);

/** `keyed`: the request that this move answers, remembered with it. */
export type PixMoveRow = PixKey & MoveRow<Pix, PixMove> & { readonly keyed?: KeyedRequest | null };
export type PixMoved = Moved<Pix>;

/** `isWaiting`: deliveries were written. Null: the state is no longer that of `pix`. */
export async function movePix(
  tx: Tx,
  pix: Pix,
  move: PixMove,
  {
    leaseMilliseconds,
    keyToFree = null,
    keyed = null,
  }: Pick<PixMoveRow, 'leaseMilliseconds' | 'keyToFree' | 'keyed'>,
): Promise<MovedRow<Pix> | null> {
  const { payment, news, moment } = move;
  const momentText = saoPauloOffsetText(moment);
  const [row] = await tx.query(MOVE, [
    ...[pix.merchantId, pix.pixId, move.from, move.to, move.isExpiring, move.pixEmv, move.refusalReason],
    ...[
      payment?.endToEndId ?? null,
      payment?.amount ?? null,
      payment === null ? null : utcText(payment.paidAt),
    ],
    move.actsAt === null ? null : utcText(move.actsAt),
    move.isAsked ? leaseMilliseconds : null,
    utcText(moment),
    keyToFree,
    ...keyValues(keyed),
    nsuOf(payment?.endToEndId ?? null),
    news?.before ?? null,
    news?.after ?? null,
    momentText,
    news === null || pix.callbackUrl === null ? null : callbackBody(pix, move, momentText),
  ]);
  return row === undefined ? null : { held: parsePix(row), isWaiting: row.is_waiting === true };
}

const MOVES = { idOf: ({ pixId }: PixMoveRow) => pixId, lock: lockPix, write: movePix };

export function pixMovesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<PixMoveRow, PixMoved> {
  return movesWrite(database, deliverer, { ...MOVES, name: 'pixMoves' }, true);
}

/** As `pixMovesWrite`, but writes nothing after the caller's deadline. */
export function pixWishesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<PixMoveRow, PixMoved> {
  return movesWrite(database, deliverer, { ...MOVES, name: 'pixWishes' }, false);
}

const MADE = rowCodec({ pixId: column.text() });

const FIND_MADE = statement(
  'pix_charges.find_made',
  `select ${MADE.columns} from pix_charges
   where merchant_id = $1 and pix_id between $2::uuid and $3::uuid and refusal_reason is distinct from 'notSent'
   limit 1`,
);

/** Finds the charge of the request whose derived ids are this span; not one that was never sent. */
export async function findMadePix(
  database: Reader,
  merchantId: string,
  { first, last }: IdSpan,
): Promise<string | null> {
  return firstOf(await database.query(FIND_MADE, [merchantId, first, last]), MADE.parse)?.pixId ?? null;
}

const NAME_LINK = statement(
  'pix_charges.name_link',
  `update pix_charges set link_id = $3 where merchant_id = $1 and pix_id = $2 and link_id is null returning pix_id`,
);

/** Names the payment link of a charge. False: it has one already. */
export async function nameLinkOfPix(
  tx: Tx,
  merchantId: string,
  pixId: string,
  linkId: string,
): Promise<boolean> {
  return (await tx.query(NAME_LINK, [merchantId, pixId, linkId])).length === 1;
}
