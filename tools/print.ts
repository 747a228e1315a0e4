// Fingerprints the documents that come from the code. With --check it writes nothing, and names those that differ.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceOf } from '../src/app/reference.ts';
import { type PaymentStatus, paymentStatus } from '../src/payments/payment.ts';
import { STATUS_WORDS } from '../src/payments/status/contract.ts';
import { NO_ANSWER_TEXT } from '../src/platform/reference/catalogue.ts';
import { openApiDocument } from '../src/platform/reference/openapi.ts';
import {
  BILLING_EVENTS,
  BILLING_MOVES,
  BILLING_STATES,
  type BillingEvent,
  type BillingState,
} from '../src/recurrence/billings/billing.ts';
import {
  type AfterCharge,
  billingAfterCharge,
  type ScheduledCharge,
} from '../src/recurrence/billings/billing-after-charge.ts';
import { ALL_CHARGE_RESULTS, type ChargeResult } from '../src/recurrence/billings/charge-result.ts';
import { BILLING_STATE_WORDS, RULE_WORDS } from '../src/recurrence/billings/contract.ts';
import { SUBSCRIPTION_STATE_WORDS } from '../src/recurrence/subscriptions/contract.ts';
import {
  SUBSCRIPTION_EVENTS,
  SUBSCRIPTION_MOVES,
  SUBSCRIPTION_STATES,
  type SubscriptionEvent,
  type SubscriptionState,
} from '../src/recurrence/subscriptions/subscription.ts';
import {
  INSTALLMENT_EVENTS,
  INSTALLMENT_MOVES,
  INSTALLMENT_STATES,
  type InstallmentEvent,
  type InstallmentState,
  MOVEMENT_TYPES,
  TRANSACTION_EVENTS,
  TRANSACTION_MOVES,
  TRANSACTION_STATES,
  type TransactionEvent,
  type TransactionState,
} from '../src/transactions/transaction.ts';
import { addDays, type Day } from '../src/values/instant.ts';

/** All that there is: homologation publishes whatever production does. */
const REFERENCE = await referenceOf('homologation');
const checkout = fileURLToPath(new URL('..', import.meta.url));

/** Each printed document by its path in the checkout. */
export function printedDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': printOpenApi(),
    'docs/errors.md': printErrors(),
    'docs/states.md': printStates(),
  };
}

/** The documents that are not what the code says now. */
export function staleDocuments(): string[] {
  return Object.entries(printedDocuments())
    .filter(([path, content]) => readDocument(path) !== content)
    .map(([path]) => path);
}

function readDocument(path: string): string | null {
  const file = join(checkout, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function writeDocuments(): void {
  for (const [path, content] of Object.entries(printedDocuments())) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

function printOpenApi(): string {
  const { endpoints, info, serverUrls } = REFERENCE;
  return `${JSON.stringify(openApiDocument(endpoints, info, serverUrls), null, 2)}\n`;
}

const PRINTED_NOTE = 'Printed from the code by `npm run print`.';

function printErrors(): string {
  const tables = REFERENCE.catalogue().map(
    ({ title, text, columns, rows }) => `## ${title}\n\n${text}\n\n${table(columns, rows)}`,
  );
  return `# Errors\n\n${PRINTED_NOTE}\n\n${ERRORS_TEXT}\n\n${NO_ANSWER_TEXT}\n\n${tables.join('\n\n')}\n`;
}

const ERRORS_TEXT = `An error is an array of \`{ "tag", "description" }\`, all faults of a request at once. 401 has an empty body. The
description is in Portuguese, or in English with \`Accept-Language: en\`. Where there is a payment (402, 500) its \`paymentId\` stands beside the two, and in
the header \`X-Payment-Id\` of every answer to it.`;

function printStates(): string {
  const sections = [
    transactionSection(),
    installmentSection(),
    section('Payments', PAYMENTS_TEXT, ['Transaction', 'Installments', 'Status', 'Shown as'], paymentRows()),
    subscriptionSection(),
    billingSection(),
    section('What a charge makes of a billing', AFTER_CHARGE_TEXT, AFTER_CHARGE_COLUMNS, afterChargeRows()),
  ];
  return `# States\n\n${PRINTED_NOTE}\n\n${sections.join('\n\n')}\n`;
}

const STATE_TEXTS: Record<TransactionState, string> = {
  charging: 'the acquirer is being asked',
  unresolved: 'no clear answer came: the truth is being found',
  approved: 'the charge is live',
  declined: 'the issuer said no',
  voided: 'nobody was told of an approval, so none stays',
};

const EVENT_TEXTS: Record<TransactionEvent, string> = {
  approve: 'the acquirer approved',
  decline: 'the acquirer declined',
  lose: 'the answer did not come or was not clear, or the process that waited for it died',
  undo: 'the acquirer acknowledged that nothing of it stays',
  keep: 'asked later, the acquirer said that it had approved it; only for the charge of a billing: of that nobody was told',
};

function transactionSection(): string {
  const rows = TRANSACTION_STATES.map((state) => [
    `\`${state}\``,
    STATE_TEXTS[state],
    ...TRANSACTION_EVENTS.map((event) => moveText(TRANSACTION_MOVES[state][event])),
  ]);
  const events = TRANSACTION_EVENTS.map((event) => `- \`${event}\`: ${EVENT_TEXTS[event]}`);
  const text = `The state after each event; a dash means that the event cannot happen there, so that a row of dashes is final.

${events.join('\n')}`;
  return section('Transactions', text, ['State', 'Meaning', ...TRANSACTION_EVENTS], rows);
}

function moveText(
  next: TransactionState | InstallmentState | SubscriptionState | BillingState | null,
): string {
  return next === null ? '–' : `\`${next}\``;
}

const INSTALLMENT_EVENT_TEXTS: Record<InstallmentEvent, string> = {
  settle: 'the acquirer paid it',
  block: 'the acquirer holds its money back',
  unblock: 'the acquirer holds it back no longer',
  cancel: 'you gave back what was left of it',
  chargeback:
    "the card's holder took back what was left of it; of one of which a part was taken back the state stays",
};

function installmentSection(): string {
  const rows = INSTALLMENT_STATES.map((state) => [
    `\`${state}\``,
    STATUS_WORDS[state],
    ...INSTALLMENT_EVENTS.map((event) => installmentMoveText(INSTALLMENT_MOVES[state][event])),
  ]);
  const events = INSTALLMENT_EVENTS.map(
    (event) =>
      `- \`${event}\`: ${INSTALLMENT_EVENT_TEXTS[event]}; its movement is of type \`${MOVEMENT_TYPES[event]}\``,
  );
  const text = `Only an approved transaction has installments. Each has a state of its own; the movement of its approval is of type
\`Autorizacao\`. "As before" is what it was when it was blocked.

${events.join('\n')}`;
  return section('Installments', text, ['State', 'Shown as', ...INSTALLMENT_EVENTS], rows);
}

function installmentMoveText(next: InstallmentState | 'asBefore' | null): string {
  return next === 'asBefore' ? 'as before' : moveText(next);
}

const PAYMENTS_TEXT =
  'What `statusDescription` of a payment says. While installments differ, the first row that fits counts.';

function paymentRows(): string[][] {
  const unapproved = TRANSACTION_STATES.filter((state) => state !== 'approved').map((state) =>
    paymentRow(state, 'none', paymentStatus(state, [])),
  );
  const approved = mostTellingFirst().map((state) =>
    paymentRow('approved', `any \`${state}\``, paymentStatus('approved', [{ state }])),
  );
  return [...unapproved, ...approved];
}

function paymentRow(state: TransactionState, installments: string, status: PaymentStatus): string[] {
  return [`\`${state}\``, installments, `\`${status}\``, STATUS_WORDS[status]];
}

/** The order in which installments speak for their payment, asked of the rule itself. */
function mostTellingFirst(): InstallmentState[] {
  return INSTALLMENT_STATES.toSorted((one, other) => {
    const told = paymentStatus('approved', [{ state: one }, { state: other }]);
    return told === one ? -1 : 1;
  });
}

const SUBSCRIPTION_EVENT_TEXTS: Record<SubscriptionEvent, string> = {
  activate: 'you activate it; it goes on with the first day of its series that is not past',
  cancel: 'you cancel it, its plan is canceled, or what has no end was declined for good',
  block: 'its card is canceled, or a charge of it was taken back by the holder of the card',
  complete: 'its last installment is over',
};

function subscriptionSection(): string {
  const rows = SUBSCRIPTION_STATES.map((state) => [
    `\`${state}\``,
    SUBSCRIPTION_STATE_WORDS[state],
    ...SUBSCRIPTION_EVENTS.map((event) => moveText(SUBSCRIPTION_MOVES[state][event])),
  ]);
  const events = SUBSCRIPTION_EVENTS.map((event) => `- \`${event}\`: ${SUBSCRIPTION_EVENT_TEXTS[event]}`);
  const text = `A dash means that the event is refused.\n\n${events.join('\n')}`;
  return section('Subscriptions', text, ['State', 'Shown as', ...SUBSCRIPTION_EVENTS], rows);
}

const BILLING_EVENT_TEXTS: Record<BillingEvent, string> = {
  approve: 'a charge was approved',
  retry: 'the money was not there, and another day is tried',
  deny: 'a charge failed, and no other follows',
  invalidate: 'a charge could not be made as things are set up',
  cancel: 'you cancel it, or its subscription ended',
};

function billingSection(): string {
  const rows = BILLING_STATES.map((state) => [
    `\`${state}\``,
    BILLING_STATE_WORDS[state],
    ...BILLING_EVENTS.map((event) => moveText(BILLING_MOVES[state][event])),
  ]);
  const events = BILLING_EVENTS.map((event) => `- \`${event}\`: ${BILLING_EVENT_TEXTS[event]}`);
  const text = `What was denied or invalid can be charged again by hand, and stays what it is until that is approved. A dash means that the
event cannot happen there.

${events.join('\n')}`;
  return section('Billings', text, ['State', 'Shown as', ...BILLING_EVENTS], rows);
}

const AFTER_CHARGE_TEXT = `What a charge on schedule makes of a billing and of its subscription, by what it came to, and whether the next billing is opened. "Without end" are
all types of plan but Custom; "ended meanwhile" is a subscription that was canceled or blocked while the charge was under way. The rule is
the word that the timeline of the billing shows.`;
const AFTER_CHARGE_COLUMNS = ['Charge', 'When', 'Rule', 'Billing', 'Subscription', 'Next billing'];

const CHARGE_TEXTS: Record<ChargeResult, string> = {
  approved: 'approved',
  funds: 'no funds',
  blocked: 'card canceled',
  denied: 'denied',
  technical: 'issuer or acquirer out of order',
  invalid: 'could not be processed',
  neverAgain: 'not sent: the card said never again',
  limited: 'not sent: the network takes no more tries now',
  cardExpired: 'not sent: the card is expired',
  cardUnusable: 'not sent: the card is not in the vault',
  amountOutOfRange: 'not sent: 0.00, or more than 99,999,999.99',
};

const DAY_OF_CHARGE = '2026-12-01' as Day;

/** An ordinary charge: the second installment, with one retry left. */
const USUAL_CHARGE: Omit<ScheduledCharge, 'result'> = {
  subscription: 'active',
  terms: { installments: 0, intervalDays: 30, maxRetries: 1 },
  installment: 2,
  dueOn: DAY_OF_CHARGE,
  chargesMade: 1,
  scheduledOn: DAY_OF_CHARGE,
  chargedOn: DAY_OF_CHARGE,
  earliestRetryOn: null,
  isNetworkLimitReached: false,
};

const CIRCUMSTANCES: readonly (readonly [string, Partial<ScheduledCharge>])[] = [
  ['without end', {}],
  ['Custom', { terms: { installments: 3, intervalDays: 30, maxRetries: 1 } }],
  ['Custom, last installment', { terms: { installments: 2, intervalDays: 30, maxRetries: 1 } }],
  ['ended meanwhile', { subscription: 'canceled' }],
];

const CIRCUMSTANCES_OF_FUNDS: typeof CIRCUMSTANCES = [
  ['retries left', {}],
  ['retries left, but the issuer asks for a later day', { earliestRetryOn: addDays(DAY_OF_CHARGE, 5) }],
  ['the limit of the network is reached, without end', { isNetworkLimitReached: true }],
  ...CIRCUMSTANCES.map(([text, change]): readonly [string, Partial<ScheduledCharge>] => [
    change.subscription === undefined ? `no retries left, ${text}` : text,
    { chargesMade: 2, ...change },
  ]),
];

const CIRCUMSTANCES_OF_LIMITED: typeof CIRCUMSTANCES = [
  ['a retry, without end', { chargesMade: 2 }],
  ...CIRCUMSTANCES.map(([text, change]) => [`first try, ${text}`, change] as const),
];

function circumstancesOf(result: ChargeResult): typeof CIRCUMSTANCES {
  if (result === 'funds') return CIRCUMSTANCES_OF_FUNDS;
  return result === 'limited' ? CIRCUMSTANCES_OF_LIMITED : CIRCUMSTANCES;
}

function afterChargeRows(): string[][] {
  return ALL_CHARGE_RESULTS.flatMap((result) =>
    circumstancesOf(result).map(([text, change]) =>
      afterChargeRow(result, text, billingAfterCharge({ ...USUAL_CHARGE, result, ...change })),
    ),
  );
}

function afterChargeRow(result: ChargeResult, text: string, after: AfterCharge): string[] {
  const { state, rule } = after.billing;
  const ended = after.subscription;
  const subscription = ended === null ? 'stays' : `\`${ended.state}\` (${ended.reason})`;
  return [
    CHARGE_TEXTS[result],
    text,
    RULE_WORDS[rule],
    `\`${state}\``,
    subscription,
    after.next === null ? 'no' : 'yes',
  ];
}

function section(
  title: string,
  text: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return `## ${title}\n\n${text}\n\n${table(columns, rows)}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    for (const path of staleDocuments()) {
      console.error(`${path} is not what the code says: npm run print`);
      process.exitCode = 1;
    }
  } else writeDocuments();
}
