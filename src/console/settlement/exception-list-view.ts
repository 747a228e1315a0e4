import {
  ageOf,
  EXCEPTION_CLASSES,
  EXCEPTION_STATES,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import type { ExceptionSums } from '../../reconciliation/exceptions/exceptions.sql.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, filterForm, link, section, table } from '../parts/page-parts.ts';
import { DIFFERENCES, exceptionPath, merchantPath, pathOf, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { EXCEPTION_WORDS, foundText } from '../reconciliation/exception-words.ts';
import { MOST_EXCEPTIONS_SHOWN, MOST_SUMS_SHOWN } from './exception-found.ts';

/** A day is not younger than one. */
const DAY_SECONDS = 86_400;

export type ExceptionsFound = {
  readonly sums: ExceptionSums;
  readonly exceptions: readonly ReconciliationException[];
};

export function exceptionList({ sums, exceptions }: ExceptionsFound, visit: Visit): Html {
  const { say } = visit.wording;
  return html`${filters(visit)}${sumSection(sums, visit)}${section(say('The largest'), exceptionTable(exceptions, visit))}
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

/** Where the money is: each row leads to the exceptions that it counts. */
function sumSection({ count, cents, isCutShort, groups }: ExceptionSums, visit: Visit): Shown {
  if (groups.length === 0) return '';
  const { say, money, duration, ...wording } = visit.wording;
  const number = wording.count;
  const rows = groups.map((one) => {
    const merchant = one.merchantId ?? '';
    const narrowed = withQuery(visit.path, { ...visit.query, merchant, class: one.class });
    return [
      one.merchantId ?? say('No merchant is known'),
      link(narrowed, say(EXCEPTION_WORDS[one.class])),
      number(one.count),
      money(one.cents),
      duration(Math.max(DAY_SECONDS, one.oldestAge)),
    ];
  });
  return section(
    say('By merchant and class'),
    html`<p class="headline"><strong>${money(cents)}</strong> ${
      isCutShort
        ? say('{count} or more', { count: number(count) })
        : say('{total} in all', { total: number(count) })
    }</p>${table(
      say('By merchant and class'),
      [
        { title: say('Merchant') },
        { title: say('Class') },
        { title: say('How many'), isNumber: true },
        { title: say('Money'), isNumber: true },
        { title: say('Oldest') },
      ],
      rows,
    )}${
      groups.length >= MOST_SUMS_SHOWN &&
      html`<p class="note">${say('Only those with the most money are shown.')}</p>`
    }`,
  );
}

function exceptionTable(found: readonly ReconciliationException[], { wording, now }: Visit): Html {
  const { say, money, day, duration } = wording;
  if (found.length === 0)
    return emptyState(
      say('No exception fits.'),
      say('Where a file of the acquirer differs from what was expected, it stands here.'),
    );
  const rows = found.map((one) => [
    link(exceptionPath(one.exceptionId), say(EXCEPTION_WORDS[one.class])),
    one.merchantId === null ? '–' : link(merchantPath(one.merchantId), one.merchantId),
    money(one.amount),
    one.day === null ? '–' : day(one.day),
    duration(Math.max(DAY_SECONDS, ageOf(one, now) / 1_000)),
    foundText(one.class, one.expected, wording),
    foundText(one.class, one.found, wording),
  ]);
  return html`${table(
    say('Exceptions'),
    [
      { title: say('Class') },
      { title: say('Merchant') },
      { title: say('Missing'), isNumber: true },
      { title: say('Day') },
      { title: say('Age') },
      { title: say('Expected'), isNumber: true },
      { title: say('Found'), isNumber: true },
    ],
    rows,
  )}${
    found.length >= MOST_EXCEPTIONS_SHOWN &&
    html`<p class="note">${say('Only the largest are shown: choose a merchant, a class or a day.')}</p>`
  }`;
}
