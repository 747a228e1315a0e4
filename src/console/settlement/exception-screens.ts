import {
  ageOf,
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import type { ExceptionSums, OperatorFilter } from '../../reconciliation/exceptions/exceptions.sql.ts';
import type { EntryKind } from '../../reconciliation/settlement-entry.ts';
import { shownFileNumber } from '../../transactions/methods/boleto/changes/bank-change.ts';
import { isUuid } from '../../values/ids.ts';
import { isDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { linkFacts } from '../parts/buyer-parts.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  emptyState,
  facts,
  filterForm,
  link,
  moment,
  section,
  table,
} from '../parts/page-parts.ts';
import {
  boletoPath,
  DIFFERENCES,
  EXCEPTION,
  EXCEPTIONS,
  exceptionPath,
  filePath,
  merchantPath,
  pathOf,
  paymentPath,
  withQuery,
} from '../parts/paths.ts';
import {
  type Action,
  OF_OPERATOR,
  OPERATION_DONE,
  operationRefused,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { EXCEPTION_WORDS, exceptionBadge, foundText, lackText } from '../reconciliation/exception-words.ts';
import { CAUSE_ACTIONS, type CauseFound, causeSection } from './cause-actions.ts';
import { type ExceptionFound, MOST_EXCEPTIONS_SHOWN, MOST_SUMS_SHOWN } from './exception-found.ts';

const DAY_SECONDS = 86_400;

type ExceptionsFound = {
  readonly cause: CauseFound | null;
  readonly sums: ExceptionSums;
  readonly exceptions: readonly ReconciliationException[];
};

function exceptionList({ sums, exceptions, cause }: ExceptionsFound, visit: Visit): Html {
  const { say } = visit.wording;
  return html`${filters(visit)}${sumSection(sums, visit)}${cause !== null && causeSection(cause, visit)}${section(say('The largest'), exceptionTable(exceptions, visit))}
<p>${link(pathOf(DIFFERENCES), say('Differences between books, feed, files and ledger'))}</p>`;
}

function filters(visit: Visit): Html {
  const { say } = visit.wording;
  return filterForm(visit, [
    {
      name: 'state',
      label: say('State'),
      choices: EXCEPTION_STATES.map((state) => [state, say(EXCEPTION_WORDS[state])] as const),
    },
    {
      name: 'class',
      label: say('Class'),
      choices: [
        ['', say('Any')],
        ...EXCEPTION_CLASSES.map((name) => [name, say(EXCEPTION_WORDS[name])] as const),
      ],
    },
    { name: 'merchant', label: say('Merchant'), mostCharacters: 20 },
    { name: 'day', label: say('Day'), type: 'date' },
    { name: 'olderThan', label: say('Older than, in days'), type: 'number' },
  ]);
}

function sumSection({ count, cents, isCutShort, groups }: ExceptionSums, visit: Visit): Shown {
  if (groups.length === 0) return '';
  const { say, money, duration, ...wording } = visit.wording;
  const number = wording.count;
  return section(
    say('By merchant and class'),
    html`<p class="headline"><strong>${money(cents)}</strong> ${
      isCutShort
        ? say('{count} or more', { count: number(count) })
        : say('{total} in all', { total: number(count) })
    }</p>${table(say('By merchant and class'), groups, [
      { title: say('Merchant'), cell: (one) => one.merchantId ?? say('No merchant is known') },
      {
        title: say('Class'),
        cell: ({ merchantId, class: name }) => {
          const narrowed = { ...visit.query, merchant: merchantId ?? '', class: name };
          return link(withQuery(visit.path, narrowed), say(EXCEPTION_WORDS[name]));
        },
      },
      { title: say('How many'), isNumber: true, cell: (one) => number(one.count) },
      { title: say('Money'), isNumber: true, cell: (one) => money(one.cents) },
      { title: say('Oldest'), cell: (one) => duration(Math.max(DAY_SECONDS, one.oldestAge)) },
    ])}${
      groups.length >= MOST_SUMS_SHOWN &&
      html`<p class="note">${say('Only those with the most money are shown.')}</p>`
    }`,
  );
}

function exceptionTable(found: readonly ReconciliationException[], { wording, now }: Visit): Html {
  const { say, day, duration } = wording;
  if (found.length === 0)
    return emptyState(
      say('No exception fits.'),
      say('Where a file of the acquirer differs from what was expected, it stands here.'),
    );
  return html`${table(say('Exceptions'), found, [
    {
      title: say('Class'),
      cell: (one) => link(exceptionPath(one.exceptionId), say(EXCEPTION_WORDS[one.class])),
    },
    {
      title: say('Merchant'),
      cell: (one) => (one.merchantId === null ? '–' : link(merchantPath(one.merchantId), one.merchantId)),
    },
    { title: say('Difference'), isNumber: true, cell: (one) => lackText(one, wording) },
    { title: say('Day'), cell: (one) => (one.day === null ? '–' : day(one.day)) },
    { title: say('Age'), cell: (one) => duration(Math.max(DAY_SECONDS, ageOf(one, now) / 1_000)) },
    { title: say('Expected'), isNumber: true, cell: (one) => foundText(one.class, one.expected, wording) },
    { title: say('Found'), isNumber: true, cell: (one) => foundText(one.class, one.found, wording) },
  ])}${
    found.length >= MOST_EXCEPTIONS_SHOWN &&
    html`<p class="note">${say('Only the largest are shown: choose a merchant, a class or a day.')}</p>`
  }`;
}

const LINE_WORDS: Readonly<Record<EntryKind, string>> = {
  sale: 'A sale',
  schedule: 'What is to be paid',
  payout: 'A payout',
  anticipation: 'A payout before its day',
  cancel: 'A cancel',
  cancelReversal: 'A cancel that was taken back',
  chargeback: 'A chargeback',
  chargebackReversal: 'A chargeback that was taken back',
  adjustment: 'A credit or debit of no sale',
  pledge: 'A pledge',
  notice: 'Only told, and pays nothing',
  unknown: 'Its code is not known',
};

function exceptionPage({ exception, line, firstFile }: ExceptionFound, visit: Visit): Html {
  const { wording } = visit;
  const { say, day } = wording;
  const { reason, resolvedBy, explanation, transactionId, merchantId } = exception;
  const { boletoId, linkId } = exception;
  const ofMerchant = () => {
    if (merchantId === null) return '–';
    if (boletoId !== null) return link(boletoPath(merchantId, boletoId), boletoId);
    return transactionId === null ? '–' : link(paymentPath(merchantId, transactionId), transactionId);
  };
  return html`<p class="headline"><strong>${lackText(exception, wording)}</strong> ${exceptionBadge(exception.state, wording)}</p>
${facts([
  [say('Class'), say(EXCEPTION_WORDS[exception.class])],
  [say('Merchant'), merchantId ?? '–'],
  [boletoId === null ? say('Payment') : say('Boleto'), ofMerchant()],
  ...(merchantId === null ? [] : linkFacts(linkId, { merchantId, wording })),
  [say('Installment'), exception.installmentNumber ?? '–'],
  [say('Day'), exception.day === null ? '–' : day(exception.day)],
  [say('Expected'), foundText(exception.class, exception.expected, wording)],
  [say('Found'), foundText(exception.class, exception.found, wording)],
  ...(firstFile === null
    ? []
    : [
        [
          say('Already told by file'),
          `${shownFileNumber(firstFile.fileNumber)} (${day(firstFile.madeOn)})`,
        ] as const,
      ]),
  [say('Found at'), moment(wording, exception.openedAt)],
  [say('Ended at'), moment(wording, exception.endedAt)],
  ...(explanation === null ? [] : [[say('Explained by'), say(EXCEPTION_WORDS[explanation])] as const]),
  ...(reason === null ? [] : [[say('Resolved by'), `${resolvedBy ?? ''}: ${reason}`] as const]),
])}
${resolveForm(exception, visit)}
${
  line !== null &&
  exception.line !== null &&
  section(
    say('Line of the file'),
    html`<p>${link(filePath(exception.line.fileNumber), line.fileName)} (${say(LINE_WORDS[line.kind])})</p><pre class="scroll" tabindex="0">${line.line.trimEnd()}</pre>`,
  )
}`;
}

function resolveForm({ state, exceptionId }: ReconciliationException, visit: Visit): Shown {
  if (state === 'healed' || state === 'resolved') return '';
  return actionForm(visit, RESOLVE, {
    values: { id: exceptionId },
    about: visit.wording.say(
      'It ends by what you found out. The reason stands with it and in the audit log.',
    ),
  });
}

/**
 * The open exceptions of a merchant in one class, which can be resolved together. Null: not both are chosen,
 * or another filter narrows the list.
 */
async function findCause(
  { states, classes, merchantId, day, olderThanDays }: OperatorFilter,
  { sumCause, listRules }: Pick<ConsoleTools, 'sumCause' | 'listRules'>,
): Promise<CauseFound | null> {
  const [state] = states;
  const [name] = classes;
  if (merchantId === null || state !== 'open' || name === undefined) return null;
  if (classes.length > 1 || day !== null || olderThanDays > 0) return null;
  const cause = { merchantId, class: name, rule: null };
  return {
    cause,
    sum: await sumCause(cause),
    rules: name === 'feeDiffers' ? await listRules(merchantId) : [],
  };
}

function filterOf({ query }: Visit): OperatorFilter {
  const { merchant, day } = query;
  return {
    states: EXCEPTION_STATES.filter((state) => state === (query.state ?? 'open')),
    classes: EXCEPTION_CLASSES.filter((name) => query.class === undefined || name === query.class),
    merchantId: merchant ?? null,
    day: day !== undefined && isDay(day) ? day : null,
    olderThanDays: /^\d{1,4}$/.test(query.olderThan ?? '') ? Number(query.olderThan) : 0,
  };
}

export const EXCEPTION_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, ExceptionsFound>({
    path: EXCEPTIONS,
    ...OF_OPERATOR,
    title: 'Exceptions',
    async read(visit, tools) {
      const filter = filterOf(visit);
      return {
        sums: await tools.sumExceptions(filter),
        exceptions: await tools.listExceptions(filter),
        cause: await findCause(filter, tools),
      };
    },
    view: exceptionList,
  }),
  screen<ConsoleTools, ExceptionFound>({
    path: EXCEPTION,
    ...OF_OPERATOR,
    title: 'Exception',
    async read({ parameters: { id = '' } }, { findException, readLine, findFirstFile }) {
      const exception = isUuid(id) ? await findException(id.toLowerCase()) : null;
      if (exception === null) return 'notFound';
      const { line } = exception;
      return {
        exception,
        line: line === null ? null : await readLine(line.fileNumber, line.lineNumber),
        firstFile: exception.boletoId === null ? null : await findFirstFile(exception.exceptionId),
      };
    },
    view: exceptionPage,
  }),
];

const RESOLVE: Action<ConsoleTools> = {
  path: `${EXCEPTION}/resolve`,
  roles: ['finance', 'operator', 'admin'],
  of: 'operator',
  title: 'Resolve',
  operation: 'reconciliation.resolve',
  async perform(visit, { reason = '' }, { resolveException }) {
    const { say } = visit.wording;
    const { id = '' } = visit.parameters;
    const result = isUuid(id)
      ? await resolveException(visit, id.toLowerCase(), reason)
      : ({ kind: 'unknownId' } as const);
    if (result.kind === 'unknownId') return operationRefused(404, say('There is no such exception.'));
    if (result.kind === 'ended') return operationRefused(409, say('It has ended already.'));
    return OPERATION_DONE;
  },
  done: 'It is resolved. A later file that says otherwise opens it again.',
  next: ({ parameters: { id = '' } }) => exceptionPath(id),
};

export const EXCEPTION_ACTIONS: readonly Action<ConsoleTools>[] = [RESOLVE, ...CAUSE_ACTIONS];
