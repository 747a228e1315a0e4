// Prints the documents that come from the code. With --check it writes nothing, and names those that differ.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCatalogue, REFERENCE } from '../src/api.ts';
import { type PaymentStatus, paymentStatus } from '../src/payments/payment.ts';
import { STATUS_WORDS } from '../src/payments/status/contract.ts';
import { openApiDocument } from '../src/platform/reference/openapi.ts';
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
  const tables = errorCatalogue().map(
    ({ title, text, columns, rows }) => `## ${title}\n\n${text}\n\n${table(columns, rows)}`,
  );
  return `# Errors\n\n${PRINTED_NOTE}\n\n${ERRORS_TEXT}\n\n${tables.join('\n\n')}\n`;
}

const ERRORS_TEXT = `An error is an array of \`{ "tag", "description" }\`, all faults of a request at once. 401 has an empty body. The
description is in Portuguese, or in English with \`Accept-Language: en\`.`;

function printStates(): string {
  const sections = [
    transactionSection(),
    installmentSection(),
    section('Payments', PAYMENTS_TEXT, ['Transaction', 'Installments', 'Status', 'Shown as'], paymentRows()),
  ];
  return `# States\n\n${PRINTED_NOTE}\n\n${sections.join('\n\n')}\n`;
}

const STATE_TEXTS: Record<TransactionState, string> = {
  charging: 'the acquirer is being asked',
  settling: 'no clear answer came: the truth is being found',
  approved: 'the charge is live',
  declined: 'the issuer said no',
  undone: 'nobody was told of an approval, so none stays',
};

const EVENT_TEXTS: Record<TransactionEvent, string> = {
  approve: 'the acquirer approved',
  decline: 'the acquirer declined',
  lose: 'the answer did not come or was not clear, or the process that waited for it died',
  undo: 'the acquirer acknowledged that nothing of it stays',
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

function moveText(next: TransactionState | InstallmentState | null): string {
  return next === null ? '–' : `\`${next}\``;
}

const INSTALLMENT_EVENT_TEXTS: Record<InstallmentEvent, string> = {
  settle: 'the acquirer paid it',
  block: 'the acquirer holds its money back',
  unblock: 'the acquirer holds it back no longer',
  cancel: 'you gave back what was left of it',
  chargeback: "the card's holder took back what was left of it",
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
