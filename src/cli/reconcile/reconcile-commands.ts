import type { Lines } from '../../platform/lines.ts';
import {
  ageOf,
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ExceptionClass,
  type ExceptionState,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import {
  findException,
  listExceptionsOfAll,
  readLine,
} from '../../reconciliation/exceptions/exceptions.sql.ts';
import { resolveException } from '../../reconciliation/exceptions/resolve-exception.ts';
import { readLinesOfInstallment } from '../../reconciliation/judging/judged.sql.ts';
import type { DayCause } from '../../reconciliation/reports/day-report.ts';
import {
  type DayReport,
  type NamedDifference,
  readDayReport,
} from '../../reconciliation/reports/read-day-report.ts';
import { netOf } from '../../reconciliation/settlement-entry.ts';
import { listDifferences } from '../../reconciliation/truth/truth-differences.sql.ts';
import { readNewestRuns } from '../../reconciliation/truth/truth-runs.sql.ts';
import { shownFileNumber } from '../../transactions/methods/boleto/changes/bank-change.ts';
import { findFirstFile } from '../../transactions/methods/boleto/changes/filed-changes.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type Day, utcText } from '../../values/instant.ts';
import {
  type Command,
  type CommandOutcome,
  dayCheck,
  limitOption,
  oneOf,
  option,
  reaisOf,
  reasonOption,
  refused,
  required,
  table,
  USUAL_LIMIT,
  visible,
} from '../command.ts';
import { RECONCILE_FETCH } from './reconcile-fetch.ts';
import { RECONCILE_IMPORT } from './reconcile-import.ts';
import { RECONCILE_TRUTH, RECONCILE_VERIFY, truthLines } from './reconcile-verify.ts';

const RECONCILE_REPORT: Command = {
  words: ['reconcile', 'report'],
  summary: 'show what was expected on a day, what came, and by name every cent between',
  options: [
    required('--day DAY', 'of the bank, as 2026-12-14', { check: dayCheck }),
    option('--merchant ID', 'only of this merchant'),
  ],
  opens: 'database',
  async run(given, { database, report }) {
    const day = (given.one('day') ?? '') as Day;
    const merchantId = given.one('merchant');
    const found = await readDayReport(
      { database, report: (count) => report(`${count} installments read`) },
      { day, merchantId },
    );
    const runs = await readNewestRuns(database, merchantId);
    const differences = await listDifferences(database, merchantId, MOST_DIFFERENCES);
    const days = runs.map((run) => run.day).sort();
    const verified =
      runs.length === 0
        ? ['Books, feed, files and ledger were not compared yet: see reconcile verify.']
        : [
            `Books, feed, files and ledger, as compared last (${days[0]} to ${days.at(-1)}):`,
            ...truthLines(runs, differences),
          ];
    return { lines: [...linesOf(found), '', ...verified], json: { ...found, truth: { runs, differences } } };
  },
};

const MOST_DIFFERENCES = 50;

const CAUSES = {
  notInFile: 'no file pays it',
  notInParcela: 'paid for a sale that is not known',
  amountDiffers: 'the amount differs',
  feeDiffers: 'the fee differs',
  dateDiffers: 'came, or was expected, on another day',
  duplicateInFile: 'paid twice',
  cancellationUnknown: 'canceled in a file, and not known',
  chargebackUnknown: 'charged back in a file, and not known',
  heldByPledge: 'paid to the holder of a pledge',
  unknownCode: 'under a code that the layout does not know',
  unexpectedPayment: 'paid for a boleto or Pix, and not expected',
  takenBack: 'given back of a Pix by its bank',
  notYetFiled: 'no file of the day has come',
  anticipated: 'came earlier, for a fee',
  anticipationFee: 'the fee for coming earlier',
  rounding: 'cents of rounding',
  canceled: 'canceled',
  chargedBack: 'charged back',
  adjustment: 'credits and debits of no sale',
  unexplained: 'no rule has a name for it',
} as const satisfies Record<DayCause, string>;

function linesOf({
  day,
  merchantId,
  expected,
  received,
  fees,
  lines: count,
  causes,
  largest,
}: DayReport): Lines {
  const missing = expected - received;
  const of = merchantId === null ? '' : ` of ${visible(merchantId)}`;
  const sums = [
    `${day}${of}: ${count} installments and lines`,
    `expected  ${reaisOf(expected)}`,
    `received  ${reaisOf(received)} (fees ${reaisOf(fees)})`,
    `missing   ${reaisOf(missing)}`,
  ];
  if (causes.length === 0) return [...sums, 'Nothing differs.'];
  const rows = causes.map((each) => [
    reaisOf(each.amount),
    String(each.count),
    each.cause,
    CAUSES[each.cause],
  ]);
  const shown = largest.filter(({ cause }) => cause !== 'rounding');
  const details = shown.map((each) => [
    reaisOf(each.amount),
    each.cause,
    each.exceptionId ?? '-',
    ...placeOfDifference(each.of),
  ]);
  return [
    ...sums,
    '',
    ...table(['MISSING', 'COUNT', 'CAUSE', ''], rows),
    details.length > 0 && ['', ...table(['MISSING', 'CAUSE', 'EXCEPTION', 'MERCHANT', 'OF'], details)],
  ];
}

function placeOfDifference(of: NamedDifference['of']): [merchant: string, place: string] {
  return 'lineNumber' in of
    ? ['-', `line ${of.lineNumber} of file ${of.fileNumber}`]
    : [visible(of.merchantId), `installment ${of.installmentNumber} of ${of.transactionId}`];
}

const MOST_LISTED = 1_000;
const DAY_MILLISECONDS = 86_400_000;

const ID_OPERAND = {
  name: 'ID',
  description: 'of the exception, as reconcile list shows it',
  check: (value: string) => (isUuid(value) ? null : 'must be an id of 36 characters'),
} as const;

/** See docs/settlement.md. */
export const RECONCILE_COMMANDS: readonly Command[] = [
  RECONCILE_IMPORT,
  RECONCILE_FETCH,
  {
    words: ['reconcile', 'list'],
    summary: 'show the exceptions, where files and books differ, the largest first',
    options: [
      option('--merchant ID', 'only of this merchant'),
      option('--class CLASS', `one of ${EXCEPTION_CLASSES.join(', ')}`, { check: oneOf(EXCEPTION_CLASSES) }),
      option('--state STATE', `one of ${EXCEPTION_STATES.join(', ')}; default open`, {
        check: oneOf(EXCEPTION_STATES),
      }),
      option('--day DAY', 'only of this day, as 2026-12-14', { check: dayCheck }),
      limitOption(MOST_LISTED),
    ],
    opens: 'database',
    async run(given, { database }) {
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
      return { lines: [...lines, ...more], json: { items: found.map(exceptionJson) } };
    },
  },
  {
    words: ['reconcile', 'show'],
    summary: 'show all of one exception, and the lines of files that it comes from',
    operand: ID_OPERAND,
    opens: 'database',
    async run(given, { database }) {
      const found = await findException(database, (given.one('ID') ?? '').toLowerCase());
      if (found === null) return unknownId();
      const { merchantId, transactionId, installmentNumber, line } = found;
      const own = line === null ? null : await readLine(database, line.fileNumber, line.lineNumber);
      const first = found.boletoId === null ? null : await findFirstFile(database, found.exceptionId);
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
        first !== null &&
          `told      already by return file ${shownFileNumber(first.fileNumber)} of ${first.madeOn}`,
        found.explanation !== null && `explained ${found.explanation}`,
        found.reason !== null && `resolved  by ${visible(found.resolvedBy ?? '')}: ${visible(found.reason)}`,
        own !== null && [`file      ${visible(own.fileName)} (${own.kind})`, visible(own.line.trimEnd())],
        ...filed.map(
          (part) =>
            `${part.kind} of ${reaisOf(netOf(part))} net, ${part.bankOn ?? 'no day'}: line ${part.lineNumber} of ` +
            `${visible(part.fileName)}, by ${part.rule}`,
        ),
      ];
      return { lines, json: { ...exceptionJson(found), file: own, lines: filed, toldBy: first } };
    },
  },
  {
    words: ['reconcile', 'resolve'],
    summary: 'end an exception by what you found out',
    operand: ID_OPERAND,
    options: [reasonOption('what it was, for the audit log')],
    opens: 'audited',
    async run(given, tools) {
      const id = (given.one('ID') ?? '').toLowerCase();
      const result = await resolveException(tools, tools.operator, id, given.one('reason') ?? '');
      if (result.kind === 'unknownId') return unknownId();
      const { exception } = result;
      if (result.kind === 'ended') return refused(`it is ${exception.state} already: nothing was done`);
      const lines = [
        `Resolved: ${exception.class} of ${reaisOf(exception.amount)}. A later file that says otherwise opens it again.`,
      ];
      return { lines, json: exceptionJson(exception) };
    },
  },
  RECONCILE_REPORT,
  RECONCILE_VERIFY,
  ...RECONCILE_TRUTH,
];

function ageDaysOf(exception: ReconciliationException): number {
  return Math.floor(ageOf(exception, Date.now()) / DAY_MILLISECONDS);
}

function placeOf({
  transactionId,
  installmentNumber,
  boletoId,
  linkId,
  line,
}: ReconciliationException): string {
  const ofLink = linkId === null ? '' : ` of link ${linkId}`;
  if (boletoId !== null) return `boleto ${boletoId}${ofLink}`;
  if (transactionId !== null && installmentNumber === null) return `Pix ${transactionId}${ofLink}`;
  if (transactionId !== null) return `installment ${installmentNumber} of ${transactionId}`;
  return line === null ? '-' : `line ${line.lineNumber} of file ${line.fileNumber}`;
}

/** An unknown code and its words come from a file, and may hold control characters. */
function foundText({ class: name, found }: Pick<ReconciliationException, 'class' | 'found'>): string {
  if (found === null) return '-';
  return name === 'unknownCode' ? `unknown code ${visible(found)}` : found;
}

function exceptionJson(one: ReconciliationException): object {
  return { ...one, ageDays: ageDaysOf(one) };
}

function unknownId(): CommandOutcome {
  return { option: 'ID', message: 'no exception has this id' };
}
