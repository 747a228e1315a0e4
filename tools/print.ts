// Prints the documents that come from the code. With --check it writes nothing, and names those
// that differ.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceOf } from '../src/app/reference.ts';
import { type PaymentStatus, paymentStatus } from '../src/payments/payment.ts';
import { STATUS_WORDS } from '../src/payments/status/contract.ts';
import type { Language } from '../src/platform/http/sentence.ts';
import { NO_ANSWER_TEXT } from '../src/platform/reference/catalogue.ts';
import { openApiDocument } from '../src/platform/reference/openapi.ts';
import { EXAMPLE_ORIGIN } from '../src/platform/reference/reference-page.ts';
import { wordingIn } from '../src/platform/reference/wording.ts';
import {
  type AfterCharge,
  billingAfterCharge,
  type ScheduledCharge,
} from '../src/recurrence/billings/billing-after-charge.ts';
import { ALL_CHARGE_RESULTS, type ChargeResult } from '../src/recurrence/billings/charge-result.ts';
import { RULE_WORDS } from '../src/recurrence/billings/contract.ts';
import {
  INSTALLMENT_STATES,
  type InstallmentState,
  TRANSACTION_STATES,
  type TransactionState,
} from '../src/transactions/transaction.ts';
import { addDays, type Day } from '../src/values/instant.ts';
import { billOfMaterials, type Lock } from './bill-of-materials.ts';
import { clientOperations, type ServedDocument, withOperations } from './client-operations.ts';
import { collection } from './collection.ts';
import { configurationPage } from './configuration-page.ts';
import { consoleAccess } from './console-access.ts';
import { monitoringPage } from './monitoring-page.ts';
import { returnPage } from './return-page.ts';
import { settlementPage } from './settlement-page.ts';
import { STATE_COLUMNS, type StateColumn } from './state-tables.ts';

/** All that there is: homologation publishes whatever production does. */
const REFERENCE = await referenceOf('homologation');
const checkout = fileURLToPath(new URL('..', import.meta.url));

/** Those that are kept in git, by path in the checkout. */
function keptDocuments(): Record<string, string> {
  return {
    'docs/errors.md': printErrors(),
    'docs/configuration.md': configurationPage(PRINTED_NOTE),
    'docs/console-access.md': consoleAccess(PRINTED_NOTE),
    'docs/states.md': printStates(),
    'docs/settlement-files.md': settlementPage(PRINTED_NOTE),
    'docs/return-files.md': returnPage(PRINTED_NOTE),
    'docs/monitoring.md': monitoringPage(PRINTED_NOTE),
    ...printClients(JSON.parse(printOpenApi()) as ServedDocument),
  };
}

function printClients(document: ServedDocument): Record<string, string> {
  const [php, python] = ['clients/php/Parcela.php', 'clients/python/parcela.py'] as const;
  return {
    'packages/client/src/operations.ts': clientOperations(document, PRINTED_NOTE),
    [php]: withOperations(readDocument(php) ?? '', document, 'php'),
    [python]: withOperations(readDocument(python) ?? '', document, 'py'),
  };
}

/** Those that programs read: a checkout makes them, and a release has them. */
function madeDocuments(): Record<string, string> {
  return {
    'docs/openapi.json': printOpenApi(),
    'docs/sbom.cdx.json': printBillOfMaterials(),
    'docs/pt/parcela.postman_collection.json': printCollection('pt'),
    'docs/en/parcela.postman_collection.json': printCollection('en'),
  };
}

/** The kept documents that are not what the code says now. */
export function staleDocuments(): string[] {
  return Object.entries(keptDocuments())
    .filter(([path, content]) => readDocument(path) !== content)
    .map(([path]) => path);
}

function readDocument(path: string): string | null {
  const file = join(checkout, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function writeDocuments(): void {
  for (const [path, content] of Object.entries({ ...keptDocuments(), ...madeDocuments() })) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export function printOpenApi(): string {
  return `${JSON.stringify(openApiDocument({ ...REFERENCE, origin: EXAMPLE_ORIGIN }, wordingIn('en', REFERENCE.texts)), null, 2)}\n`;
}

export function printCollection(language: Language): string {
  return `${JSON.stringify(collection(REFERENCE, wordingIn(language, REFERENCE.texts)), null, 2)}\n`;
}

function printBillOfMaterials(): string {
  const lock = JSON.parse(readDocument('package-lock.json') ?? '') as Lock;
  return `${JSON.stringify(billOfMaterials(lock), null, 2)}\n`;
}

const PRINTED_NOTE = 'Printed from the code by `npm run print`.';

function printErrors(): string {
  const tables = REFERENCE.catalogue().map(
    ({ title, text, columns, rows }) =>
      `## ${title}\n\n${text}\n\n${table(
        columns,
        rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.en))),
      )}`,
  );
  return `# Errors\n\n${PRINTED_NOTE}\n\n${ERRORS_TEXT}\n\n${NO_ANSWER_TEXT.en}\n\n${tables.join('\n\n')}\n`;
}

const ERRORS_TEXT = `An error is an array of \`{ "tag", "description" }\`, all faults of a request at once. 401 has an empty body. The
description is in Portuguese, or in English with \`Accept-Language: en\`. Where there is a payment (402, 500) its \`paymentId\` stands beside the two, and in
the header \`X-Payment-Id\` of every answer to it. A 409 with \`Retry-After\` passes: send the same request again then. Any other 409 stands, however often it is
sent: the state forbids it.`;

function printStates(): string {
  const sections = [
    ...STATE_COLUMNS.map(stateSection),
    section('Payments', PAYMENTS_TEXT, ['Transaction', 'Installments', 'Status', 'Shown as'], paymentRows()),
    section('What a charge makes of a billing', AFTER_CHARGE_TEXT, AFTER_CHARGE_COLUMNS, afterChargeRows()),
  ];
  return `# States\n\n${PRINTED_NOTE}\n\n${sections.join('\n\n')}\n`;
}

function stateSection({ title, text, column, moves, states, events }: StateColumn): string {
  const names = Object.keys(events);
  const rows = Object.entries(moves).map(([state, after]) => [
    `\`${state}\``,
    states[state] ?? '',
    ...names.map((event) => moveText(after[event] ?? null)),
  ]);
  const meanings = names.map((event) => `- \`${event}\`: ${events[event]}`);
  return section(title, `${text}\n\n${meanings.join('\n')}`, ['State', column, ...names], rows);
}

function moveText(next: string | null): string {
  if (next === null) return '–';
  return next === 'asBefore' ? 'as before' : `\`${next}\``;
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
    const reported = paymentStatus('approved', [{ state: one }, { state: other }]);
    return reported === one ? -1 : 1;
  });
}

const AFTER_CHARGE_TEXT = `What a charge on schedule makes of a billing and of its subscription, by what it came to, and whether the next billing is opened. "Without end" are
all types of plan but Custom, and Monthly with installments; "ended meanwhile" is a subscription that was canceled or blocked while the charge was under way. The rule is
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
  cycleOver: 'not sent: no day of its cycle is left that the bank takes (Pix Automático)',
};

const DAY_OF_CHARGE = '2026-12-01' as Day;

/** An ordinary charge: the second installment, with one retry left. */
const USUAL_CHARGE: Omit<ScheduledCharge, 'result'> = {
  subscription: 'active',
  terms: {
    paymentMethod: 'creditCard',
    planType: 'yearly',
    installments: 0,
    intervalDays: 30,
    maxRetries: 1,
  },
  installment: 2,
  dueOn: DAY_OF_CHARGE,
  chargesMade: 1,
  scheduledOn: DAY_OF_CHARGE,
  chargedOn: DAY_OF_CHARGE,
  earliestRetryOn: null,
  isNetworkLimitReached: false,
};

function termsOf(planType: 'monthly' | 'custom', installments: number): ScheduledCharge['terms'] {
  return { paymentMethod: 'creditCard', planType, installments, intervalDays: 30, maxRetries: 1 };
}

const CIRCUMSTANCES: readonly (readonly [string, Partial<ScheduledCharge>])[] = [
  ['without end', {}],
  ['Monthly with installments', { terms: termsOf('monthly', 3) }],
  ['Custom', { terms: termsOf('custom', 3) }],
  ['Custom, last installment', { terms: termsOf('custom', 2) }],
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
