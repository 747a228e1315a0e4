import { STATUS_WORDS } from '../src/payments/status/contract.ts';
import type { StateTable } from '../src/platform/postgres/state-table.ts';
import { EXCEPTION_MOVES } from '../src/reconciliation/exceptions/exception.ts';
import { BILLING_MOVES } from '../src/recurrence/billings/billing.ts';
import { BILLING_STATE_WORDS } from '../src/recurrence/billings/contract.ts';
import { PLAN_STATE_WORDS } from '../src/recurrence/plans/contract.ts';
import { PLAN_MOVES } from '../src/recurrence/plans/plan.ts';
import { SUBSCRIPTION_STATE_WORDS } from '../src/recurrence/subscriptions/reasons.ts';
import { SUBSCRIPTION_MOVES } from '../src/recurrence/subscriptions/subscription.ts';
import { CANCEL_MOVES } from '../src/transactions/cancels/cancel.ts';
import { CAPTURE_MOVES } from '../src/transactions/capture.ts';
import { CHANGE_MOVES } from '../src/transactions/changes/change.ts';
import { BOLETO_MOVES } from '../src/transactions/methods/boleto/boleto.ts';
import { BANK_CHANGE_MOVES } from '../src/transactions/methods/boleto/changes/bank-change.ts';
import { PIX_MOVES } from '../src/transactions/methods/pix/pix.ts';
import { RECEIPT_MOVES } from '../src/transactions/methods/pix/receipts/receipt.ts';
import { REFUND_MOVES } from '../src/transactions/methods/pix/refunds/refund.ts';
import { INSTALLMENT_MOVES, MOVEMENT_TYPES, TRANSACTION_MOVES } from '../src/transactions/transaction.ts';
import { DELIVERY_MOVES } from '../src/webhooks/deliveries/delivery.ts';
import { ENDPOINT_MOVES } from '../src/webhooks/endpoints/webhook-endpoint.ts';
import { AUTHORIZATION_TABLE, COLLECTION_TABLE } from './automatic-pix-states.ts';
import { LINK_TABLE } from './payment-link-states.ts';

/** A column `state` of the database, and the table that is its law. */
export type StateColumn = {
  readonly table: string;
  readonly moves: StateTable;
  readonly title: string;
  /** What a reader must know before the table. */
  readonly text: string;
  /** What a state means, or how merchants are shown it. */
  readonly column: 'Meaning' | 'Shown as';
  readonly states: Readonly<Record<string, string>>;
  readonly events: Readonly<Record<string, string>>;
  /** In which states rows are written. */
  readonly first: readonly string[];
};

type EventOf<T> = T extends Readonly<Record<string, infer R>> ? keyof R & string : never;

/** All states and events of the table must have their words. */
function stateColumn<const T extends StateTable>(
  column: Omit<StateColumn, 'moves' | 'states' | 'events' | 'first'> & {
    readonly moves: T;
    readonly states: Readonly<Record<keyof T & string, string>>;
    readonly events: Readonly<Record<EventOf<T>, string>>;
    readonly first: readonly (keyof T & string)[];
  },
): StateColumn {
  return column;
}

const DASH = 'A dash means that the event cannot happen there';

/** Every column `state` there is. */
export const STATE_COLUMNS: readonly StateColumn[] = [
  stateColumn({
    table: 'transactions',
    moves: TRANSACTION_MOVES,
    title: 'Transactions',
    text: `The state after each event; a dash means that the event cannot happen there, so that a row of dashes is final.`,
    column: 'Meaning',
    states: {
      charging: 'the acquirer is being asked',
      unresolved:
        'no clear answer came, or it was let go: the truth is being found, or the void acknowledged',
      preauthorized: 'the amount is held on the card, and waits for its capture',
      capturing: 'the acquirer is asked to charge it, until it answers',
      approved: 'the charge is live',
      declined: 'the issuer said no',
      voided: 'no approval of it stays',
    },
    events: {
      approve: 'the acquirer approved',
      decline: 'the acquirer declined',
      lose: 'the answer did not come or was not clear, or the process that waited for it died',
      void: 'the acquirer acknowledged that nothing of it stays',
      keep: 'asked later, the acquirer said that it had approved it; only for the charge of a billing: it has no caller',
      withdraw: 'it was not sent',
      dismiss: "a person found out at the acquirer's desk that nothing of it stays",
      preauthorize: 'the acquirer approved what is to be captured later',
      startCapture: 'you capture it',
      capture: 'the acquirer charged it',
      failCapture: 'the acquirer did not charge it, or was not asked',
      release: 'you cancel it before its capture, or the time for that is over',
    },
    first: ['charging'],
  }),
  stateColumn({
    table: 'installments',
    moves: INSTALLMENT_MOVES,
    title: 'Installments',
    text: `Only an approved transaction has installments. Each has a state of its own; the movement of its approval is of type
\`Autorizacao\`. "As before" is what it was when it was blocked.`,
    column: 'Shown as',
    states: STATUS_WORDS,
    events: {
      settle: movement('settle', 'the acquirer paid it'),
      block: movement('block', 'the acquirer holds its money back'),
      unblock: movement('unblock', 'the acquirer holds it back no longer'),
      cancel: movement('cancel', 'you gave back what was left of it'),
      chargeback: movement(
        'chargeback',
        "the card's holder took back what was left of it; of one of which a part was taken back the state stays",
      ),
    },
    first: ['authorized'],
  }),
  stateColumn({
    table: 'cancels',
    moves: CANCEL_MOVES,
    title: 'Cancels',
    text: 'Each cancel of a payment, of all of it or of a part.',
    column: 'Meaning',
    states: {
      canceling: 'the acquirer is asked, again and again until it answers',
      pending: 'the acquirer accepted it and decides later: the amount is held, nothing is given back yet',
      canceled: 'the money was given back',
      refused: 'nothing was given back',
    },
    events: {
      accept: 'the acquirer will decide',
      confirm: 'the acquirer gave the money back',
      refuse: 'the acquirer does not give it back, also after it had accepted',
      withdraw: 'it was not sent',
    },
    first: ['canceling'],
  }),
  stateColumn({
    table: 'captures',
    moves: CAPTURE_MOVES,
    title: 'Captures',
    text: 'Each capture of a payment that was only authorized.',
    column: 'Meaning',
    states: {
      capturing: 'the acquirer is asked, again and again until it answers',
      captured: 'the amount is charged',
      refused: 'nothing was charged',
    },
    events: {
      confirm: 'the acquirer charged it',
      refuse: 'the acquirer does not charge it',
      withdraw: 'it was not sent',
    },
    first: ['capturing'],
  }),
  stateColumn({
    table: 'acquirer_changes',
    moves: CHANGE_MOVES,
    title: 'Changes of the acquirer',
    text: 'What the acquirer says of an installment later: that it paid it, blocks it, or that the holder took it back.',
    column: 'Meaning',
    states: {
      waiting: 'it is not applied yet',
      applied: 'the installment is what it says',
      refused: 'nothing comes of it',
    },
    events: { apply: 'the table of installments lets it happen', refuse: 'it cannot happen, for good' },
    first: ['waiting'],
  }),
  stateColumn({
    table: 'subscriptions',
    moves: SUBSCRIPTION_MOVES,
    title: 'Subscriptions',
    text: 'A dash means that the event is refused.',
    column: 'Shown as',
    states: SUBSCRIPTION_STATE_WORDS,
    events: {
      activate: 'you activate it; it goes on with the first day of its series that is not past',
      cancel: 'you cancel it, its plan is canceled, or what has no end was declined for good',
      block: 'its card is canceled, or a charge of it was taken back by the holder of the card',
      complete: 'its last installment is over',
      authorize: 'its payer agrees to Pix Automático',
      reject: 'its payer refuses it',
      expire: 'its payer did not agree in time',
    },
    first: ['active', 'pending'],
  }),
  stateColumn({
    table: 'billings',
    moves: BILLING_MOVES,
    title: 'Billings',
    text: `What was denied or invalid can be charged again by hand, and stays what it is until that is approved. A dash means that the
event cannot happen there.`,
    column: 'Shown as',
    states: BILLING_STATE_WORDS,
    events: {
      approve: 'a charge was approved',
      retry: 'the money was not there, and another day is tried',
      deny: 'a charge failed, and no other follows',
      invalidate: 'a charge could not be made as things are set up',
      cancel: 'you cancel it, or its subscription ended',
    },
    first: ['opened'],
  }),
  stateColumn({
    table: 'plans',
    moves: PLAN_MOVES,
    title: 'Plans',
    text: 'You give a plan any state at any time. A canceled one cancels its subscriptions.',
    column: 'Shown as',
    states: PLAN_STATE_WORDS,
    events: { activate: 'you activate it', deactivate: 'you deactivate it', cancel: 'you cancel it' },
    first: ['active', 'inactive', 'canceled'],
  }),
  stateColumn({
    table: 'boletos',
    moves: BOLETO_MOVES,
    title: 'Boletos',
    text: `What a boleto is, in our books. While it is canceled or changed it is shown as it was. ${DASH}.`,
    column: 'Meaning',
    states: {
      issuing: 'the bank is asked to register it, again and again until it answers: `statusBill` 0',
      issued: 'it can be paid: 1',
      overdue: 'its due day is over, and it can still be paid: 3',
      canceling: 'the bank is asked to end it, again and again until it answers',
      changing: 'the bank is asked to change its due day, again and again until it answers',
      paid: 'the bank reported its payment: 2',
      canceled: 'it cannot be paid any more, at your request or at the bank: 4',
      expired: 'its last day is over: 5',
      refused: 'the bank registers no such boleto, or was not asked',
    },
    events: {
      issue: 'the bank registered it; its movement has the new value `Emitido`',
      refuse: 'the bank does not register it',
      withdraw: 'it was not sent',
      lapse: 'its due day is over, or the business day behind it; `Vencido`',
      startCancel: 'you cancel it',
      startExpiry: 'its last day is over, and the bank is asked to end it',
      startChange: 'you change its due day',
      resumeChange: 'the answer of the bank to an earlier change is waited for again, or has come after all',
      change: 'the bank has changed it, perhaps before our books were restored; `Vencimento alterado`',
      keepIssued: 'the bank refuses, says that it is paid, or was not asked; it was not overdue',
      keepOverdue: 'the same of one that was overdue',
      pay: 'the bank reports a payment; `Pago`',
      cancel: 'the bank canceled it; `Cancelado`',
      expire: 'the bank ended it after its last day; `Expirado`',
    },
    first: ['issuing'],
  }),
  stateColumn({
    table: 'bank_changes',
    moves: BANK_CHANGE_MOVES,
    title: 'Changes of the bank',
    text: 'What the bank says of a boleto later: that it was paid, canceled or ended.',
    column: 'Meaning',
    states: {
      waiting: 'it is not applied yet',
      applied:
        'it is recorded: the boleto is what it says, or a payment that nobody expected stands beside it',
      refused: 'nothing comes of it',
    },
    events: { apply: 'it belongs to a boleto that lets it happen', refuse: 'it cannot happen, for good' },
    first: ['waiting'],
  }),
  stateColumn(LINK_TABLE),
  stateColumn({
    table: 'pix_charges',
    moves: PIX_MOVES,
    title: 'Pix',
    text: `What a charge by Pix is, in our books. While it is taken away it is shown as it was. ${DASH}.`,
    column: 'Meaning',
    states: {
      issuing: 'the bank is asked for it, again and again until it answers: `Processando`',
      waiting: 'it can be paid: `Aguardando`',
      removing: 'the bank is asked to take it away, again and again until it answers: `Aguardando`',
      paid: 'the bank reported its payment, of which a part may have been given back: `Paga`',
      returned: 'all that paid it was given back: `Cancelada`',
      canceled: 'the bank took it away, at your request: `Cancelada`',
      expired: 'its time was over, and the bank took it away: `Expirada`',
      refused: 'the bank makes no such charge, or was not asked: `Negada`',
    },
    events: {
      issue: 'the bank made it; its movement has the new value `Aguardando`',
      refuse: 'the bank does not make it',
      withdraw: 'it was not sent',
      startRemove: 'you cancel it',
      startExpiry: 'its time is over, and the bank is asked what became of it',
      keep: 'the bank says that it is paid, or was not asked',
      pay: 'the bank reports a payment; `Paga`',
      cancel: 'the bank took it away; `Cancelada`',
      expire: 'the bank took it away after its time; `Expirada`',
      giveBack: 'nothing is left of what paid it; `Devolvida`',
    },
    first: ['issuing'],
  }),
  stateColumn({
    table: 'pix_refunds',
    moves: REFUND_MOVES,
    title: 'Devolutions of Pix',
    text: 'A wish to give back what a Pix brought, whole or in part.',
    column: 'Shown as',
    states: {
      refunding: '`Processando`: its amount is held',
      pending: '`Pendente`: the bank carries it out, and its amount is held',
      refunded: '`Cancelado`',
      refused: '`Recusado`: nothing was given back',
    },
    events: {
      accept: 'the bank accepts it, and carries it out',
      confirm: 'the bank gave it back',
      doubt:
        'the bank refuses a further try of it, while an earlier one may still be on its way: looked at again after five minutes',
      refuse: 'the bank does not, perhaps after it had accepted it',
      withdraw: 'it was not sent',
    },
    first: ['refunding'],
  }),
  stateColumn(AUTHORIZATION_TABLE),
  stateColumn(COLLECTION_TABLE),
  stateColumn({
    table: 'pix_receipts',
    moves: RECEIPT_MOVES,
    title: 'Receipts of Pix',
    text: 'What the bank says that arrived for a charge.',
    column: 'Meaning',
    states: {
      waiting: 'it is not applied yet',
      applied: 'it is recorded: it paid the charge, or stands beside it as one that nobody expected',
    },
    events: { apply: 'the charge is there' },
    first: ['waiting'],
  }),
  stateColumn({
    table: 'deliveries',
    moves: DELIVERY_MOVES,
    title: 'Deliveries',
    text: `One message to one endpoint. ${DASH}. A test is written once it has ended.`,
    column: 'Meaning',
    states: {
      waiting: 'it is tried, and tried again',
      delivered: 'the endpoint took it',
      givenUp: 'it is not tried any more',
    },
    events: {
      deliver: 'the endpoint took it',
      retry: 'the endpoint did not take it, and another try follows',
      giveUp: 'no try is left, or the endpoint was removed, or takes nothing for days',
      resend: 'you have it sent again',
    },
    first: ['waiting'],
  }),
  stateColumn({
    table: 'webhook_endpoints',
    moves: ENDPOINT_MOVES,
    title: 'Webhook endpoints',
    text: `Where you are notified: the webhook of an account, the server of callback addresses, a notifier of subscriptions or of exceptions. ${DASH}.`,
    column: 'Meaning',
    states: {
      active: 'messages are sent there',
      disabled: 'nothing is sent there, and what is to be sent waits',
      removed: 'nothing is written for it any more',
    },
    events: {
      register: 'you register it, also anew, or have a notifier again',
      disable: 'nothing succeeded for five days, or it says that it is gone',
      enable: 'a test of yours succeeded',
      remove: 'you remove it, or end a notifier',
    },
    first: ['active'],
  }),
  stateColumn({
    table: 'reconciliation_exceptions',
    moves: EXCEPTION_MOVES,
    title: 'Exceptions of reconciliation',
    text: `Where a file of the acquirer and our books differ. ${DASH}.`,
    column: 'Meaning',
    states: {
      open: 'nobody knows why',
      explained: 'a rule knows why',
      healed: 'what came later shows no difference any more',
      resolved: 'a person found out why',
    },
    events: {
      explain: 'a rule knows why now',
      heal: 'a later file, or the books, show no difference any more',
      resolve: 'the operator ends it with a reason',
      reopen: 'a later file contradicts',
    },
    first: ['open', 'explained'],
  }),
];

function movement(event: keyof typeof MOVEMENT_TYPES, text: string): string {
  return `${text}; its movement is of type \`${MOVEMENT_TYPES[event]}\``;
}
