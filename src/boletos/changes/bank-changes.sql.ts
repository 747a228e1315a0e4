import { BANK_EVENTS } from '../../banks/bank.ts';
import { WaitingChanges } from '../../platform/feeds/waiting-changes.sql.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { BOLETO_MOVEMENTS, IS_WAITING } from '../../transactions/movements/boleto-movements.sql.ts';
import { saoPauloOffsetText, utcText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { type Boleto, shownState } from '../boleto.ts';
import { type BoletoMove, moveOf } from '../boleto-move.ts';
import { BOLETO, parseBoleto } from '../boleto-rows.sql.ts';
import { moveBoleto, notifySoon } from '../boletos.sql.ts';
import { unexpectedBody } from '../callback-body.ts';
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
    tries: column.whole(),
  },
  'c',
);

const CLAIM = statement(
  'bank_changes.claim_waiting',
  `with due as (
     select merchant_id, change_id from bank_changes where state = 'waiting' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update bank_changes c set tries = least(c.tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id and c.change_id = due.change_id
   returning ${CHANGE.columns}`,
);

const LIST = statement(
  'bank_changes.list_waiting',
  `select ${CHANGE.columns} from bank_changes c
   where c.merchant_id = $1 and c.state = 'waiting' and c.change_number > $2
   order by c.change_number limit $3`,
);

const EARLIEST = statement(
  'bank_changes.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from bank_changes where state = 'waiting'`,
);

export const WAITING_BANK_CHANGES = new WaitingChanges<WaitingBankChange>(
  { claim: CLAIM, list: LIST, earliest: EARLIEST },
  CHANGE.parse,
);

const LOCK_BOLETO = statement(
  'bank_changes.lock_boleto',
  `select ${BOLETO.columns} from boletos b where b.merchant_id = $1 and b.our_number = $2 for no key update`,
);

/**
 * Feed and files both report a payment: of those of one amount and day, one that the other side has more
 * of is not another one.
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
  },
  'c',
);

/** Under the lock of its boleto; no row: another process has ended it. */
const LOCK_CHANGE = statement(
  'bank_changes.lock',
  `select ${GROUND.columns}
   from bank_changes c where c.merchant_id = $1 and c.change_id = $2 and c.state = 'waiting'
   for no key update`,
);

/**
 * With the movement and the deliveries of one that was not expected, behind those of what it paid. Its
 * exception is opened by the table.
 */
const RECORD_PAYMENT = statement(
  'bank_changes.record_payment',
  `with recorded as (
     insert into boleto_payments (merchant_id, boleto_id, change_id, amount, paid_on, credited_on, fee, expected_amount,
       surprise, kind, happened_at)
     values ($1, $2, $3, $4, $5::date, $6::date, $7, $8, $9, $10, $11::timestamptz)
     returning merchant_id, boleto_id, kind
   ), news as (
     select b.merchant_id, b.boleto_id, b.account_number, b.our_number, b.callback_url, $12::text as old_state,
       'unexpectedPayment' as new_state, $11::timestamptz as moment, $13::text as moment_text, $14::text as callback_body
     from recorded r join boletos b on b.merchant_id = r.merchant_id and b.boleto_id = r.boleto_id
     where r.kind <> 'expected'
   ), ${BOLETO_MOVEMENTS}
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

/** The first waits are short: the bank may report a boleto before we know that it is issued. */
const PAUSES_SECONDS = [1, 2, 5, 15, 60] as const;
const LONGEST_PAUSE_SECONDS = 300;

/**
 * Applies, refuses or postpones a change in one commit: its boleto, the payment, and its own end.
 * Repeatable: one that was ended is gone.
 */
export async function recordBankChange(
  database: Database,
  deliverer: Pick<Deliverer, 'notify'>,
  change: WaitingBankChange,
): Promise<BankChangeResult> {
  const { merchantId, changeId, ourNumber, tries } = change;
  const key = [merchantId, changeId];
  const { result, isWaiting } = await database.transaction(async (tx): Promise<Recorded> => {
    const [found] = await tx.query(LOCK_BOLETO, [merchantId, ourNumber]);
    const boleto = found === undefined ? null : parseBoleto(found);
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

/** Whether deliveries were written. */
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

/** `move`: what the payment makes of its boleto; null: nothing. Whether deliveries were written. */
async function recordPayment(
  tx: Tx,
  boleto: Boleto,
  move: BoletoMove | null,
  payment: ReportedPayment,
  { changeId, happenedAt }: WaitingBankChange,
): Promise<boolean> {
  const { amount, paidOn, creditedOn, fee, expectedAmount, surprise, kind } = payment;
  const shown = shownState(move === null ? boleto : { state: move.to, stateBefore: move.stateBefore });
  const momentText = saoPauloOffsetText(happenedAt);
  const [row] = await tx.query(RECORD_PAYMENT, [
    ...[boleto.merchantId, boleto.boletoId, changeId],
    ...[amount, paidOn, creditedOn, fee, expectedAmount, surprise, kind, utcText(happenedAt)],
    shown,
    momentText,
    boleto.callbackUrl === null ? null : unexpectedBody(boleto, move, payment, momentText),
  ]);
  return row?.is_waiting === true;
}
