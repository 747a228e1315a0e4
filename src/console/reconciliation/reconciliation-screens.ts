import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { LIST_EXCEPTIONS } from '../../reconciliation/exceptions/endpoints.ts';
import { EXCEPTION_CLASSES, EXCEPTION_STATES } from '../../reconciliation/exceptions/exception.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { accountField, accountOf, link, table } from '../parts/page-parts.ts';
import { boletoPath, linkPath, MERCHANT_EXCEPTIONS, paymentPath } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { DAYS_SCREENS, periodOf } from './days-screens.ts';
import { EXCEPTION_WORDS, exceptionBadge, foundText, lackText } from './exception-words.ts';

type Exception = AnswerOf<typeof LIST_EXCEPTIONS>['items'][number];

const DAYS_OF_EXCEPTIONS = 90;

const EXCEPTIONS_SCREEN: Screen<MerchantPageTools> = listScreen<Exception>({
  path: MERCHANT_EXCEPTIONS,
  ...OF_MERCHANT,
  title: 'Exceptions',
  list: 'exceptions',
  contract: LIST_EXCEPTIONS,
  query: (visit) => ({
    accountNumber: accountOf(visit),
    ...periodOf(visit, { before: DAYS_OF_EXCEPTIONS, behind: 0 }),
    state: visit.query.state,
    class: visit.query.class,
  }),
  filters(visit) {
    const { say } = visit.wording;
    const { from, to } = periodOf(visit, { before: DAYS_OF_EXCEPTIONS, behind: 0 });
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
  const { say, count, day } = wording;
  const worded = (word: keyof typeof EXCEPTION_WORDS) => say(EXCEPTION_WORDS[word]);
  return table(say('Exceptions'), items, [
    { title: say('Class'), cell: (one) => worded(one.class) },
    { title: say('State'), cell: (one) => exceptionBadge(one.state, wording) },
    { title: say('Day'), cell: (one) => (one.day === null ? '–' : day(one.day)) },
    { title: say('Age'), cell: (one) => say('{days} days', { days: count(one.ageDays) }) },
    { title: say('Difference'), isNumber: true, cell: (one) => lackText(one, wording) },
    { title: say('Expected'), isNumber: true, cell: (one) => foundText(one.class, one.expected, wording) },
    { title: say('Found'), isNumber: true, cell: (one) => foundText(one.class, one.found, wording) },
    { title: say('Payment'), cell: (one) => paymentCell(one, wording, merchantId) },
    {
      title: say('Explanation'),
      cell: (one) => one.reason ?? (one.explanation === null ? '–' : worded(one.explanation)),
    },
  ]);
}

function paymentCell(one: Exception, { say }: Wording, merchantId: string): Shown {
  const { boletoId, transactionId, installmentNumber, linkId } = one;
  const paid =
    boletoId !== null
      ? link(boletoPath(merchantId, boletoId), say('Boleto'))
      : transactionId !== null &&
        link(
          paymentPath(merchantId, transactionId),
          installmentNumber === null ? 'Pix' : say('Installment {number}', { number: installmentNumber }),
        );
  return linkId === undefined
    ? paid
    : html`${paid}, ${link(linkPath(merchantId, linkId), say('Payment link'))}`;
}

export const RECONCILIATION_SCREENS: readonly Screen<MerchantPageTools>[] = [
  ...DAYS_SCREENS,
  EXCEPTIONS_SCREEN,
];
