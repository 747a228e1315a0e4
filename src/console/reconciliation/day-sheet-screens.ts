import type { Merchant } from '../../merchants/merchant.ts';
import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import type { Prepared } from '../../platform/prepared-reads.ts';
import type { LIST_DAYS } from '../../reconciliation/days/endpoints.ts';
import type { DueSum, SoldSum } from '../../reconciliation/receivables/receivables.sql.ts';
import type { DayReport } from '../../reconciliation/reports/read-day-report.ts';
import { documentText } from '../../values/document-number.ts';
import { type Day, isDay, reachedFrom, startOfSaoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  accountOf,
  emptyState,
  errorsOf,
  facts,
  keptNote,
  link,
  section,
  table,
  underWay,
} from '../parts/page-parts.ts';
import { DAY_SHEET, MERCHANT_EXCEPTIONS, pathOf, paymentPath, withQuery } from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { moneyOfDay, type Standing, whySentence } from './day-money.ts';
import { readDays, saidOf } from './days-screens.ts';
import { CAUSE_WORDS } from './exception-words.ts';

function daySheet(found: DaySheetFound, visit: Visit): Html {
  const { wording, accountNumbers } = visit;
  const { say, day } = wording;
  const { merchant, accountNumber, errors } = found;
  return html`<p class="headline"><strong>${day(found.day)}</strong></p>
${facts([
  [say('Merchant'), merchant.legalName],
  ['CNPJ', documentText(merchant.cnpj)],
  [say('Account'), accountNumber],
])}
${keptNote(visit.realNow, wording)}
<p class="note unprinted">${say('Print this page with your browser: it fits A4.')}</p>
${section(say('Sold on this day'), sold(found, visit))}
${section(say('Due on this day'), errors.length > 0 ? errorsOf(errors) : paid(found, visit))}
${section(say('Why it differs, by the files of the acquirer'), causes(found, visit))}
${accountNumbers.length > 1 && html`<p class="note">${say('The causes are of all accounts of the merchant.')}</p>`}`;
}

function amounts(
  title: string,
  rows: readonly (readonly [Shown, Shown, number | null])[],
  { wording: { say, count } }: Visit,
): Html {
  return table(title, rows, [
    { title: say('What'), cell: ([what]) => what },
    { title: say('Amount'), isNumber: true, cell: ([, amount]) => amount },
    {
      title: say('Installments'),
      isNumber: true,
      cell: ([, , many]) => (many === null ? '' : count(many)),
    },
  ]);
}

function sold({ sold: sum }: DaySheetFound, visit: Visit): Html {
  const { say, money, signed, count } = visit.wording;
  const expected = sum.expectedFee + sum.expectedNet;
  const note =
    sum.isCut &&
    html`<p class="note">${say('Of the first {count} installments of the day: there are more.', {
      count: count(sum.installments),
    })}</p>`;
  return html`${note}<p>${say('Sales: {count}', { count: count(sum.sales) })}</p>${amounts(
    say('Sold on this day'),
    [
      [say('Sold, gross'), money(sum.gross), sum.installments],
      [say('Given back before its payout'), signed(expected - sum.gross), null],
      [say('Fees'), signed(0 - sum.expectedFee), null],
      [html`<strong>${say('Expected, after fees')}</strong>`, money(sum.expectedNet), null],
      [say('Of it came'), money(sum.expectedNet - sum.openNet), null],
      [say('To receive of it'), money(sum.openNet), null],
      [say('Given back after its payout'), signed(sum.gross - expected - sum.canceled), null],
    ],
    visit,
  )}`;
}

/**
 * The rows lead from what was sold to what came: all are added, but for the sums in bold. The two facts below
 * the table are part of no sum.
 */
function paid({ paid: day, due, standing }: DaySheetFound, visit: Visit): Html {
  const { say, money, signed, reais } = visit.wording;
  if (day === null)
    return emptyState(
      say('Nothing was due on this day, and nothing came.'),
      say('Choose other days or another account. Sales appear on the day on which they are to be paid.'),
    );
  const sums = moneyOfDay(day, standing);
  const openOf = (name: string, amount: number) => [name, signed(0 - amount), day.openInstallments] as const;
  const open =
    sums.toCome > 0
      ? openOf(say('To receive of it'), sums.toCome)
      : sums.awaited > 0
        ? openOf(say('No file yet'), sums.awaited)
        : openOf(say('Missing of it'), sums.missing);
  // `due` and `day` were read at two moments. Refunds are shown only where both agree.
  const isSame = due.expectedNet === sums.net && due.expectedFee === 0 - sums.fees;
  const sale = [
    [say('Sold, gross'), money(due.gross), null],
    [say('Given back before its payout'), signed(sums.gross - due.gross), null],
  ] as const;
  const rows = [
    ...(due.isCut || !isSame
      ? [[say('Gross, less what was given back'), money(sums.gross), null] as const]
      : sale),
    [say('Fees'), signed(sums.fees), null],
    [html`<strong>${say('Expected, after fees')}</strong>`, money(sums.net), day.expectedInstallments],
    open,
    [say('Taken off by files'), signed(sums.taken), day.takenInstallments],
    [say('More or less than expected'), signed(sums.differing), day.differentInstallments],
    [say('Balance with other days'), signed(sums.otherDays), null],
    [html`<strong>${say('Received, after fees')}</strong>`, money(sums.came), day.receivedInstallments],
  ] as const;
  const why = whySentence(saidOf({ ...day, sums }), visit.wording);
  return html`${why !== '' && html`<p class="lead">${why}</p>`}${amounts(say('Due on this day'), rows, visit)}
${facts([
  [say('Of it in no file yet'), reais(day.unfiledValue)],
  [say('Fees kept'), reais(day.receivedFee)],
])}`;
}

function causes(found: DaySheetFound, visit: Visit): Html {
  const { report } = found;
  const { say } = visit.wording;
  if (report === 'underWay')
    return underWay(
      say('The installments of this day are being gone through.'),
      say('The result appears here in some seconds; if it does not, load the page again.'),
    );
  return html`${keptNote(report.keptSince, visit.wording)}${causesOf(report.value, found, visit)}`;
}

function causesOf(
  report: DayReport | null,
  { day, accountNumber, paid: came }: DaySheetFound,
  visit: Visit,
): Html {
  const { say } = visit.wording;
  const path = pathOf(MERCHANT_EXCEPTIONS, { merchantId: visit.merchantId });
  const exceptions = html`<p class="links unprinted">${link(
    withQuery(path, { accountNumber, from: day, to: day }),
    say('Exceptions of the day'),
  )}</p>`;
  if (report === null)
    return html`${emptyState(
      say('This day has more installments than a page goes through.'),
      say(
        'The exceptions of the day name what differs; the operator has the whole sheet by “parcela reconcile report”.',
      ),
    )}${exceptions}`;
  if (report.causes.length === 0 && came !== null && came.unfiledInstallments > 0)
    return emptyState(
      say('No file of the acquirer has this day yet.'),
      say('What differs stands here once its file was taken.'),
    );
  if (report.causes.length === 0 && report.expected === 0 && report.received === 0)
    return emptyState(
      say('There is nothing to compare on this day.'),
      say('Nothing was expected at the bank on it, and no file has money of it.'),
    );
  if (report.causes.length === 0)
    return emptyState(
      say('Nothing differs.'),
      say('Every cent that was expected came, as the files have it.'),
    );
  return html`${causeTable(report, visit)}${largest(report, visit)}${exceptions}`;
}

function causeTable({ causes: all, expected, received }: DayReport, { wording }: Visit): Html {
  const { say, money, signed, count } = wording;
  const rows = [
    { name: say('Expected, after fees'), amount: money(expected), lines: '' },
    ...all.map((one) => ({
      name: say(CAUSE_WORDS[one.cause]),
      amount: signed(0 - one.amount),
      lines: count(one.count),
    })),
  ];
  return table(say('Why it differs, by the files of the acquirer'), rows, [
    { title: say('Cause'), cell: ({ name }) => name, total: say('Received, after fees') },
    { title: say('Amount'), isNumber: true, cell: ({ amount }) => amount, total: money(received) },
    { title: say('Lines'), isNumber: true, cell: ({ lines }) => lines },
  ]);
}

function largest({ largest: all }: DayReport, { wording, merchantId }: Visit): Html {
  const { say, signed } = wording;
  const rows = all.flatMap(({ cause, amount, of }) =>
    cause === 'rounding' || 'lineNumber' in of ? [] : [{ cause, amount, of }],
  );
  if (rows.length === 0) return html``;
  return html`<h3>${say('The largest of each cause')}</h3>${table(say('The largest of each cause'), rows, [
    { title: say('Cause'), cell: ({ cause }) => say(CAUSE_WORDS[cause]) },
    { title: say('Amount'), isNumber: true, cell: ({ amount }) => signed(0 - amount) },
    {
      title: say('Payment'),
      cell: ({ of }) =>
        link(
          paymentPath(merchantId, of.transactionId),
          say('Installment {number}', { number: of.installmentNumber }),
        ),
    },
  ])}`;
}

type DayOfAccount = AnswerOf<typeof LIST_DAYS>[number];

type DaySheetFound = {
  readonly day: Day;
  readonly merchant: Merchant;
  readonly accountNumber: string;
  readonly sold: SoldSum;
  readonly due: DueSum;
  readonly errors: readonly WireError[];
  readonly paid: DayOfAccount | null;
  readonly standing: Standing;
  readonly report: Prepared<DayReport | null>;
};

const REFRESH_SECONDS = 5;

/** A sheet of A4: what was sold, paid and kept on a day, and what is missing and why. */
export const DAY_SHEET_SCREENS: readonly Screen<MerchantPageTools>[] = [
  screen<MerchantPageTools, DaySheetFound>({
    path: DAY_SHEET,
    ...OF_MERCHANT,
    title: 'Sheet of a day',
    refreshSeconds: REFRESH_SECONDS,
    async read(visit, tools) {
      const { merchantId, accountNumbers, parameters } = visit;
      const { day = '' } = parameters;
      const accountNumber = accountOf(visit);
      const merchant = await tools.findMerchant(merchantId);
      if (!isDay(day) || day < '1990' || day > '9000' || merchant === null) return 'notFound';
      if (!accountNumbers.includes(accountNumber)) return 'notFound';
      const period = { from: startOfSaoPauloDay(day), before: startOfSaoPauloDay(reachedFrom(day, 1)) };
      const sold = await tools.sumSold(merchantId, { accountNumber, ...period });
      const { errors, days, standing } = await readDays(visit, { from: day, to: day }, tools);
      const due = await tools.sumDue(merchantId, { accountNumber, day });
      const report = await tools.readDayReport(merchantId, day);
      const paid = days[0] ?? null;
      return { day, merchant, accountNumber, sold, due, errors, paid, standing, report };
    },
    view: daySheet,
  }),
];
