import type { FeedPage } from '../../../../platform/feeds/feed.ts';
import {
  feedCursors,
  MOVED_ON,
  UNREADABLE,
  waitingChanges,
} from '../../../../platform/feeds/feed-cursors.sql.ts';
import { type Database, type Row, statement, type Tx } from '../../../../platform/postgres/database.ts';
import { inputRows, own } from '../../../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../../../platform/postgres/row-codec.ts';
import { fromStates } from '../../../../platform/postgres/state-table.ts';
import { BANK_EVENTS, type BankChange } from '../../../../providers/banks/bank.ts';
import { saoPauloOffsetText, utcText } from '../../../../values/instant.ts';
import type { Deliverer } from '../../../../webhooks/deliveries/delivery.ts';
import { findKindBesideLink } from '../../../bill-payment.sql.ts';
import { BILL_MOVEMENTS, IS_WAITING } from '../../../movements/bill-movements.sql.ts';
import { notifySoon } from '../../../requests/moves.sql.ts';
import { unexpectedBody } from '../bill-status.ts';
import { type Boleto, shownState } from '../boleto.ts';
import { type BoletoMove, moveOf } from '../boleto-move.ts';
import { BOLETO, moveBoleto, parseBoleto } from '../boletos.sql.ts';
import {
  BANK_CHANGE_MOVES,
  type BankChangeDecision,
  type BankChangeResult,
  type ChangeGround,
  decideBankChange,
  type ReportedPayment,
  type WaitingBankChange,
} from './bank-change.ts';

const CHANGE = rowCodec<WaitingBankChange>(
  {
    merchantId: column.text(),
    changeId: column.text(),
    changeNumber: column.whole(),
    ourNumber: column.text(),
    event: column.oneOf(BANK_EVENTS),
    amount: column.nullable(column.money()),
    paidOn: column.nullable(column.day()),
    creditedOn: column.nullable(column.day()),
    fee: column.nullable(column.money()),
    happenedAt: column.instant(),
    bank: column.nullable(column.text()),
    tries: column.whole(),
  },
  'c',
);

export const WAITING_BANK_CHANGES = waitingChanges(
  {
    name: 'bank_changes',
    table: 'bank_changes',
    alias: 'c',
    key: 'merchant_id, change_id',
    number: 'change_number',
    columns: CHANGE.columns,
  },
  CHANGE.parse,
);

const LOCK_BOLETO = statement(
  'bank_changes.lock_boleto',
  `select ${BOLETO.columns} from boletos b where b.merchant_id = $1 and b.our_number = $2 for no key update`,
);

/**
 * `isReportedTwice`: feed and files both report payments. If the other source has reported more payments of
 * this amount and day than this source, this payment is one of those.
 */
const GROUND = rowCodec<ChangeGround>(
  {
    isBehindEarlier: column.boolean(`exists (
     select from bank_changes e where e.merchant_id = c.merchant_id and e.our_number = c.our_number
       and e.state = 'waiting' and e.change_number < c.change_number)`),
    isReportedTwice: column.boolean(`(select count(*) filter (where p.source <> c.source)
        > count(*) filter (where p.source = c.source)
      from bank_changes p
      where p.merchant_id = c.merchant_id and p.our_number = c.our_number and p.event = 'paid' and p.state = 'applied'
        and not p.is_filed_again
        and p.amount = c.amount and p.paid_on = c.paid_on)`),
    isFiledAgain: column.boolean(),
    dueDays: column.listOf(
      column.day(`coalesce((
     select b.due_days from boletos b where b.merchant_id = c.merchant_id and b.our_number = c.our_number), '{}')`),
    ),
  },
  'c',
);

/** Runs under the lock of its boleto. No row: another process ended the change. */
const LOCK_CHANGE = statement(
  'bank_changes.lock',
  `select ${GROUND.columns}
   from bank_changes c where c.merchant_id = $1 and c.change_id = $2 and c.state = 'waiting'
   for no key update`,
);

/** Deliveries of an unexpected payment follow those of the boleto's move. A trigger opens its exception. */
const RECORD_PAYMENT = statement(
  'bank_changes.record_payment',
  `with recorded as (
     insert into boleto_payments (merchant_id, boleto_id, change_id, amount, paid_on, credited_on, fee, expected_amount,
       surprise, kind, happened_at)
     values ($1, $2, $3, $4, $5::date, $6::date, $7, $8, $9, $10, $11::timestamptz)
     returning merchant_id, boleto_id, kind
   ), news as (
     select b.merchant_id, b.boleto_id, null::uuid as pix_id, 'Boleto' as type, b.account_number, b.our_number as nsu,
       b.callback_url, $12::text as old_state,
       'unexpectedPayment' as new_state, $11::timestamptz as moment, $13::text as moment_text, $14::text as callback_body
     from recorded r join boletos b on b.merchant_id = r.merchant_id and b.boleto_id = r.boleto_id
     where r.kind <> 'expected'
   ), ${BILL_MOVEMENTS}
   select ${IS_WAITING}`,
);

const APPLY = statement(
  'bank_changes.apply',
  `update bank_changes set state = 'applied', ended_at = now(), due_at = null
   where merchant_id = $1 and change_id = $2 and state in (${fromStates(BANK_CHANGE_MOVES, 'apply')})
   returning change_id`,
);

const REFUSE = statement(
  'bank_changes.refuse',
  `update bank_changes set state = 'refused', ended_at = now(), due_at = null, reason = $3
   where merchant_id = $1 and change_id = $2 and state in (${fromStates(BANK_CHANGE_MOVES, 'refuse')})
   returning change_id`,
);

const POSTPONE = statement(
  'bank_changes.postpone',
  `update bank_changes set due_at = now() + $3 * interval '1 second', reason = $4
   where merchant_id = $1 and change_id = $2 and state = 'waiting'
   returning change_id`,
);

/** The first pauses are short: the bank may report a boleto before we know that it is issued. */
const PAUSES_SECONDS = [1, 2, 5, 15, 60] as const;
const LONGEST_PAUSE_SECONDS = 300;

/** Applies, refuses or postpones a change in one commit. Repeatable: an ended change is `gone`. */
export async function recordBankChange(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  change: WaitingBankChange,
): Promise<BankChangeResult> {
  const { merchantId, changeId, ourNumber, tries } = change;
  const key = [merchantId, changeId];
  const { result, isWaiting } = await database.transaction(async (tx): Promise<Recorded> => {
    const [found] = await tx.query(LOCK_BOLETO, [merchantId, ourNumber]);
    const named = found === undefined ? null : parseBoleto(found);
    // A bank cannot change the boleto of another bank.
    const boleto = named !== null && (change.bank === null || change.bank === named.bank) ? named : null;
    const [held] = await tx.query(LOCK_CHANGE, key);
    if (held === undefined) return { result: 'gone', isWaiting: false };
    const decision = decideBankChange(boleto, change, GROUND.parse(held));
    if (decision.kind === 'apply') {
      const isWaiting = await moveAndPay(tx, boleto as Boleto, decision, change);
      await tx.query(APPLY, key);
      return { result: decision.payment?.surprise ?? 'applied', isWaiting };
    }
    const { kind, reason } = decision;
    const seconds = PAUSES_SECONDS[tries - 1] ?? LONGEST_PAUSE_SECONDS;
    if (kind === 'refuse') await tx.query(REFUSE, [...key, reason]);
    else await tx.query(POSTPONE, [...key, seconds, reason]);
    return { result: reason, isWaiting: false };
  });
  if (isWaiting) notifySoon(deliverer);
  return result;
}

type Recorded = { readonly result: BankChangeResult; readonly isWaiting: boolean };
type Applied = Extract<BankChangeDecision, { readonly kind: 'apply' }>;

/** Returns whether deliveries were written. */
async function moveAndPay(
  tx: Tx,
  boleto: Boleto,
  { change: wanted, payment }: Applied,
  change: WaitingBankChange,
): Promise<boolean> {
  const move = wanted === null ? null : moveOf(boleto, wanted, change.happenedAt);
  const moved = move === null ? null : await moveBoleto(tx, boleto, move, { leaseMilliseconds: 0 });
  const isPaidWaiting = payment === null ? false : await recordPayment(tx, boleto, move, payment, change);
  return moved?.isWaiting === true || isPaidWaiting;
}

/** `move` is what the payment makes of its boleto, or null. Returns whether deliveries were written. */
async function recordPayment(
  tx: Tx,
  boleto: Boleto,
  move: BoletoMove | null,
  payment: ReportedPayment,
  { changeId, happenedAt }: WaitingBankChange,
): Promise<boolean> {
  const { amount, paidOn, creditedOn, fee, expectedAmount, surprise } = payment;
  const { merchantId, boletoId, linkId } = boleto;
  const isSurprise = surprise !== null || amount === 0;
  const beside = isSurprise ? null : await findKindBesideLink(tx, merchantId, boletoId, linkId);
  const kind = beside ?? payment.kind;
  const shown = shownState(move === null ? boleto : { state: move.to, stateBefore: move.stateBefore });
  const momentText = saoPauloOffsetText(happenedAt);
  const [row] = await tx.query(RECORD_PAYMENT, [
    ...[merchantId, boletoId, changeId],
    ...[amount, paidOn, creditedOn, fee, expectedAmount, surprise, kind, utcText(happenedAt)],
    shown,
    momentText,
    boleto.callbackUrl === null ? null : unexpectedBody(boleto, move, { ...payment, kind }, momentText),
  ]);
  return row?.is_waiting === true;
}

const ODD = rowCodec(
  {
    at: column.instant(),
    /** Null for an unreadable item of a cursor of all merchants. */
    merchantId: column.nullable(column.text()),
    reason: column.text(),
    /** `changeId`, `ourNumber`, `event` and `amount` are null if the item was unreadable. */
    changeId: column.nullable(column.text()),
    ourNumber: column.nullable(column.text()),
    event: column.nullable(column.oneOf(BANK_EVENTS)),
    amount: column.nullable(column.money()),
    /** Null if the item was readable. */
    item: column.nullable(column.text()),
  },
  'r',
);

const LIST_REFUSED = statement(
  'bank_changes.list_odd',
  `select ${ODD.columns} from (
     (select c.ended_at as at, c.merchant_id, c.reason, c.change_id, c.our_number, c.event, c.amount, null::text as item
      from bank_changes c where c.state = 'refused' order by c.ended_at desc limit $1)
     union all
     (select p.created_at, p.merchant_id, p.surprise, p.change_id, b.our_number, 'paid', p.amount, null
      from boleto_payments p join boletos b on b.merchant_id = p.merchant_id and b.boleto_id = p.boleto_id
      where p.surprise is not null order by p.created_at desc limit $1)
     union all
     (select u.created_at, nullif(u.merchant_id, ''), u.reason, null, null, null, null, u.item
      from unreadable_bank_changes u order by u.created_at desc limit $1)
   ) r order by r.at desc limit $1`,
);

/** What no boleto took: a refused change, an unreadable one, or an unexpected payment. */
export type OddBankChange = ReturnType<typeof parse>;

export async function listOddBankChanges(database: Database, limit: number): Promise<OddBankChange[]> {
  return (await database.query(LIST_REFUSED, [limit])).map(parse);
}

function parse(row: Row) {
  const { changeId, ourNumber, event, amount, ...odd } = ODD.parse(row);
  const isReadable = changeId !== null && ourNumber !== null && event !== null;
  return { ...odd, change: isReadable ? { changeId, ourNumber, event, amount } : null };
}

const CHANGES = inputRows<BankChange>(
  {
    ...own({ merchantId: 'text', changeId: 'text', ourNumber: 'text', event: 'text', amount: 'bigint' }),
    ...own({ paidOn: 'date', creditedOn: 'date', fee: 'bigint' }),
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
  },
  { after: UNREADABLE, place: 'place' },
);

/** Cursor and change ids begin with the bank's code, because each bank numbers its own. */
const KEEP = statement(
  'bank_changes.keep',
  `with moved as (
     update bank_cursors c set bank_code = left($2, 3), cursor = substr($2, 5), ${MOVED_ON}
     where c.merchant_id = $1 and c.bank = $9 and c.fence = $3
     returning c.merchant_id
   ), kept as (
     insert into bank_changes
       (merchant_id, change_id, our_number, event, amount, paid_on, credited_on, fee, happened_at, source, bank)
     select i.merchant_id, left($2, 4) || i.change_id, i.our_number, i.event, i.amount, i.paid_on, i.credited_on, i.fee, i.happened_at, 'feed', $9
     from moved, ${CHANGES.sql}
     order by i.place
     on conflict do nothing
   ), refused as (
     insert into unreadable_bank_changes (merchant_id, item_hash, item, reason)
     select m.merchant_id, u.item_hash, u.item, u.reason
     from moved m, ${UNREADABLE.sql}
     where (select count(*) from (select from unreadable_bank_changes limit $8) k) < $8
     on conflict do nothing
   )
   select merchant_id from moved`,
);

/** How far the bank's changes were read. Each merchant that has issued a boleto needs a cursor. */
export const BANK_CURSORS = feedCursors<FeedPage<BankChange>>(
  {
    name: 'bank_changes',
    table: 'bank_cursors',
    column: 'bank',
    cursor: "c.bank_code || ':' || c.cursor",
    since: 'exists (select from boletos b where b.merchant_id = m.merchant_id)',
  },
  KEEP,
  ({ changes }) => CHANGES.values(changes),
);
