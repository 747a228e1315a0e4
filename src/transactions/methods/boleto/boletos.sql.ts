import type { IdSpan } from '../../../idempotency/idempotency-key.ts';
import { FREE_KEYS } from '../../../idempotency/idempotency-keys.sql.ts';
import type { Page } from '../../../platform/pages.ts';
import type { BatchedWriteOptions } from '../../../platform/postgres/batched-writes.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../../platform/postgres/page-of.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../../platform/postgres/row-codec.ts';
import type { BoletoPayer } from '../../../providers/banks/bank.ts';
import { TELL_REFUSALS } from '../../../providers/banks/remittances/instructions.sql.ts';
import { saoPauloOffsetText, utcText } from '../../../values/instant.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import { PAYMENT_KINDS } from '../../bill-payment.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../movements/bill-movements.sql.ts';
import type { Moved, MoveRow } from '../../requests/move.ts';
import { type MovedRow, movesWrite } from '../../requests/moves.sql.ts';
import { callbackBody } from './bill-status.ts';
import type { ReceivedPayment } from './boleto.ts';
import {
  BOLETO_STATES,
  type Boleto,
  type BoletoKey,
  NOT_SENT,
  OPEN_STATES,
  REGISTRATION_REFUSALS,
  type WantedBoletos,
} from './boleto.ts';
import type { BoletoMove } from './boleto-move.ts';
import type { BoletoToPrint } from './print/boleto-to-print.ts';

/** The key of the exception of a payment `p`. */
export const EXCEPTION_KEY = `'boleto:' || p.boleto_id || ':' || p.change_id`;

const PAYMENTS = `(
    select coalesce(jsonb_agg(jsonb_build_object('amount', p.amount, 'paid_on', p.paid_on, 'kind', p.kind,
      'is_open', coalesce(e.state = 'open', false), 'exception_id', e.exception_id) order by p.created_at, p.change_id), '[]')
    from boleto_payments p left join lateral (
      select state, exception_id from reconciliation_exceptions
      where merchant_id = p.merchant_id and exception_key = ${EXCEPTION_KEY} limit 1
    ) e on true
    where p.merchant_id = b.merchant_id and p.boleto_id = b.boleto_id
  )`;

const PAYMENT = rowCodec<ReceivedPayment>({
  amount: column.money(),
  paidOn: column.day(),
  kind: column.oneOf(PAYMENT_KINDS),
  isOpen: column.boolean(),
  exceptionId: column.nullable(column.text()),
});

/** The contract checked the payer's fields when they were written. */
export function readPayer(value: unknown): BoletoPayer | undefined {
  return typeof value === 'object' && value !== null ? (value as BoletoPayer) : undefined;
}

/** The column is null in older boletos: there it is the time from the due day to the last day to pay. */
const DAYS_TO_EXPIRE = 'coalesce(b.days_to_expire, b.payable_until - b.due_on)';

export const BOLETO = rowCodec(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    accountNumber: column.text(),
    ourNumber: column.text(),
    pageKey: column.text(),
    state: column.oneOf(BOLETO_STATES),
    stateBefore: column.nullable(column.oneOf(OPEN_STATES)),
    isExpiring: column.boolean(),
    amount: column.money(),
    issuedOn: column.day(),
    dueOn: column.day(),
    payableUntil: column.day(),
    daysToExpire: column.whole(DAYS_TO_EXPIRE),
    wantedDueOn: column.nullable(column.day()),
    wantedPayableUntil: column.nullable(column.day()),
    dueDayChanges: column.whole(),
    isDayOpen: column.boolean('coalesce(b.due_days[cardinality(b.due_days)] <> b.due_on, false)'),
    payer: column.nullable(column.parsedBy(readPayer)),
    referenceTransaction: column.nullable(column.text()),
    instructions: column.listOf(column.text()),
    finePortion: column.nullable(column.whole()),
    interestPortion: column.nullable(column.whole()),
    discountAmount: column.nullable(column.money()),
    discountUntil: column.nullable(column.day()),
    callbackUrl: column.nullable(column.text()),
    barCode: column.nullable(column.text()),
    pixEmv: column.nullable(column.text()),
    linkId: column.nullable(column.text()),
    bank: column.text(),
    askedBank: column.nullable(column.text()),
    refusalReason: column.nullable(column.oneOf([...REGISTRATION_REFUSALS, NOT_SENT] as const)),
    paidAmount: column.nullable(column.money()),
    paidOn: column.nullable(column.day()),
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
  'b',
);

/** The same columns with a prefix, for rows that have more than a boleto. */
export const SHOWN_BOLETO = rowCodec(BOLETO.fields, 'b', 'boleto_');

export function parseBoleto(row: Row): Boleto {
  return boletoOf(BOLETO.parse(row));
}

export function parseShownBoleto(row: Row): Boleto {
  return boletoOf(SHOWN_BOLETO.parse(row));
}

function boletoOf({
  discountAmount,
  discountUntil,
  barCode,
  pixEmv,
  paidAmount,
  paidOn,
  wantedDueOn: dueOn,
  wantedPayableUntil: payableUntil,
  ...boleto
}: RowOf<typeof BOLETO>): Boleto {
  return {
    ...boleto,
    discount:
      discountAmount === null || discountUntil === null
        ? null
        : { amount: discountAmount, until: discountUntil },
    registered: barCode === null ? null : { barCode, pixEmv },
    wanted: dueOn === null || payableUntil === null ? null : { dueOn, payableUntil },
    payment: paidAmount === null || paidOn === null ? null : { amount: paidAmount, paidOn },
  };
}

const FIND = statement(
  'boletos.find',
  `select ${BOLETO.columns} from boletos b where b.merchant_id = $1 and b.boleto_id = $2`,
);

export async function findBoleto(
  database: Reader,
  { merchantId, boletoId }: BoletoKey,
): Promise<Boleto | null> {
  return firstOf(await database.query(FIND, [merchantId, boletoId]), parseBoleto);
}

const MADE = rowCodec({ boletoId: column.text() });

const FIND_MADE = statement(
  'boletos.find_made',
  `select ${MADE.columns} from boletos
   where merchant_id = $1 and boleto_id between $2::uuid and $3::uuid and refusal_reason is distinct from 'notSent'
   limit 1`,
);

/** Finds the boleto of the request whose derived ids are this span; not one that was never sent. */
export async function findMadeBoleto(
  database: Reader,
  merchantId: string,
  { first, last }: IdSpan,
): Promise<string | null> {
  return firstOf(await database.query(FIND_MADE, [merchantId, first, last]), MADE.parse)?.boletoId ?? null;
}

const LOCK = statement(
  'boletos.lock',
  'select boleto_id from boletos where merchant_id = $1 and boleto_id = $2 for no key update',
);

/**
 * The due days of the last changes, the newest last, each day once: a return file may name any of them. Once
 * the bank has answered, the last one is the due day that the boleto has.
 */
const KNOWN_DUE_DAYS = `array(select k.day from (
         select d.day, max(d.place) as place
         from unnest(b.due_days || b.due_on || $20::date || coalesce($22::date, $20::date)) with ordinality d (day, place)
         group by d.day order by 2 desc limit 50) k order by k.place)`;

/** Writes the decided move of a locked row, with its movement and deliveries. */
const MOVE = statement(
  'boletos.move',
  `with changed as (
     update boletos b set state = $4, state_before = $5, is_expiring = $6, bar_code = $7, pix_emv = $8,
       refusal_reason = $9, paid_amount = $10, paid_on = $11::date, acts_at = $12::timestamptz,
       due_at = now() + $13::integer * interval '1 millisecond', changed_at = $14::timestamptz,
       due_on = $20::date, payable_until = $21::date, days_to_expire = ${DAYS_TO_EXPIRE}, wanted_due_on = $22::date, wanted_payable_until = $23::date,
       due_day_changes = b.due_day_changes + ($22::date is not null and $3 in ('issued', 'overdue'))::integer,
       due_days = case when $22::date is null and $20::date = b.due_on and (b.due_days is null or $4 not in ('issued', 'overdue')) then b.due_days else ${KNOWN_DUE_DAYS} end,
       fence = b.fence + 1, tries = 0, unknown_since = null, unknown_reason = null
     where b.merchant_id = $1 and b.boleto_id = $2 and b.state = $3
     returning ${BOLETO.columns}
   ), ${TELL_REFUSALS}, unkeyed as (
     select merchant_id, $15::bytea as key_hash, boleto_id as resource_id from changed
   ), ${FREE_KEYS}, news as (
     select c.*, null::uuid as pix_id, 'Boleto' as type, c.our_number as nsu, $16::text as old_state, $17::text as new_state, $14::timestamptz as moment, $18::text as moment_text,
       $19::text as callback_body
     from changed c where $17::text is not null
   ), ${BILL_MOVEMENTS}
   select c.*, ${IS_WAITING} from changed c`,
);

export type BoletoMoveRow = BoletoKey & MoveRow<Boleto, BoletoMove>;
export type BoletoMoved = Moved<Boleto>;

/**
 * The boleto is read after it is locked: a statement that waited for the lock would show its payments as they
 * were before.
 */
async function lockBoleto(tx: Tx, { merchantId, boletoId }: BoletoKey): Promise<Boleto | null> {
  const [locked] = await tx.query(LOCK, [merchantId, boletoId]);
  if (locked === undefined) return null;
  return firstOf(await tx.query(FIND, [merchantId, boletoId]), parseBoleto);
}

/** `isWaiting`: deliveries were written. Null: the state is no longer that of `boleto`. */
export async function moveBoleto(
  tx: Tx,
  boleto: Boleto,
  move: BoletoMove,
  { leaseMilliseconds, keyToFree = null }: Pick<BoletoMoveRow, 'leaseMilliseconds' | 'keyToFree'>,
): Promise<MovedRow<Boleto> | null> {
  const { registered, payment, news, moment, days, wanted } = move;
  const momentText = saoPauloOffsetText(moment);
  const [row] = await tx.query(MOVE, [
    boleto.merchantId,
    boleto.boletoId,
    move.from,
    move.to,
    move.stateBefore,
    move.isExpiring,
    registered?.barCode ?? null,
    registered?.pixEmv ?? null,
    move.refusalReason,
    payment?.amount ?? null,
    payment?.paidOn ?? null,
    move.actsAt === null ? null : utcText(move.actsAt),
    move.isAsked ? leaseMilliseconds : null,
    utcText(moment),
    keyToFree,
    news?.before ?? null,
    news?.after ?? null,
    momentText,
    news === null || boleto.callbackUrl === null ? null : callbackBody(boleto, move, momentText),
    ...[days.dueOn, days.payableUntil, wanted?.dueOn ?? null, wanted?.payableUntil ?? null],
  ]);
  return row === undefined ? null : { held: parseBoleto(row), isWaiting: row.is_waiting === true };
}

const MOVES = {
  idOf: ({ boletoId }: BoletoMoveRow) => boletoId,
  lock: lockBoleto,
  write: moveBoleto,
};

export function boletoMovesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<BoletoMoveRow, BoletoMoved> {
  return movesWrite(database, deliverer, { ...MOVES, name: 'boletoMoves' }, true);
}

/** As `boletoMovesWrite`, but writes nothing after the caller's deadline. */
export function boletoWishesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<BoletoMoveRow, BoletoMoved> {
  return movesWrite(database, deliverer, { ...MOVES, name: 'boletoWishes' }, false);
}

/**
 * Refused boletos never were bills, and are left out. `$7`: a state; null: any. `$8`: the state before a
 * cancel or change that is shown like `$7`.
 */
const FOUND = `from boletos where merchant_id = $1 and account_number = $4 and due_on >= $5::date and due_on <= $6::date
  and amount > 0 and state || '' <> 'refused'
  and case when $7::text is null then true when state_before is not null then state_before = $8::text else state = $7::text end`;

const BY_DUE_DAY = pageOf({
  name: 'boletos.list_by_due_day',
  before: `counted as materialized (select count(*) as total from (select ${FOUND} order by due_on, boleto_id {counted}) c)`,
  keys: `select due_on, boleto_id ${FOUND}`,
  key: 'boleto_id',
  order: ['due_on', 'boleto_id'],
  shown: `${BOLETO.columns} from page g cross join lateral (
       select * from boletos where merchant_id = $1 and boleto_id = g.boleto_id limit 1
     ) b`,
});

/** Page and total are of one moment. */
export async function listFoundBoletos(
  database: Reader,
  merchantId: string,
  wanted: WantedBoletos,
): Promise<Page<Boleto>> {
  const { accountNumber, dueFrom, dueTo, states } = wanted;
  const values = [accountNumber, dueFrom, dueTo, states?.state ?? null, states?.canceledFrom ?? null];
  const { rows, total } = await readPageOf(database, BY_DUE_DAY, merchantId, wanted, values);
  return { items: rows.map(parseBoleto), total };
}

export type BoletoNames = { readonly kind: 'barCode' | 'document'; readonly texts: readonly string[] };

const NAMED = rowCodec({ boletoId: column.text() });

/** Uses boletos_by_bar_code. A bank may use a bar code again after years. */
const BY_BAR_CODE = statement(
  'boletos.find_by_bar_code',
  `select ${NAMED.columns} from boletos where merchant_id = $1 and bar_code = any ($2::text[]) and bar_code is not null limit $3`,
);

/** Uses boletos_by_payer_time: the newest `$3` of each document, and of all these the newest `$3`. */
const BY_DOCUMENT = statement(
  'boletos.find_by_document',
  `select ${NAMED.columns} from unnest($2::text[]) d (document) cross join lateral (
     select boleto_id, requested_at from boletos
     where payer is not null and payer ->> 'documentNumber' = d.document and merchant_id = $1
     order by requested_at desc, boleto_id desc limit $3::bigint
   ) b order by requested_at desc, boleto_id desc limit $3::bigint`,
);

const STATEMENTS = { barCode: BY_BAR_CODE, document: BY_DOCUMENT };

export async function findNamedBoletos(
  database: Reader,
  merchantId: string,
  { kind, texts }: BoletoNames,
  limit: number,
): Promise<string[]> {
  if (texts.length === 0) return [];
  const rows = await database.query(STATEMENTS[kind], [merchantId, texts, limit]);
  return rows.map((row) => NAMED.parse(row).boletoId);
}

const BENEFICIARY = rowCodec({
  name: column.text('m.legal_name'),
  documentNumber: column.text('m.cnpj'),
  address: column.nullable(column.text('m.business_address')),
});

const FIND_PRINTED = statement(
  'boletos.find_to_print',
  `select ${BOLETO.columns}, ${BENEFICIARY.columns}
   from boletos b join merchants m using (merchant_id)
   where b.page_key = $1`,
);

export async function findBoletoToPrint(
  database: Reader,
  pageKey: string,
): Promise<(Omit<BoletoToPrint, 'today'> & Pick<Boleto, 'merchantId'>) | null> {
  const [row] = await database.query(FIND_PRINTED, [pageKey]);
  return row === undefined ? null : { ...parseBoleto(row), beneficiary: BENEFICIARY.parse(row) };
}

const NAME_LINK = statement(
  'boletos.name_link',
  `update boletos set link_id = $3 where merchant_id = $1 and boleto_id = $2 and link_id is null returning boleto_id`,
);

/** Names the payment link of a boleto. False: it has one already. */
export async function nameLinkOfBoleto(
  tx: Tx,
  merchantId: string,
  boletoId: string,
  linkId: string,
): Promise<boolean> {
  return (await tx.query(NAME_LINK, [merchantId, boletoId, linkId])).length === 1;
}
