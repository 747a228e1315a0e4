import type { BusinessClock } from '../../../../platform/business-clock.ts';
import type { FeedPage } from '../../../../platform/feeds/feed.ts';
import {
  feedCursors,
  MOVED_ON,
  UNREADABLE,
  waitingChanges,
} from '../../../../platform/feeds/feed-cursors.sql.ts';
import { type Database, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { type InputColumns, inputRows } from '../../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import {
  type FoundPix,
  type PixReceipt,
  type PixRemoveAnswer,
  RETURN_NATURES,
} from '../../../../providers/pix/pix-bank.ts';
import { instant, saoPauloOffsetText, utcText } from '../../../../values/instant.ts';
import type { Deliverer } from '../../../../webhooks/deliveries/delivery.ts';
import { findKindBesideLink } from '../../../bill-payment.sql.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../../movements/bill-movements.sql.ts';
import { notifySoon } from '../../../requests/moves.sql.ts';
import { givenBack, isTxidOfOurs, type Pix, shownState } from '../pix.ts';
import { lockPix, movePix } from '../pix-charges.sql.ts';
import { moveOf, type PixMove } from '../pix-move.ts';
import { newsBody, nsuOf } from '../pix-status.ts';
import { LOST_IS_KEPT } from './odd-receipts.sql.ts';
import {
  decideReceipt,
  decideReturn,
  RECEIPT_MOVES,
  type ReceiptDecision,
  type ReceiptResult,
  type ReceivedPayment,
  receiptIdOf,
  type WaitingReceipt,
} from './receipt.ts';
import { isReturnKnown, takeBack } from './returns.sql.ts';

const RECEIPT = rowCodec<WaitingReceipt>(
  {
    merchantId: column.text(),
    pixId: column.text(),
    changeId: column.text('r.receipt_id'),
    changeNumber: column.whole('r.receipt_number'),
    endToEndId: column.text('left(r.receipt_id, 32)'),
    returnId: column.nullable(column.text()),
    returnNature: column.nullable(column.oneOf(RETURN_NATURES)),
    amount: column.money(),
    receivedAt: column.instant(),
    tries: column.whole(),
  },
  'r',
);

export const WAITING_RECEIPTS = waitingChanges(
  {
    name: 'pix_receipts',
    table: 'pix_receipts',
    alias: 'r',
    key: 'merchant_id, pix_id, receipt_id',
    number: 'receipt_number',
    columns: RECEIPT.columns,
  },
  RECEIPT.parse,
);

const STILL = statement(
  'pix_receipts.lock',
  `select receipt_id from pix_receipts
   where merchant_id = $1 and pix_id = $2 and receipt_id = $3 and state = 'waiting' for no key update`,
);

/** Deliveries of an unexpected payment follow those of the charge's move. A trigger opens its exception. */
const RECORD = statement(
  'pix_receipts.record_payment',
  `with recorded as (
     insert into pix_payments (merchant_id, pix_id, end_to_end_id, amount, expected_amount, surprise, kind, paid_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz)
     returning merchant_id, pix_id, kind
   ), news as (
     select p.merchant_id, null::uuid as boleto_id, p.pix_id, 'Pix' as type, p.account_number, $9::text as nsu,
       p.callback_url, $10::text as old_state, 'unexpectedPayment' as new_state, $8::timestamptz as moment,
       $11::text as moment_text, $12::text as callback_body
     from recorded r join pix_charges p on p.merchant_id = r.merchant_id and p.pix_id = r.pix_id
     where r.kind <> 'expected'
   ), ${BILL_MOVEMENTS}
   select ${IS_WAITING}`,
);

const APPLY = statement(
  'pix_receipts.apply',
  `update pix_receipts set state = 'applied', ended_at = now(), due_at = null
   where merchant_id = $1 and pix_id = $2 and receipt_id = $3 and state in (${fromStates(RECEIPT_MOVES, 'apply')})
   returning receipt_id`,
);

const POSTPONE = statement(
  'pix_receipts.postpone',
  `update pix_receipts set due_at = now() + $4 * interval '1 second', reason = $5
   where merchant_id = $1 and pix_id = $2 and receipt_id = $3 and state = 'waiting'
   returning receipt_id`,
);

/** The first pauses are short: the bank may report a charge before we know that it is there. */
const PAUSES_SECONDS = [1, 2, 5, 15, 60] as const;
const LONGEST_PAUSE_SECONDS = 300;

type Recorded = { readonly result: ReceiptResult; readonly isWaiting: boolean };

/** Applies or postpones a receipt in one commit. Repeatable: one that was applied is `gone`. */
export async function recordReceipt(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  clock: Pick<BusinessClock, 'now' | 'unmoved'>,
  receipt: WaitingReceipt,
): Promise<ReceiptResult> {
  const { merchantId, pixId, changeId, tries, receivedAt } = receipt;
  const key = [merchantId, pixId, changeId];
  // The bank's clock is real time; a merchant's test clock may be ahead of it.
  const paidAt = instant(receivedAt + clock.now(merchantId) - clock.unmoved());
  const { result, isWaiting } = await database.transaction(async (tx): Promise<Recorded> => {
    const pix = await lockPix(tx, receipt);
    const [held] = await tx.query(STILL, key);
    if (pix === null || held === undefined) return { result: 'gone', isWaiting: false };
    const { returnId } = receipt;
    const decision =
      returnId === null
        ? decideReceipt(pix, receipt, paidAt)
        : await decideKnownReturn(tx, pix, { ...receipt, returnId });
    if (decision.kind === 'wait') {
      const seconds = PAUSES_SECONDS[tries - 1] ?? LONGEST_PAUSE_SECONDS;
      await tx.query(POSTPONE, [...key, seconds, decision.reason]);
      return { result: decision.reason, isWaiting: false };
    }
    await tx.query(APPLY, key);
    if (decision.kind === 'known') return { result: 'applied', isWaiting: false };
    if (decision.kind === 'return')
      return { result: 'takenBack', isWaiting: await takeBack(tx, pix, receipt, decision.isAll, paidAt) };
    return {
      result: decision.payment?.surprise ?? 'applied',
      isWaiting: await moveAndPay(tx, pix, decision),
    };
  });
  if (isWaiting) notifySoon(deliverer);
  return result;
}

type KnownReturn = { readonly kind: 'known' } | { readonly kind: 'return'; readonly isAll: boolean };

/**
 * A return by a refund of ours is known from that refund's answer. One that the bank refused to us and
 * carried out all the same is not known.
 */
async function decideKnownReturn(
  tx: Tx,
  pix: Pix,
  receipt: WaitingReceipt & { readonly returnId: string },
): Promise<KnownReturn | Extract<ReceiptDecision, { kind: 'wait' }>> {
  if (await isReturnKnown(tx, receipt)) return { kind: 'known' };
  const decision = decideReturn(pix, receipt);
  return decision.kind === 'wait' ? decision : { kind: 'return', isAll: decision.isAll };
}

/** Returns whether deliveries were written. */
async function moveAndPay(
  tx: Tx,
  pix: Pix,
  { change, payment }: Extract<ReceiptDecision, { kind: 'apply' }>,
): Promise<boolean> {
  if (payment === null) return false;
  const move = change === null ? null : moveOf(pix, change, payment.paidAt);
  const moved = move === null ? null : await movePix(tx, pix, move, { leaseMilliseconds: 0 });
  const isPaidWaiting = await recordPayment(tx, pix, move, payment);
  return moved?.isWaiting === true || isPaidWaiting;
}

/** `move` is what the payment makes of its charge, or null. Returns whether deliveries were written. */
async function recordPayment(
  tx: Tx,
  pix: Pix,
  move: PixMove | null,
  paid: ReceivedPayment,
): Promise<boolean> {
  const { endToEndId, amount, expectedAmount, surprise, paidAt } = paid;
  const { merchantId, pixId, linkId } = pix;
  const beside = surprise === null ? await findKindBesideLink(tx, merchantId, pixId, linkId) : null;
  const kind = beside ?? paid.kind;
  const momentText = saoPauloOffsetText(paidAt);
  const state = move?.to ?? pix.state;
  const news = {
    state,
    payment: move?.payment ?? pix.payment,
    returnedAmount: givenBack(pix).returned,
    unexpectedPayment: { endToEndId, amount, kind },
  };
  const [row] = await tx.query(RECORD, [
    ...[merchantId, pixId, endToEndId, amount, expectedAmount, surprise, kind, utcText(paidAt)],
    nsuOf(endToEndId),
    shownState({ state }),
    momentText,
    pix.callbackUrl === null ? null : newsBody(pix, news, momentText),
  ]);
  return row?.is_waiting === true;
}

const RECEIPT_COLUMNS: InputColumns<PixReceipt> = {
  txid: ['text', (receipt) => receipt.txid],
  receipt_id: ['text', receiptIdOf],
  amount: ['bigint', (receipt) => receipt.amount],
  received_at: ['timestamptz', (receipt) => utcText(receipt.receivedAt)],
  return_id: ['text', ({ returned }) => returned?.id ?? null],
  return_nature: ['text', ({ returned }) => returned?.nature ?? null],
};
const RECEIPTS = inputRows<PixReceipt>(
  { ...RECEIPT_COLUMNS, is_txid_of_ours: ['boolean', ({ txid }) => isTxidOfOurs(txid)] },
  { after: UNREADABLE, place: 'place' },
);

const KEPT = `insert into pix_receipts (merchant_id, pix_id, receipt_id, amount, received_at, return_id, return_nature)
     select p.merchant_id, p.pix_id, i.receipt_id, i.amount, i.received_at, i.return_id, i.return_nature
     from moved, ${RECEIPTS.sql} join pix_charges p on p.txid = i.txid and p.bank = $9
     order by i.place
     on conflict do nothing`;
const REFUSED = `insert into unreadable_pix_receipts (merchant_id, item_hash, item, reason)
     select m.merchant_id, u.item_hash, u.item, u.reason
     from moved m, ${UNREADABLE.sql}
     where (select count(*) from (select from unreadable_pix_receipts limit $8) k) < $8
     on conflict do nothing`;

/**
 * Keeps what arrived for charges that this bank has of us; for Pix Automático also what has no Pix yet. What
 * left again of such a payment is reported by the rounds of returns, once there is a Pix.
 */
const KEPT_PAGE = `kept as (
     ${KEPT}
   ), collected as (
     insert into collected_pix_receipts (merchant_id, receipt_id, txid, amount, received_at)
     select c.merchant_id, i.receipt_id, i.txid, i.amount, i.received_at
     from moved, ${RECEIPTS.sql} cross join lateral (
       select o.merchant_id from pix_collections o
         join pix_authorizations a on a.merchant_id = o.merchant_id and a.subscription_id = o.subscription_id
       where o.txid = i.txid and a.bank = $9 limit 1
     ) c
     where i.return_id is null and not exists (select from pix_charges p where p.txid = i.txid)
     on conflict do nothing
   ), refused as (
     ${REFUSED}
   )`;

/**
 * What arrived under a txid of our form that nothing here has. It is kept for as long as it can be given
 * back.
 */
const LOST_FOUND = `lost_found as materialized (
     select i.receipt_id, i.txid, i.amount, i.received_at, (
       select count(*) < $8 from (select from lost_pix_receipts l where ${LOST_IS_KEPT} limit $8) k
     ) as has_room
     from ${RECEIPTS.sql}
     where i.return_id is null and i.is_txid_of_ours
       and not exists (select from pix_charges p where p.txid = i.txid)
       and not exists (select from pix_collections o where o.txid = i.txid)
       and not exists (select from lost_pix_receipts l where l.bank = $9 and l.receipt_id = i.receipt_id)
   ), lost_unkept as materialized (
     select count(*) as lost_unkept from lost_found where not has_room
   ), `;
/** Counts what there is no room to keep: only the bank's statement has it. */
const MOVED_COUNTING = `moved as (
     update pix_cursors c set cursor = $2, ${MOVED_ON},
       lost_unkept = c.lost_unkept + (select u.lost_unkept from lost_unkept u),
       lost_unkept_at = case when (select u.lost_unkept from lost_unkept u) > 0 then now() else c.lost_unkept_at end
     where c.merchant_id = $1 and c.bank = $9 and c.fence = $3 returning c.merchant_id
   )`;
const LOST = `aged as (
     delete from lost_pix_receipts l using moved where not (${LOST_IS_KEPT})
   ), lost as (
     insert into lost_pix_receipts (bank, receipt_id, txid, amount, received_at)
     select $9, f.receipt_id, f.txid, f.amount, f.received_at from moved, lost_found f where f.has_room
     on conflict do nothing
   )`;

const KEEP = statement(
  'pix_receipts.keep',
  `with ${LOST_FOUND}${MOVED_COUNTING}, ${KEPT_PAGE}, ${LOST} select merchant_id from moved`,
);
const KEEP_OF_CELL = statement(
  'pix_receipts_of_cell.keep',
  `with moved as (
     update pix_cursors c set cursor = $2, ${MOVED_ON}
     where c.merchant_id = $1 and c.bank = $9 and c.fence = $3 returning c.merchant_id
   ), ${KEPT_PAGE} select merchant_id from moved`,
);

export const PIX_CURSORS = feedCursors<FeedPage<PixReceipt>>(
  {
    name: 'pix_receipts',
    table: 'pix_cursors',
    column: 'bank',
    cursor: 'c.cursor',
    since: 'exists (select from pix_charges p where p.merchant_id = m.merchant_id)',
  },
  KEEP,
  ({ changes }) => RECEIPTS.values(changes),
);

/**
 * For a service with cells: an account receives for all of them, and what is unknown here is another cell's.
 */
export const PIX_CURSORS_OF_CELL = feedCursors<FeedPage<PixReceipt>>(
  {
    name: 'pix_receipts_of_cell',
    table: 'pix_cursors',
    column: 'bank',
    cursor: 'c.cursor',
    since: 'exists (select from pix_charges p where p.merchant_id = m.merchant_id)',
  },
  KEEP_OF_CELL,
  ({ changes }) => RECEIPTS.values(changes),
);

/** As `KEEP`, with the cursor of returns, and only for charges that are here. */
const KEEP_RETURNS = statement(
  'pix_returns.keep',
  `with moved as (
     update pix_return_cursors c set cursor = $2, ${MOVED_ON}
     where c.merchant_id = $1 and c.bank = $9 and c.fence = $3 returning c.merchant_id
   ), kept as (
     ${KEPT}
   ), refused as (
     ${REFUSED}
   )
   select merchant_id from moved`,
);

export const PIX_RETURN_CURSORS = feedCursors<FeedPage<PixReceipt>>(
  {
    name: 'pix_returns',
    table: 'pix_return_cursors',
    column: 'bank',
    cursor: 'c.cursor',
    since: 'exists (select from pix_charges p where p.merchant_id = m.merchant_id)',
  },
  KEEP_RETURNS,
  ({ changes }) => RECEIPTS.values(changes),
);

const FOUND = inputRows(RECEIPT_COLUMNS, { after: 2 });

const KEEP_FOUND = statement(
  'pix_receipts.keep_found',
  `insert into pix_receipts (merchant_id, pix_id, receipt_id, amount, received_at, return_id, return_nature)
   select p.merchant_id, p.pix_id, i.receipt_id, i.amount, i.received_at, i.return_id, i.return_nature
   from ${FOUND.sql} join pix_charges p on p.merchant_id = $1 and p.txid = i.txid and p.bank = $2
   on conflict do nothing`,
);

/** Keeps what the bank's record of a charge says that arrived: its list may tell it too late or never. */
export async function keepingReceipts<Answer extends FoundPix | PixRemoveAnswer>(
  database: Database,
  { merchantId, bank }: Pick<Pix, 'merchantId' | 'bank'>,
  answer: Answer,
): Promise<Answer> {
  const receipts = 'receipts' in answer ? answer.receipts : [];
  if (receipts.length > 0) await keepReceipts(database, { merchantId, bank }, receipts);
  return answer;
}

export async function keepReceipts(
  database: Database,
  { merchantId, bank }: Pick<Pix, 'merchantId' | 'bank'>,
  receipts: readonly PixReceipt[],
): Promise<void> {
  await database.query(KEEP_FOUND, [merchantId, bank, ...FOUND.values(receipts)]);
}

const HURRY = statement(
  'pix_receipts.hurry',
  "update pix_cursors set due_at = now() where bank = $1 and due_at > now() + interval '1 second' returning bank",
);

const HURRY_RETURNS = statement(
  'pix_returns.hurry',
  "update pix_return_cursors set due_at = now() where bank = $1 and due_at > now() + interval '1 second' returning bank",
);

/** On a hint that this bank has given something back by itself: it is asked now. */
export async function hurryReturns(database: Database, bank: string): Promise<void> {
  await database.query(HURRY_RETURNS, [bank]);
}

/** On a hint that something arrived at this bank: it is asked now. */
export async function hurryReceipts(database: Database, bank: string): Promise<void> {
  await database.query(HURRY, [bank]);
}
