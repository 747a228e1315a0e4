import {
  ageOf,
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ExceptionClass,
  type ExceptionState,
  type ReconciliationException,
} from '../reconciliation/exceptions/exception.ts';
import { findException, listExceptionsOfAll, readLine } from '../reconciliation/exceptions/exceptions.sql.ts';
import { resolveException } from '../reconciliation/exceptions/resolve-exception.ts';
import { readLinesOfInstallment } from '../reconciliation/judging/judged.sql.ts';
import { netOf } from '../reconciliation/settlement-entry.ts';
import { isUuid } from '../values/ids.ts';
import { type Day, isDay, utcText } from '../values/instant.ts';
import {
  type AuditedCommandTools,
  type Command,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  reasonOption,
  table,
  visible,
} from './command.ts';
import { reaisOf } from './reais-text.ts';
import { RECONCILE_IMPORT } from './reconcile-import.ts';
import { RECONCILE_REPORT } from './reconcile-report.ts';
import { RECONCILE_TRUTH } from './truth/reconcile-truth.ts';
import { RECONCILE_VERIFY } from './truth/reconcile-verify.ts';

const MOST_LISTED = 1_000;
const USUAL_LIMIT = 100;
const DAY_MILLISECONDS = 86_400_000;

const oneOf = (words: readonly string[]) => (value: string) =>
  words.includes(value) ? null : `must be one of ${words.join(', ')}`;

const ID_OPERAND = {
  name: 'ID',
  description: 'of the exception, as reconcile list shows it',
  check: (value: string) => (isUuid(value) ? null : 'must be an id of 36 characters'),
} as const;

/** Files of the acquirer, and what differs from them: see docs/settlement.md. */
export const RECONCILE_COMMANDS: readonly Command[] = [
  RECONCILE_IMPORT,
  {
    words: ['reconcile', 'list'],
    summary: 'show the exceptions, where files and books differ, the largest first',
    options: [
      { name: 'merchant', value: 'ID', description: 'only of this merchant' },
      {
        name: 'class',
        value: 'CLASS',
        description: `one of ${EXCEPTION_CLASSES.join(', ')}`,
        check: oneOf(EXCEPTION_CLASSES),
      },
      {
        name: 'state',
        value: 'STATE',
        description: `one of ${EXCEPTION_STATES.join(', ')}; default open`,
        check: oneOf(EXCEPTION_STATES),
      },
      {
        name: 'day',
        value: 'DAY',
        description: 'only of this day, as 2026-12-14',
        check: (value) => (isDay(value) ? null : 'must be a day such as 2026-12-14'),
      },
      {
        name: 'limit',
        value: 'N',
        description: `how many, up to ${MOST_LISTED}; default ${USUAL_LIMIT}`,
        check: (value) =>
          /^[1-9]\d{0,3}$/.test(value) && Number(value) <= MOST_LISTED ? null : `must be 1 to ${MOST_LISTED}`,
      },
    ],
    opens: 'database',
    run: runList,
  },
  {
    words: ['reconcile', 'show'],
    summary: 'show all of one exception, and the lines of files that it comes from',
    operand: ID_OPERAND,
    options: [],
    opens: 'database',
    run: runShow,
  },
  {
    words: ['reconcile', 'resolve'],
    summary: 'end an exception by what you found out',
    operand: ID_OPERAND,
    options: [reasonOption('what it was, for the audit log')],
    opens: 'audited',
    run: runResolve,
  },
  RECONCILE_REPORT,
  RECONCILE_VERIFY,
  ...RECONCILE_TRUTH,
];

async function runList(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const [state, name, day] = [given.one('state') ?? 'open', given.one('class'), given.one('day')];
  const limit = Number(given.one('limit') ?? USUAL_LIMIT);
  const found = await listExceptionsOfAll(
    database,
    {
      states: [state as ExceptionState],
      classes: name === null ? EXCEPTION_CLASSES : [name as ExceptionClass],
      merchantId: given.one('merchant'),
      day: day as Day | null,
      olderThanDays: 0,
    },
    limit,
  );
  const names = ['ID', 'CLASS', 'MISSING', 'DAY', 'AGE', 'MERCHANT', 'OF'];
  const rows = found.map((one) => [
    one.exceptionId,
    one.class,
    reaisOf(one.amount),
    one.day ?? '-',
    `${ageDaysOf(one)} d`,
    visible(one.merchantId ?? '-'),
    one.class === 'unknownCode' ? `${placeOf(one)}: ${foundText(one)}` : placeOf(one),
  ]);
  const lines = found.length === 0 ? [`Nothing is ${state}.`] : table(names, rows);
  const more = found.length === limit ? [`More may follow: --limit up to ${MOST_LISTED}.`] : [];
  return { ok: true, lines: [...lines, ...more], json: { items: found.map(exceptionJson) } };
}

function ageDaysOf(exception: ReconciliationException): number {
  return Math.floor(ageOf(exception, Date.now()) / DAY_MILLISECONDS);
}

function placeOf({ transactionId, installmentNumber, boletoId, line }: ReconciliationException): string {
  if (boletoId !== null) return `boleto ${boletoId}`;
  if (transactionId !== null) return `installment ${installmentNumber} of ${transactionId}`;
  return line === null ? '-' : `line ${line.lineNumber} of file ${line.fileNumber}`;
}

/** A code that is not known, and the words beside it, are as a file has them. */
function foundText({ class: name, found }: Pick<ReconciliationException, 'class' | 'found'>): string {
  if (found === null) return '-';
  return name === 'unknownCode' ? `unknown code ${visible(found)}` : found;
}

function exceptionJson(one: ReconciliationException): object {
  return {
    ...one,
    ageDays: ageDaysOf(one),
    openedAt: utcText(one.openedAt),
    endedAt: one.endedAt === null ? null : utcText(one.endedAt),
  };
}

async function runShow(given: GivenOptions, { database }: CommandTools): Promise<CommandOutcome> {
  const found = await findException(database, (given.one('ID') ?? '').toLowerCase());
  if (found === null) return unknownId();
  const { merchantId, transactionId, installmentNumber, line } = found;
  const own = line === null ? null : await readLine(database, line.fileNumber, line.lineNumber);
  const filed =
    merchantId === null || transactionId === null || installmentNumber === null
      ? []
      : await readLinesOfInstallment(database, { merchantId, transactionId, installmentNumber });
  const ended = found.endedAt === null ? '' : ` since ${utcText(found.endedAt)}`;
  const lines = [
    `${found.class} of ${reaisOf(found.amount)}: ${found.state}${ended}`,
    `about     ${placeOf(found)}`,
    `merchant  ${visible(merchantId ?? 'none is known')}`,
    `day       ${found.day ?? '-'} (${ageDaysOf(found)} days ago)`,
    `expected  ${found.expected ?? '-'}`,
    `found     ${foundText(found)}`,
    ...(found.explanation === null ? [] : [`explained ${found.explanation}`]),
    ...(found.reason === null
      ? []
      : [`resolved  by ${visible(found.resolvedBy ?? '')}: ${visible(found.reason)}`]),
    ...(own === null
      ? []
      : [`file      ${visible(own.fileName)} (${own.kind})`, visible(own.line.trimEnd())]),
    ...filed.map(
      (part) =>
        `${part.kind} of ${reaisOf(netOf(part))} net, ${part.bankOn ?? 'no day'}: line ${part.lineNumber} of ` +
        `${visible(part.fileName)}, by ${part.rule}`,
    ),
  ];
  return { ok: true, lines, json: { ...exceptionJson(found), file: own, lines: filed } };
}

async function runResolve(given: GivenOptions, tools: AuditedCommandTools): Promise<CommandOutcome> {
  const id = (given.one('ID') ?? '').toLowerCase();
  const result = await resolveException(tools, tools.operator, id, given.one('reason') ?? '');
  if (result.kind === 'unknownId') return unknownId();
  const { exception } = result;
  if (result.kind === 'ended')
    return { ok: false, option: null, message: `it is ${exception.state} already: nothing was done` };
  const lines = [
    `Resolved: ${exception.class} of ${reaisOf(exception.amount)}. A later file that says otherwise opens it again.`,
  ];
  return { ok: true, lines, json: exceptionJson(exception) };
}

function unknownId(): CommandOutcome {
  return { ok: false, option: 'ID', message: 'no exception has this id' };
}
