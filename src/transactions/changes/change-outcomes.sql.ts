import { type Database, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { CHANGE_EVENTS, type ChangeEvent } from '../../providers/acquirers/acquirer.ts';
import { cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import { saoPauloOffsetText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { CANCEL_MOVES } from '../cancels/cancel.ts';
import { type RestRow, readRests } from '../cancels/cancel-outcomes.sql.ts';
import { type CanceledPart, canceledParts } from '../cancels/partial-cancel.ts';
import {
  ENQUEUE_CALLBACK_DELIVERIES,
  ENQUEUE_MOVEMENT_DELIVERIES,
  IS_WAITING,
  NEWS_OF_CHANGE,
} from '../movements/movement-deliveries.sql.ts';
import {
  INSTALLMENT_MOVES,
  INSTALLMENT_STATES,
  type InstallmentState,
  MOVEMENT_TYPES,
  STATES_BEFORE_BLOCK,
  secondsUntilNextResolveTry,
  TRANSACTION_STATES,
} from '../transaction.ts';
import {
  CHANGE_MOVES,
  type ChangeDecision,
  type ChangeResult,
  decideChange,
  type WaitingChange,
} from './change.ts';
import { UNPROCESSED_IF_BILLING } from './chargebacks.sql.ts';

const TRANSACTION = rowCodec({ state: column.oneOf(TRANSACTION_STATES), acquirer: column.text() });

const LOCK_TRANSACTION = statement(
  'changes.lock_transaction',
  `select ${TRANSACTION.columns} from transactions
   where merchant_id = $1 and transaction_id = $2 for no key update`,
);

const IS_BEHIND_EARLIER = `exists (
     select from acquirer_changes e
     where e.merchant_id = c.merchant_id and e.reference = c.reference
       and e.installment_number = c.installment_number and e.state = 'waiting' and e.change_number < c.change_number
   )`;
const IS_TAKEN_ALREADY = `c.event = 'chargeback' and (
     select count(*) filter (where e.source <> c.source)
       > count(*) filter (where e.source = c.source)
     from acquirer_changes e
     where e.merchant_id = c.merchant_id and e.reference = c.reference and e.installment_number = c.installment_number
       and e.event = 'chargeback' and (e.state = 'applied' or e.reason = 'takenAlready')
       and coalesce(e.amount, c.amount, 0) = coalesce(c.amount, e.amount, 0)
   )`;

const CHANGE = rowCodec({
  event: column.oneOf(CHANGE_EVENTS, 'c.event'),
  amount: column.nullable(column.whole('c.amount')),
  acquirer: column.nullable(column.text('c.acquirer')),
  isBehindEarlier: column.boolean(IS_BEHIND_EARLIER),
  isTakenAlready: column.boolean(IS_TAKEN_ALREADY),
});

const LOCK_CHANGE = statement(
  'changes.lock',
  `select ${CHANGE.columns} from acquirer_changes c
   where c.merchant_id = $1 and c.change_id = $2 and c.state = 'waiting'
   for no key update of c`,
);

const CANCEL = rowCodec({ state: column.oneOf(['canceling', 'pending'] as const) });

/**
 * Read under the transaction's lock, which every cancel takes first: a cancel that is not seen does not
 * exist.
 */
const FIND_CANCEL = statement(
  'changes.find_cancel',
  `select ${CANCEL.columns} from cancels
   where merchant_id = $1 and transaction_id = $2 and state in (${fromStates(CANCEL_MOVES, 'confirm')})
   order by state`,
);

const INSTALLMENT = rowCodec({
  state: column.oneOf(INSTALLMENT_STATES),
  stateBeforeBlock: column.nullable(column.oneOf(STATES_BEFORE_BLOCK)),
  rest: column.whole('amount - canceled_amount'),
});

const LOCK_INSTALLMENT = statement(
  'changes.lock_installment',
  `select ${INSTALLMENT.columns} from installments
   where merchant_id = $1 and transaction_id = $2 and installment_number = $3
   for no key update`,
);

/** Makes the next changes of the installment due, now that its change has `ended`. */
const FREED = `freed as (
     update acquirer_changes n set due_at = now() from ended e
     where n.merchant_id = e.merchant_id and n.reference = e.reference
       and n.installment_number = e.installment_number and n.state = 'waiting' and n.change_number > e.change_number
   )`;

const ENDED = `ended as (
     update acquirer_changes set state = 'applied', reason = null, due_at = null, ended_at = now()
     where merchant_id = $1 and change_id = $2 and state in (${fromStates(CHANGE_MOVES, 'apply')})
     returning merchant_id, change_id, change_number, reference, installment_number, happened_at, fee, net, bank_on, marked_at
   )`;

/** Only states change: no money moves between us and the buyer. What a settlement paid is stored too. */
const RECORD = statement(
  'changes.record',
  `with ${ENDED}, ${FREED}, part as (
     update installments i set state = $4, state_before_block = $5, fee = coalesce(e.fee, i.fee),
       net = coalesce(e.net, i.net), bank_on = coalesce(e.bank_on, i.bank_on)
     from ended e
     where i.merchant_id = e.merchant_id and i.transaction_id = $3 and i.installment_number = e.installment_number
       and i.state in (${fromStates(INSTALLMENT_MOVES, 'settle', 'block', 'unblock')})
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, old_state, new_state,
       nsu, authorization_code, moment)
     select t.merchant_id, t.account_number, t.transaction_id, e.installment_number, $6, $7, $4, t.nsu,
       t.authorization_code, e.happened_at
     from ended e join transactions t on t.merchant_id = e.merchant_id
     where t.transaction_id = $3
     returning *
   ), changed as (
     select merchant_id, $3 as transaction_id, happened_at as moment, $8::text as moment_text from ended
   ), ${NEWS_OF_CHANGE}, ${ENQUEUE_MOVEMENT_DELIVERIES}, ${ENQUEUE_CALLBACK_DELIVERIES}
   select change_id, ${IS_WAITING} from ended`,
);

const PARTS = inputRows<Pick<CanceledPart, 'number' | 'amount'> & { readonly state: InstallmentState }>(
  {
    installment_number: ['smallint', (part) => part.number],
    amount: ['bigint', (part) => part.amount],
    old_state: ['text', (part) => part.state],
  },
  { as: 'p', after: 7 },
);

/**
 * Takes a chargeback off installments and shares, as `cancels.record` does. Each affected installment gets a
 * movement, even a partial one: the merchant learns of it in no other way.
 */
const TAKE_BACK = statement(
  'changes.take_back',
  `with ${ENDED}, ${FREED}, changed as (
     update transactions t set canceled_amount = t.canceled_amount + $4, ${UNPROCESSED_IF_BILLING} from ended e
     where t.merchant_id = e.merchant_id and t.transaction_id = $3
     returning t.merchant_id, t.transaction_id, t.unprocessed_chargeback_at is not null as is_unprocessed,
       e.happened_at as moment, $7::text as moment_text
   ), parts as (
     update installments i set canceled_amount = i.canceled_amount + p.amount,
       state = case when i.canceled_amount + p.amount = i.amount then 'canceled' else i.state end
     from changed c, ${PARTS.sql}
     where i.merchant_id = c.merchant_id and i.transaction_id = c.transaction_id
       and i.installment_number = p.installment_number
       and i.state in (${fromStates(INSTALLMENT_MOVES, 'chargeback')})
     returning i.merchant_id, i.transaction_id, i.installment_number, i.state
   ), given_back as (
     update shares s set canceled_amount = s.canceled_amount
       + ($5::bigint[])[(array_position($8::smallint[], s.installment_number) - 1) * $6::integer + s.position]
     from changed c
     where s.merchant_id = c.merchant_id and s.transaction_id = c.transaction_id
       and s.installment_number = any ($8::smallint[])
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, old_state, new_state,
       nsu, authorization_code, moment)
     select t.merchant_id, t.account_number, t.transaction_id, m.installment_number, 'Cancelamento', p.old_state,
       m.state, t.nsu, t.authorization_code, c.moment
     from changed c join transactions t on t.merchant_id = c.merchant_id and t.transaction_id = c.transaction_id
       join parts m on m.merchant_id = c.merchant_id and m.transaction_id = c.transaction_id,
       ${PARTS.sql}
     where p.installment_number = m.installment_number
     order by m.installment_number
     returning *
   ), ${NEWS_OF_CHANGE}, ${ENQUEUE_MOVEMENT_DELIVERIES}, ${ENQUEUE_CALLBACK_DELIVERIES}
   select transaction_id, ${IS_WAITING}, is_unprocessed from changed`,
);

/** A chargeback of more than is left also marks the charge: its holder wants no other charge. */
const REFUSE = statement(
  'changes.refuse',
  `with ended as (
     update acquirer_changes set state = 'refused', reason = $4, due_at = null, ended_at = now()
     where merchant_id = $1 and change_id = $2 and state in (${fromStates(CHANGE_MOVES, 'refuse')})
     returning merchant_id, change_id, change_number, reference, installment_number, marked_at
   ), ${FREED}, marked as (
     update transactions t set ${UNPROCESSED_IF_BILLING} from ended e
     where $4 = 'otherAmount' and t.merchant_id = e.merchant_id and t.transaction_id = $3
     returning t.unprocessed_chargeback_at is not null as is_unprocessed
   )
   select change_id, exists (select from marked where is_unprocessed) as is_unprocessed from ended`,
);

/**
 * A chargeback may wait for days behind a pending cancel. Its charge is marked at the first wait, so that no
 * further billing is charged meanwhile. An unapproved charge is not marked, because it may never be approved.
 */
const POSTPONE = statement(
  'changes.postpone',
  `with marked as (
     update transactions t set ${UNPROCESSED_IF_BILLING} from acquirer_changes e
     where e.merchant_id = $1 and e.change_id = $2 and e.state = 'waiting' and e.event = 'chargeback'
       and e.marked_at is null and t.merchant_id = $1 and t.transaction_id = $5 and t.state = 'approved'
       and t.origin = 'billing'
     returning t.merchant_id
   )
   update acquirer_changes c set reason = $3, due_at = now() + $4 * interval '1 second',
     marked_at = case when exists (select from marked) then now() else c.marked_at end
   where c.merchant_id = $1 and c.change_id = $2 and c.state = 'waiting'
   returning c.change_id, exists (select from marked) as is_unprocessed`,
);

/** An id that no transaction has. It stands for a charge that another system made. */
const NO_TRANSACTION = '00000000-0000-0000-0000-000000000000';

export type RecordTools = {
  readonly database: Database;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  readonly chargebacks?: Pick<WakeSignal, 'notify'>;
};

/**
 * Decides a change in one commit: transaction, change and installment are locked, the state tables decide,
 * and installment, shares, movement and deliveries are written; or the reason for a refusal or a wait.
 * Harmless to repeat, in any number of processes.
 */
export async function recordChange(
  { database, deliverer, chargebacks }: RecordTools,
  change: WaitingChange,
): Promise<ChangeResult> {
  const { result, written } = await database.transaction((tx) => decideLocked(tx, change));
  if (written?.is_waiting === true) deliverer.notify();
  if (written?.is_unprocessed === true) chargebacks?.notify();
  return result;
}

async function decideLocked(
  tx: Tx,
  change: WaitingChange,
): Promise<{ readonly result: ChangeResult; readonly written?: Row | undefined }> {
  const { merchantId, changeId, reference, installmentNumber } = change;
  const named = isUuid(reference) ? reference : NO_TRANSACTION;
  const [found] = await tx.query(LOCK_TRANSACTION, [merchantId, named]);
  const [locked] = await tx.query(LOCK_CHANGE, [merchantId, changeId]);
  if (locked === undefined) return { result: 'gone' };
  const told = CHANGE.parse(locked);
  const charge = found === undefined ? null : TRANSACTION.parse(found);
  // An acquirer cannot change the charge of another acquirer.
  const isItsOwn = charge !== null && (told.acquirer === null || told.acquirer === charge.acquirer);
  const transactionId = isItsOwn ? named : NO_TRANSACTION;
  const [cancel] = await tx.query(FIND_CANCEL, [merchantId, transactionId]);
  const [installment] = await tx.query(LOCK_INSTALLMENT, [merchantId, transactionId, installmentNumber]);
  // Only a chargeback moves money, and may need the other installments.
  const rests = told.event === 'chargeback' ? await readRests(tx, merchantId, transactionId) : [];
  const decision = decideChange({
    ...told,
    transactionState: isItsOwn ? charge.state : null,
    openCancel: cancel === undefined ? null : CANCEL.parse(cancel).state,
    installment: installment === undefined ? null : INSTALLMENT.parse(installment),
    restOfOthers: centsLeft(rests.filter(({ number }) => number !== installmentNumber)),
  });
  const [written] = await writeDecision(tx, { ...change, transactionId, event: told.event }, decision, rests);
  return { result: 'reason' in decision ? decision.reason : 'applied', written };
}

function centsLeft(rests: readonly RestRow[]): number {
  return rests.reduce((sum, { amount, canceledAmount }) => sum + amount - canceledAmount, 0);
}

type LockedChange = WaitingChange & { readonly transactionId: string; readonly event: ChangeEvent };

function writeDecision(
  tx: Tx,
  change: LockedChange,
  decision: ChangeDecision,
  rests: readonly RestRow[],
): Promise<Row[]> {
  const { merchantId, changeId, transactionId, event, tries, happenedAt } = change;
  switch (decision.kind) {
    case 'takeBack':
      return tx.query(TAKE_BACK, takenBack(change, decision, rests));
    case 'refuse':
      return tx.query(REFUSE, [merchantId, changeId, transactionId, decision.reason]);
    case 'wait': {
      const seconds = secondsUntilNextResolveTry(Math.max(tries, 1));
      return tx.query(POSTPONE, [merchantId, changeId, decision.reason, seconds, transactionId]);
    }
    case 'apply': {
      const { state, before } = decision;
      const stateBeforeBlock = state === 'blocked' ? before : null;
      const moment = saoPauloOffsetText(happenedAt);
      const type = MOVEMENT_TYPES[event];
      const values = [merchantId, changeId, transactionId, state, stateBeforeBlock, type, before, moment];
      return tx.query(RECORD, values);
    }
  }
}

function takenBack(
  { merchantId, changeId, transactionId, installmentNumber, happenedAt }: LockedChange,
  { own, beyond }: Extract<ChangeDecision, { kind: 'takeBack' }>,
  rests: readonly RestRow[],
): unknown[] {
  const [itself, others] = [
    rests.filter(({ number }) => number === installmentNumber),
    rests.filter(({ number }) => number !== installmentNumber),
  ];
  const ownParts = canceledParts(itself, cents(own));
  const otherParts = canceledParts(others, cents(beyond));
  if (ownParts === null || otherParts === null)
    throw new Error(`a chargeback of ${transactionId} took more than is left`);
  const parts = [...ownParts, ...otherParts];
  const states = new Map(rests.map(({ number, state }) => [number, state]));
  return [
    merchantId,
    changeId,
    transactionId,
    own + beyond,
    parts.flatMap(({ shares }) => shares),
    parts[0]?.shares.length ?? 0,
    saoPauloOffsetText(happenedAt),
    ...PARTS.values(parts.map((part) => ({ ...part, state: states.get(part.number) as InstallmentState }))),
  ];
}
