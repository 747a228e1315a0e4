import type { IdSpan } from '../../../../idempotency/idempotency-key.ts';
import {
  FREE_KEYS,
  keyValues,
  REMEMBER_KEYS,
  racingForKeys,
} from '../../../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../../../platform/postgres/batched-writes.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../../../platform/postgres/database.ts';
import type { Deadline } from '../../../../platform/postgres/deadline.ts';
import { column, firstOf, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import type { Cents } from '../../../../values/cents.ts';
import { type Instant, saoPauloOffsetText, utcText } from '../../../../values/instant.ts';
import type { Deliverer } from '../../../../webhooks/deliveries/delivery.ts';
import { BILL_CALLBACKS, IS_CALLBACK_WAITING } from '../../../movements/bill-movements.sql.ts';
import { notifySoon } from '../../../requests/moves.sql.ts';
import { requestQueue } from '../../../requests/request-queue.sql.ts';
import { givenBack, type Pix, type PixKey } from '../pix.ts';
import { lockPix, movePix } from '../pix-charges.sql.ts';
import { moveOf } from '../pix-move.ts';
import { newsBody } from '../pix-status.ts';
import {
  paymentToRefund,
  REFUND_MOVES,
  REFUND_STATES,
  type Refund,
  type RefundIntent,
  type RefundRefusal,
  type RefundState,
  refundHold,
  SECOND_LOOK_SECONDS,
} from './refund.ts';

const REFUND = rowCodec<Refund>(
  {
    merchantId: column.text(),
    refundId: column.text(),
    pixId: column.text(),
    endToEndId: column.text(),
    state: column.oneOf(REFUND_STATES),
    amount: column.money(),
    refusalReason: column.nullable(column.text()),
    doubtedSeconds: column.nullable(column.real('extract(epoch from now() - f.refused_at)::float8')),
    requestedAt: column.instant(),
    refundedAt: column.nullable(column.instant()),
    bank: column.text(
      '(select p.bank from pix_charges p where p.merchant_id = f.merchant_id and p.pix_id = f.pix_id)',
    ),
    fence: column.whole(),
    tries: column.whole(),
  },
  'f',
);

export const REFUND_REQUESTS = requestQueue(
  {
    table: 'pix_refunds',
    alias: 'f',
    key: 'refund_id',
    open: fromStates(REFUND_MOVES, 'confirm'),
    claimed: "unknown_reason = coalesce(f.unknown_reason, 'the bank is to be asked')",
    postponed: '',
    overdue: 'unknown_reason is not null',
    columns: REFUND.columns,
  },
  REFUND.parse,
);

const FIND = statement(
  'pix_refunds.find',
  `select ${REFUND.columns} from pix_refunds f where f.merchant_id = $1 and f.refund_id = $2`,
);

export async function findRefund(
  database: Reader,
  merchantId: string,
  refundId: string,
): Promise<Refund | null> {
  return firstOf(await database.query(FIND, [merchantId, refundId]), REFUND.parse);
}

const LIST = statement(
  'pix_refunds.list_of_charge',
  `select ${REFUND.columns} from pix_refunds f where f.merchant_id = $1 and f.pix_id = $2
   order by f.created_at desc, f.refund_id limit $3`,
);

/** The newest `limit` refunds of a charge, oldest first. */
export async function listRefunds(
  database: Reader,
  { merchantId, pixId }: PixKey,
  limit: number,
): Promise<Refund[]> {
  return (await database.query(LIST, [merchantId, pixId, limit])).map(REFUND.parse).reverse();
}

const MADE = rowCodec({ refundId: column.text() });

const FIND_MADE = statement(
  'pix_refunds.find_made',
  `select ${MADE.columns} from pix_refunds
   where merchant_id = $1 and refund_id between $2::uuid and $3::uuid and pix_id = $4
     and refusal_reason is distinct from 'notSent' limit 1`,
);

/** Finds the refund of the request whose derived ids are this span; not one that was never sent. */
export async function findMadeRefund(
  database: Reader,
  { merchantId, pixId }: PixKey,
  { first, last }: IdSpan,
): Promise<string | null> {
  const [row] = await database.query(FIND_MADE, [merchantId, first, last, pixId]);
  return row === undefined ? null : MADE.parse(row).refundId;
}

export type RefundIntentRow = RefundIntent & { readonly leaseMilliseconds: number };

/** `notFound`: no such charge. `keyUsed`: the request's key belongs to another cancel. */
export type RefundIntentResult =
  | { readonly kind: 'keyUsed' | 'notFound' }
  | { readonly kind: 'committed'; readonly refund: Refund }
  | { readonly kind: 'refused'; readonly refusal: RefundRefusal };

const COMMIT = statement(
  'pix_refunds.commit_intent',
  `with written as (
     insert into pix_refunds (merchant_id, refund_id, pix_id, end_to_end_id, state, amount, created_by, requested_at, due_at)
     values ($1, $2, $3, $4, 'refunding', $5, $6, $7::timestamptz, now() + $8::integer * interval '1 millisecond')
     returning merchant_id, refund_id, pix_id, end_to_end_id, amount
   ), held as (
     update pix_payments y set held_amount = y.held_amount + w.amount from written w
     where y.merchant_id = w.merchant_id and y.pix_id = w.pix_id and y.end_to_end_id = w.end_to_end_id
   ), keyed as (
     select merchant_id, $9::bytea as key_hash, $10::bytea as body_fingerprint, $11::integer as body_fingerprint_key_id,
       refund_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select refund_id from written`,
);

const KEY_USED = rowCodec({ isUsed: column.boolean() });

const IS_KEY_USED = statement(
  'pix_refunds.is_key_used',
  'select exists (select from idempotency_keys where merchant_id = $1 and key_hash = $2) as is_used',
);

const LIMITS = { statementsInFlight: 4, waitingCallers: 500 };

/**
 * Records a refund and holds its amount, if so much is left. Repeatable: an id that exists was written by an
 * earlier try.
 */
export function refundIntentsWrite(
  database: Database,
): BatchedWriteOptions<RefundIntentRow, RefundIntentResult> {
  return oneByOne({
    name: 'pixRefundIntents',
    isRefusal: ({ kind }) => kind === 'refused',
    key: (row) => row.refundId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    write: (row, deadline) => racingForKeys(() => commitIntent(database, row, deadline)),
  });
}

function commitIntent(
  database: Database,
  row: RefundIntentRow,
  deadline: Deadline,
): Promise<RefundIntentResult> {
  const { merchantId, refundId, pixId, requestedAt, createdBy, leaseMilliseconds, request } = row;
  return database.transaction(async (tx): Promise<RefundIntentResult> => {
    const pix = await lockPix(tx, { merchantId, pixId });
    if (pix === null) return { kind: 'notFound' };
    const [there] = await tx.query(FIND, [merchantId, refundId]);
    if (there !== undefined) return { kind: 'committed', refund: REFUND.parse(there) };
    const [used] = request === null ? [] : await tx.query(IS_KEY_USED, [merchantId, request.keyHash]);
    if (used !== undefined && KEY_USED.parse(used).isUsed) return { kind: 'keyUsed' };
    const paid = paymentToRefund(pix, row.endToEndId);
    const hold = refundHold(paid, row);
    if (typeof hold === 'string') return { kind: 'refused', refusal: hold };
    const values = [merchantId, refundId, pixId, paid?.endToEndId, hold, createdBy, utcText(requestedAt)];
    await tx.query(COMMIT, [...values, leaseMilliseconds, ...keyValues(request)]);
    const [written] = await tx.query(FIND, [merchantId, refundId]);
    return { kind: 'committed', refund: REFUND.parse(written as Row) };
  }, deadline);
}

/** What the bank answered, or that it was not asked. */
export type RefundOutcome =
  | { readonly event: 'confirm' }
  | { readonly event: 'accept'; readonly askAfterSeconds: number }
  | { readonly event: 'doubt'; readonly reason: string }
  | { readonly event: 'refuse' | 'withdraw'; readonly reason: string };

export type RefundOutcomeRow = Pick<Refund, 'merchantId' | 'refundId' | 'pixId'> & {
  readonly outcome: RefundOutcome;
  /** Business time. */
  readonly moment: Instant;
  /** The fence that must still hold the refund; if absent, any process may bring the bank's answer. */
  readonly fence?: number;
  readonly keyToFree?: Buffer | null;
};

const CONFIRM = statement(
  'pix_refunds.confirm',
  `with done as (
     update pix_refunds set state = 'refunded', refunded_at = $3::timestamptz, decided_at = now(), due_at = null,
       refused_at = null, refusal_reason = null
     where merchant_id = $1 and refund_id = $2 and state in (${fromStates(REFUND_MOVES, 'confirm')})
     returning merchant_id, pix_id, end_to_end_id, amount
   )
   update pix_payments y set returned_amount = y.returned_amount + d.amount from done d
   where y.merchant_id = d.merchant_id and y.pix_id = d.pix_id and y.end_to_end_id = d.end_to_end_id
   returning y.end_to_end_id`,
);

const ACCEPT = statement(
  'pix_refunds.accept',
  `update pix_refunds set state = 'pending', due_at = now() + $3 * interval '1 second', unknown_reason = null, refused_at = null,
     refusal_reason = null
   where merchant_id = $1 and refund_id = $2 and state in (${fromStates(REFUND_MOVES, 'accept')})
   returning refund_id`,
);

/**
 * Records a refusal in doubt: nothing is given back under this id, unless an earlier try is still on its way
 * to the bank.
 */
const DOUBT = statement(
  'pix_refunds.doubt',
  `update pix_refunds set state = 'refunding', due_at = now() + $4 * interval '1 second', tries = 0, refused_at = now(),
     refusal_reason = $3, unknown_reason = 'the bank refuses it: ' || $3
   where merchant_id = $1 and refund_id = $2 and state in (${fromStates(REFUND_MOVES, 'doubt')})
   returning refund_id`,
);

const REFUSE = statement(
  'pix_refunds.refuse',
  `with done as (
     update pix_refunds set state = 'refused', refusal_reason = $3, decided_at = now(), due_at = null
     where merchant_id = $1 and refund_id = $2 and state in (${fromStates(REFUND_MOVES, 'refuse')})
     returning merchant_id, refund_id, pix_id, end_to_end_id, amount
   ), freed_amount as (
     update pix_payments y set held_amount = y.held_amount - d.amount from done d
     where y.merchant_id = d.merchant_id and y.pix_id = d.pix_id and y.end_to_end_id = d.end_to_end_id
   ), unkeyed as (
     select merchant_id, $4::bytea as key_hash, refund_id as resource_id from done
   ), ${FREE_KEYS}
   select refund_id from done`,
);

const HASTEN = statement(
  'pix_refunds.hasten',
  `update pix_refunds set due_at = now()
   where end_to_end_id = any($1::text[]) and state = 'pending' and due_at > now() + interval '1 second'`,
);

/** On a hint that the bank has ended devolutions of these payments: their pending refunds are due at once. */
export async function hastenRefunds(database: Database, endToEndIds: readonly string[]): Promise<void> {
  if (endToEndIds.length > 0) await database.query(HASTEN, [endToEndIds]);
}

/**
 * Writes the callback for money that was given back while something is left of what paid the charge. A
 * movement is written only when nothing is left.
 */
const TELL = statement(
  'pix_refunds.tell',
  `with news as (
     select p.merchant_id, null::uuid as boleto_id, p.pix_id, 'Pix' as type, p.account_number, $3::text as nsu, p.callback_url,
       $4::timestamptz as moment, $5::text as moment_text,
       $6::text as callback_body
     from pix_charges p where p.merchant_id = $1 and p.pix_id = $2 and $6::text is not null
   ), ${BILL_CALLBACKS}
   select ${IS_CALLBACK_WAITING}`,
);

/** Returns the refund's state after the write: another process may have brought an answer before. */
export function refundOutcomesWrite(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<RefundOutcomeRow, RefundState> {
  return oneByOne({
    name: 'pixRefundOutcomes',
    isRefusal: () => false,
    key: (row) => row.refundId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    mustBeWritten: true,
    write: (row) => recordOutcome(database, deliverer, row),
  });
}

async function recordOutcome(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  row: RefundOutcomeRow,
): Promise<RefundState> {
  const { merchantId, refundId, outcome, fence } = row;
  const { state, isWaiting } = await database.transaction(async (tx) => {
    const pix = await lockPix(tx, row);
    const [found] = await tx.query(FIND, [merchantId, refundId]);
    if (pix === null || found === undefined) throw new Error(`the refund ${refundId} is gone`);
    const refund = REFUND.parse(found);
    const next = REFUND_MOVES[refund.state][outcome.event];
    if (next === null || (fence !== undefined && refund.fence !== fence))
      return { state: refund.state, isWaiting: false };
    return { state: next, isWaiting: await writeOutcome(tx, pix, refund, row) };
  });
  if (isWaiting) notifySoon(deliverer);
  return state;
}

/** Returns whether deliveries were written. */
async function writeOutcome(tx: Tx, pix: Pix, refund: Refund, row: RefundOutcomeRow): Promise<boolean> {
  const { outcome, moment, keyToFree = null } = row;
  const key = [refund.merchantId, refund.refundId];
  if (outcome.event === 'accept') {
    await tx.query(ACCEPT, [...key, outcome.askAfterSeconds]);
    return false;
  }
  if (outcome.event === 'doubt') {
    await tx.query(DOUBT, [...key, outcome.reason, SECOND_LOOK_SECONDS]);
    return false;
  }
  if (outcome.event !== 'confirm') {
    await tx.query(REFUSE, [...key, outcome.reason, keyToFree]);
    return false;
  }
  await tx.query(CONFIRM, [...key, utcText(moment)]);
  const now = { ...pix, payments: pix.payments.map((paid) => lessRefund(paid, refund)) };
  const paying = now.payments.find(({ isPaying }) => isPaying);
  const isAll = paying !== undefined && paying.returnedAmount === paying.amount;
  const move = isAll ? moveOf(now, { event: 'giveBack' }, moment) : null;
  const moved = move === null ? null : await movePix(tx, now, move, { leaseMilliseconds: 0 });
  if (moved !== null) return moved.isWaiting;
  return tellPart(tx, now, moment);
}

function lessRefund(paid: Pix['payments'][number], { endToEndId, amount }: Refund): Pix['payments'][number] {
  if (paid.endToEndId !== endToEndId) return paid;
  return { ...paid, returnedAmount: (paid.returnedAmount + amount) as Cents };
}

async function tellPart(tx: Tx, pix: Pix, moment: Instant): Promise<boolean> {
  if (pix.callbackUrl === null) return false;
  const momentText = saoPauloOffsetText(moment);
  const { returned: returnedAmount } = givenBack(pix);
  const body = newsBody(
    pix,
    { state: pix.state, payment: pix.payment, returnedAmount, unexpectedPayment: null },
    momentText,
  );
  const [row] = await tx.query(TELL, [pix.merchantId, pix.pixId, '', utcText(moment), momentText, body]);
  return row?.is_waiting === true;
}
