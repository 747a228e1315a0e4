import { WaitingChanges } from '../../platform/feeds/waiting-changes.sql.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { BOLETO_MOVEMENTS, IS_WAITING } from '../../transactions/movements/boleto-movements.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { type Day, type Instant, saoPauloOffsetText, utcText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { type Boleto, shownState } from '../boleto.ts';
import { type BoletoMove, moveOf } from '../boleto-move.ts';
import { BOLETO_COLUMNS, parseBoleto } from '../boleto-rows.sql.ts';
import { moveBoletoStep, notifyMoved } from '../boletos.sql.ts';
import { unexpectedBody } from '../callback-body.ts';
import {
  BANK_CHANGE_MOVES,
  type BankChangeDecision,
  type BankChangeResult,
  decideBankChange,
  type ReportedPayment,
  type WaitingBankChange,
} from './bank-change.ts';

const COLUMNS = `c.merchant_id, c.change_id, c.change_number, c.our_number, c.event, c.amount, c.paid_on::text as paid_on,
  c.credited_on::text as credited_on, c.fee, c.happened_at, c.tries`;

const CLAIM = statement(
  'bank_changes.claim_waiting',
  `with due as (
     select merchant_id, change_id from bank_changes where state = 'waiting' and due_at <= now()
     order by due_at limit $1 for no key update skip locked
   )
   update bank_changes c set tries = least(c.tries + 1, 32000), due_at = now() + $2 * interval '1 millisecond'
   from due where c.merchant_id = due.merchant_id and c.change_id = due.change_id
   returning ${COLUMNS}`,
);

const LIST = statement(
  'bank_changes.list_waiting',
  `select ${COLUMNS} from bank_changes c
   where c.merchant_id = $1 and c.state = 'waiting' and c.change_number > $2
   order by c.change_number limit $3`,
);

const EARLIEST = statement(
  'bank_changes.earliest_due',
  `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as milliseconds
   from bank_changes where state = 'waiting'`,
);

function parseChange(row: Row): WaitingBankChange {
  return {
    merchantId: row.merchant_id as string,
    changeId: row.change_id as string,
    changeNumber: row.change_number as number,
    ourNumber: row.our_number as string,
    event: row.event as WaitingBankChange['event'],
    amount: row.amount as Cents | null,
    paidOn: row.paid_on as Day | null,
    creditedOn: row.credited_on as Day | null,
    fee: row.fee as Cents | null,
    happenedAt: row.happened_at as Instant,
    tries: row.tries as number,
  };
}

export const WAITING_BANK_CHANGES = new WaitingChanges<WaitingBankChange>(
  { claim: CLAIM, list: LIST, earliest: EARLIEST },
  parseChange,
);

const LOCK_BOLETO = statement(
  'bank_changes.lock_boleto',
  `select ${BOLETO_COLUMNS} from boletos b where b.merchant_id = $1 and b.our_number = $2 for no key update`,
);

/**
 * Under the lock of its boleto; no row: another process has ended it. Feed and files both report a
 * payment: of those of one amount and day, one that the other side has more of is not another one.
 */
const LOCK_CHANGE = statement(
  'bank_changes.lock',
  `select exists (
     select from bank_changes e where e.merchant_id = c.merchant_id and e.our_number = c.our_number
       and e.state = 'waiting' and e.change_number < c.change_number) as is_behind_earlier,
     (select count(*) filter (where p.source <> c.source)
        > count(*) filter (where p.source = c.source)
      from bank_changes p
      where p.merchant_id = c.merchant_id and p.our_number = c.our_number and p.event = 'paid' and p.state = 'applied'
        and not p.is_filed_again
        and p.amount = c.amount and p.paid_on = c.paid_on) as is_reported_twice,
     c.is_filed_again
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
  const { merchantId, changeId, ourNumber, happenedAt } = change;
  const key = [merchantId, changeId];
  const rows = await database.commit([
    { statement: LOCK_BOLETO, values: [merchantId, ourNumber] },
    { statement: LOCK_CHANGE, values: key },
    (locked) => {
      const ground = groundOf(locked, change);
      if (ground === null || ground.decision.kind !== 'apply') return null;
      const { boleto, decision } = ground;
      const move = decision.change === null ? null : moveOf(boleto as Boleto, decision.change, happenedAt);
      return move === null ? null : moveBoletoStep(boleto as Boleto, move, { leaseMilliseconds: 0 });
    },
    (locked) => {
      const { boleto = null, decision } = groundOf(locked, change) ?? {};
      if (boleto === null || decision?.kind !== 'apply' || decision.payment === null) return null;
      const move = decision.change === null ? null : moveOf(boleto, decision.change, happenedAt);
      return recordPaymentStep(boleto, move, decision.payment, change);
    },
    (locked) => {
      const { decision } = groundOf(locked, change) ?? {};
      if (decision === undefined) return null;
      if (decision.kind === 'apply') return { statement: APPLY, values: key };
      if (decision.kind === 'refuse') return { statement: REFUSE, values: [...key, decision.reason] };
      const seconds = PAUSES_SECONDS[change.tries - 1] ?? LONGEST_PAUSE_SECONDS;
      return { statement: POSTPONE, values: [...key, seconds, decision.reason] };
    },
  ]);
  notifyMoved(deliverer, [...(rows[2] ?? []), ...(rows[3] ?? [])]);
  const { decision } = groundOf(rows, change) ?? {};
  if (decision === undefined) return 'gone';
  return decision.kind === 'apply' ? (decision.payment?.surprise ?? 'applied') : decision.reason;
}

/** By the rows of both locks; null: another process has ended it. */
function groundOf(
  rows: readonly Row[][],
  change: WaitingBankChange,
): { readonly boleto: Boleto | null; readonly decision: BankChangeDecision } | null {
  const [found, held] = [rows[0]?.[0], rows[1]?.[0]];
  if (held === undefined) return null;
  const boleto = found === undefined ? null : parseBoleto(found);
  const ground = {
    isBehindEarlier: held.is_behind_earlier as boolean,
    isReportedTwice: held.is_reported_twice as boolean,
    isFiledAgain: held.is_filed_again as boolean,
  };
  return { boleto, decision: decideBankChange(boleto, change, ground) };
}

/** `move`: what the payment makes of its boleto; null: nothing. */
function recordPaymentStep(
  boleto: Boleto,
  move: BoletoMove | null,
  payment: ReportedPayment,
  { changeId, happenedAt }: WaitingBankChange,
): Step {
  const { amount, paidOn, creditedOn, fee, expectedAmount, surprise, kind } = payment;
  const shown = shownState(move === null ? boleto : { state: move.to, stateBefore: move.stateBefore });
  const momentText = saoPauloOffsetText(happenedAt);
  return {
    statement: RECORD_PAYMENT,
    values: [
      ...[boleto.merchantId, boleto.boletoId, changeId],
      ...[amount, paidOn, creditedOn, fee, expectedAmount, surprise, kind, utcText(happenedAt)],
      shown,
      momentText,
      boleto.callbackUrl === null ? null : unexpectedBody(boleto, move, payment, momentText),
    ],
  };
}
