import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import { LIST_DAYS } from '../../reconciliation/days/endpoints.ts';
import { LIST_EXCEPTIONS } from '../../reconciliation/exceptions/endpoints.ts';
import { EXCEPTION_CLASSES, EXCEPTION_STATES } from '../../reconciliation/exceptions/exception.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { type ListTools, listScreen } from '../filters/list-screens.ts';
import { fileLinks } from '../parts/file-screens.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  emptyState,
  errorsOf,
  type Field,
  filterForm,
  link,
  table,
} from '../parts/page-parts.ts';
import {
  boletoPath,
  DAY_SHEET,
  MERCHANT_EXCEPTIONS,
  pathOf,
  paymentPath,
  RECEIVABLE_FILES,
  RECONCILIATION,
  withQuery,
} from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { EXCEPTION_WORDS, exceptionBadge, foundText } from './exception-words.ts';

type Day = AnswerOf<typeof LIST_DAYS>[number];
type Found = { readonly errors: readonly WireError[]; readonly days: readonly Day[] };
type Exception = AnswerOf<typeof LIST_EXCEPTIONS>['items'][number];

export const USUAL_DAYS = { before: 14, behind: 15 } as const;
const DAYS_OF_EXCEPTIONS = 90;

export function daysOf({ query, now }: Visit, usual: { readonly before: number; readonly behind: number }) {
  const today = saoPauloDay(instant(now));
  return {
    from: query.from ?? addDays(today, -usual.before),
    to: query.to ?? addDays(today, usual.behind),
  };
}

const DAYS_SCREEN: Screen<unknown> = screen<unknown, Found>({
  path: RECONCILIATION,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Reconciliation',
  async read(visit) {
    const query = { accountNumber: accountOf(visit), ...daysOf(visit, USUAL_DAYS) };
    const asked = await visit.ask(LIST_DAYS, { query });
    return asked.ok ? { errors: [], days: asked.body } : { errors: asked.errors, days: [] };
  },
  view({ errors, days }, visit) {
    const { say } = visit.wording;
    const { from, to } = daysOf(visit, USUAL_DAYS);
    const accountNumber = accountOf(visit);
    const addressOf = (pattern: string, query: Record<string, string>) =>
      withQuery(pathOf(pattern, { merchantId: visit.merchantId }), query);
    const fields: Field[] = [
      accountField(visit),
      { name: 'from', label: say('From'), type: 'date', value: from },
      { name: 'to', label: say('To'), type: 'date', value: to },
    ];
    const list =
      errors.length > 0
        ? errorsOf(errors, fields)
        : days.length === 0
          ? emptyState(
              say('Nothing was to come in these days, and nothing came.'),
              say(
                'Choose other days or another account. Sales appear on the day on which they are to be paid.',
              ),
            )
          : dayTable(days, accountNumber, visit);
    return html`${filterForm(visit, fields)}
<p class="links">${link(addressOf(MERCHANT_EXCEPTIONS, { accountNumber }), say('Exceptions'))}
${fileLinks(RECEIVABLE_FILES, { accountNumber, from, to, by: 'sale' }, say('What was sold'), visit)}
${fileLinks(RECEIVABLE_FILES, { accountNumber, from, to, by: 'payment' }, say('What came or will come'), visit)}</p>
${list}`;
  },
});

function dayTable(days: readonly Day[], accountNumber: string, { wording, merchantId }: Visit): Html {
  const { say, reais, count, day } = wording;
  return table(say('Days'), days, [
    {
      title: say('Day'),
      cell: (one) =>
        link(withQuery(pathOf(DAY_SHEET, { merchantId, day: one.day }), { accountNumber }), day(one.day)),
    },
    {
      title: say('Expected'),
      isNumber: true,
      cell: (one) => html`${reais(one.expectedValue)} <small>(${count(one.expectedInstallments)})</small>`,
    },
    { title: say('Expected fees'), isNumber: true, cell: (one) => reais(one.expectedFee) },
    {
      title: say('Not come yet'),
      isNumber: true,
      cell: (one) => html`${reais(one.openValue)} <small>(${count(one.openInstallments)})</small>`,
    },
    {
      title: say('Received'),
      isNumber: true,
      cell: (one) => html`${reais(one.receivedValue)} <small>(${count(one.receivedInstallments)})</small>`,
    },
    { title: say('Fees'), isNumber: true, cell: (one) => reais(one.receivedFee) },
    { title: say('Difference'), isNumber: true, cell: (one) => differenceOf(one, wording) },
  ]);
}

/** Without a file, nobody has compared the amount yet. */
function differenceOf(day: Day, { say, reais, count }: Wording): Shown {
  if (day.receivedInstallments === 0) return '–';
  if (day.differentInstallments > 0)
    return badge('bad', `${reais(day.difference)} (${count(day.differentInstallments)})`);
  if (day.unfiledInstallments > 0)
    return badge('wait', say('{count} in no file yet', { count: count(day.unfiledInstallments) }));
  return reais(day.difference);
}

const EXCEPTIONS_SCREEN: Screen<ListTools> = listScreen<Exception>({
  path: MERCHANT_EXCEPTIONS,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Exceptions',
  list: 'exceptions',
  contract: LIST_EXCEPTIONS,
  query: (visit) => ({
    accountNumber: accountOf(visit),
    ...daysOf(visit, { before: DAYS_OF_EXCEPTIONS, behind: 0 }),
    state: visit.query.state,
    class: visit.query.class,
  }),
  filters(visit) {
    const { say } = visit.wording;
    const { from, to } = daysOf(visit, { before: DAYS_OF_EXCEPTIONS, behind: 0 });
    const choices = (words: readonly (keyof typeof EXCEPTION_WORDS)[]) =>
      [['', say('Any')], ...words.map((word) => [word, say(EXCEPTION_WORDS[word])] as const)] as const;
    return [
      accountField(visit),
      { name: 'from', label: say('From'), type: 'date', value: from },
      { name: 'to', label: say('To'), type: 'date', value: to },
      { name: 'state', label: say('State'), choices: choices(EXCEPTION_STATES) },
      { name: 'class', label: say('Class'), choices: choices(EXCEPTION_CLASSES) },
    ];
  },
  empty: [
    'No exception of these days.',
    'Choose other days or another account. Where a file of the acquirer differs from your sales, it stands here; what no file has yet is not compared.',
  ],
  view: exceptionTable,
});

function exceptionTable(items: readonly Exception[], { wording, merchantId }: Visit): Html {
  const { say, money, count, day } = wording;
  const worded = (word: keyof typeof EXCEPTION_WORDS) => say(EXCEPTION_WORDS[word]);
  return table(say('Exceptions'), items, [
    { title: say('Class'), cell: (one) => worded(one.class) },
    { title: say('State'), cell: (one) => exceptionBadge(one.state, wording) },
    { title: say('Day'), cell: (one) => (one.day === null ? '–' : day(one.day)) },
    { title: say('Age'), cell: (one) => say('{days} days', { days: count(one.ageDays) }) },
    { title: say('Money lacking'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Expected'), isNumber: true, cell: (one) => foundText(one.class, one.expected, wording) },
    { title: say('Found'), isNumber: true, cell: (one) => foundText(one.class, one.found, wording) },
    {
      title: say('Payment'),
      cell: (one) =>
        one.boletoId !== null
          ? link(boletoPath(merchantId, one.boletoId), say('Boleto'))
          : one.transactionId !== null &&
            link(
              paymentPath(merchantId, one.transactionId),
              say('Installment {number}', { number: one.installmentNumber ?? 1 }),
            ),
    },
    {
      title: say('Explanation'),
      cell: (one) => one.reason ?? (one.explanation === null ? '–' : worded(one.explanation)),
    },
  ]);
}

export const RECONCILIATION_SCREENS: readonly Screen<ListTools>[] = [DAYS_SCREEN, EXCEPTIONS_SCREEN];
