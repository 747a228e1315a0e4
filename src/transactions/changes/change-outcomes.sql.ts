import type { ChangeEvent } from '../../acquirers/acquirer.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { isUuid } from '../../values/ids.ts';
import { saoPauloOffsetText } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import {
  IS_WAITING,
  NEWS_OF_CHANGE,
  REMEMBERED_TARGETS,
  TOLD_CALLBACKS,
  TOLD_MOVEMENTS,
} from '../movements/movement-deliveries.sql.ts';
import {
  type InstallmentState,
  MOVEMENT_TYPES,
  type StateBeforeBlock,
  secondsUntilNextSettleTry,
  type TransactionState,
} from '../transaction.ts';
import {
  type ChangeDecision,
  type ChangeGround,
  type ChangeResult,
  decideChange,
  type WaitingChange,
} from './change.ts';

const LOCK_TRANSACTION = statement(
  'changes.lock_transaction',
  'select state from transactions where merchant_id = $1 and transaction_id = $2 for no key update',
);

const LOCK_CHANGE = statement(
  'changes.lock',
  `select c.event, exists (
     select from acquirer_changes e
     where e.merchant_id = c.merchant_id and e.reference = c.reference
       and e.installment_number = c.installment_number and e.state = 'waiting' and e.change_number < c.change_number
   ) as is_behind_earlier
   from acquirer_changes c
   where c.merchant_id = $1 and c.change_id = $2 and c.state = 'waiting'
   for no key update of c`,
);

/** Asked under the lock of the transaction, which every cancel takes first: what is not seen here is not there. */
const FIND_CANCEL = statement(
  'changes.find_cancel',
  `select cancel_id from cancels where merchant_id = $1 and transaction_id = $2 and state = 'canceling'`,
);

const LOCK_INSTALLMENT = statement(
  'changes.lock_installment',
  `select state, state_before_block, amount - canceled_amount as rest from installments
   where merchant_id = $1 and transaction_id = $2 and installment_number = $3
   for no key update`,
);

/** Whose turn it is next among the changes of the installment whose change has `ended`. */
const FREED = `freed as (
     update acquirer_changes n set due_at = now() from ended e
     where n.merchant_id = e.merchant_id and n.reference = e.reference
       and n.installment_number = e.installment_number and n.state = 'waiting' and n.change_number > e.change_number
   )`;

const RECORD = statement(
  'changes.record',
  `with ended as (
     update acquirer_changes set state = 'applied', reason = null, due_at = null, ended_at = now()
     where merchant_id = $1 and change_id = $2 and state = 'waiting'
     returning merchant_id, change_id, change_number, reference, installment_number, happened_at
   ), ${FREED}, part as (
     update installments i set state = $4, state_before_block = $5,
       canceled_amount = case when $4 = 'canceled' then i.amount else i.canceled_amount end
     from ended e
     where i.merchant_id = e.merchant_id and i.transaction_id = $3 and i.installment_number = e.installment_number
   ), given_back as (
     update shares s set canceled_amount = s.amount from ended e
     where $4 = 'canceled' and s.merchant_id = e.merchant_id and s.transaction_id = $3
       and s.installment_number = e.installment_number
   ), taken_back as (
     update transactions t set canceled_amount = t.canceled_amount + $6 from ended e
     where $4 = 'canceled' and t.merchant_id = e.merchant_id and t.transaction_id = $3
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, old_state, new_state,
       nsu, authorization_code, moment)
     select t.merchant_id, t.account_number, t.transaction_id, e.installment_number, $7, $8, $4, t.nsu,
       t.authorization_code, e.happened_at
     from ended e join transactions t on t.merchant_id = e.merchant_id
     where t.transaction_id = $3
     returning *
   ), changed as (
     select merchant_id, $3 as transaction_id, happened_at as moment, $9::text as moment_text from ended
   ), ${NEWS_OF_CHANGE}, ${TOLD_MOVEMENTS}, ${REMEMBERED_TARGETS}, ${TOLD_CALLBACKS}
   select change_id, ${IS_WAITING} from ended`,
);

const REFUSE = statement(
  'changes.refuse',
  `with ended as (
     update acquirer_changes set state = 'refused', reason = $3, due_at = null, ended_at = now()
     where merchant_id = $1 and change_id = $2 and state = 'waiting'
     returning merchant_id, change_id, change_number, reference, installment_number
   ), ${FREED}
   select change_id from ended`,
);

const POSTPONE = statement(
  'changes.postpone',
  `update acquirer_changes set reason = $3, due_at = now() + $4 * interval '1 second'
   where merchant_id = $1 and change_id = $2 and state = 'waiting'
   returning change_id`,
);

/** A change whose charge was made by somebody else has no transaction of ours. */
const NO_TRANSACTION = '00000000-0000-0000-0000-000000000000';

type Recorded = ChangeDecision | { readonly kind: 'gone' };

/**
 * One commit: transaction, change and installment are locked, the tables of states decide, and installment, shares, movement and what
 * merchants are told of it are written; or why nothing was changed, or when to look again. Harmless to repeat, in any number of processes.
 */
export async function recordChange(
  database: Database,
  deliverer: Pick<Deliverer, 'ring'>,
  change: WaitingChange,
): Promise<ChangeResult> {
  const { merchantId, changeId, reference, installmentNumber } = change;
  const transactionId = isUuid(reference) ? reference : NO_TRANSACTION;
  let decided: Recorded = { kind: 'gone' };
  const rows = await database.commit([
    { statement: LOCK_TRANSACTION, values: [merchantId, transactionId] },
    { statement: LOCK_CHANGE, values: [merchantId, changeId] },
    { statement: FIND_CANCEL, values: [merchantId, transactionId] },
    { statement: LOCK_INSTALLMENT, values: [merchantId, transactionId, installmentNumber] },
    ([transactions = [], changes = [], cancels = [], installments = []]) => {
      const ground = groundOf(transactions[0], changes[0], cancels[0], installments[0]);
      decided = ground === null ? { kind: 'gone' } : decideChange(ground);
      return stepOf(change, transactionId, decided, ground, installments[0]);
    },
  ]);
  if (rows.at(-1)?.some(({ is_waiting }) => is_waiting === true)) deliverer.ring();
  return resultOf(decided);
}

function groundOf(
  transaction: Row | undefined,
  change: Row | undefined,
  cancel: Row | undefined,
  installment: Row | undefined,
): ChangeGround | null {
  if (change === undefined) return null;
  return {
    event: change.event as ChangeEvent,
    isBehindEarlier: change.is_behind_earlier as boolean,
    transactionState: (transaction?.state as TransactionState | undefined) ?? null,
    isBeingCanceled: cancel !== undefined,
    installment:
      installment === undefined
        ? null
        : {
            state: installment.state as InstallmentState,
            stateBeforeBlock: installment.state_before_block as StateBeforeBlock | null,
          },
  };
}

function stepOf(
  { merchantId, changeId, tries, happenedAt }: WaitingChange,
  transactionId: string,
  decided: Recorded,
  ground: ChangeGround | null,
  installment: Row | undefined,
): Step {
  switch (decided.kind) {
    case 'gone':
      return { statement: FIND_CANCEL, values: [merchantId, transactionId] };
    case 'refuse':
      return { statement: REFUSE, values: [merchantId, changeId, decided.reason] };
    case 'wait': {
      const seconds = secondsUntilNextSettleTry(Math.max(tries, 1));
      return { statement: POSTPONE, values: [merchantId, changeId, decided.reason, seconds] };
    }
    case 'apply': {
      const { state, before } = decided;
      const type = MOVEMENT_TYPES[(ground as ChangeGround).event];
      const stateBeforeBlock = state === 'blocked' ? before : null;
      const rest = installment?.rest ?? 0;
      const moment = saoPauloOffsetText(happenedAt);
      const values = [
        merchantId,
        changeId,
        transactionId,
        state,
        stateBeforeBlock,
        rest,
        type,
        before,
        moment,
      ];
      return { statement: RECORD, values };
    }
  }
}

function resultOf(decided: Recorded): ChangeResult {
  if (decided.kind === 'apply') return 'applied';
  return decided.kind === 'gone' ? 'gone' : decided.reason;
}
