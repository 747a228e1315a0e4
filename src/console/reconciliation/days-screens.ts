import type { AnswerOf, WireError } from '../../platform/http/endpoint.ts';
import { LIST_DAYS } from '../../reconciliation/days/endpoints.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { fileLinks } from '../parts/file-screens.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { daysIntoWeek, daysOfMonth, type Month, monthOf } from '../parts/month.ts';
import {
  accountField,
  accountOf,
  type Column,
  emptyState,
  errorsOf,
  type Field,
  figure,
  filterForm,
  keptNote,
  link,
  table,
} from '../parts/page-parts.ts';
import {
  DAY_SHEET,
  MERCHANT_EXCEPTIONS,
  pathOf,
  RECEIVABLE_FILES,
  RECEIVABLES,
  RECONCILIATION,
  withQuery,
} from '../parts/paths.ts';
import { OF_MERCHANT, type Screen, screen, type Visit } from '../parts/screen.ts';
import { badge } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import { type DayMoney, moneyOfDay, type Standing, sumOfDays, whySentence } from './day-money.ts';

type ListedDay = AnswerOf<typeof LIST_DAYS>[number];
type Found = {
  readonly errors: readonly WireError[];
  readonly days: readonly ListedDay[];
  readonly standing: Standing;
};

export const USUAL_DAYS = { before: 14, behind: 15 } as const;

export function periodOf({ query, now }: Visit, usual: { readonly before: number; readonly behind: number }) {
  const today = todayOf({ now });
  return {
    from: query.from ?? addDays(today, -usual.before),
    to: query.to ?? addDays(today, usual.behind),
  };
}

const todayOf = ({ now }: Pick<Visit, 'now'>) => saoPauloDay(instant(now));

export async function readDays(
  visit: Visit,
  period: { readonly from: string; readonly to: string },
  { listCoveredDays }: MerchantPageTools,
): Promise<Found> {
  const today = todayOf(visit);
  const asked = await visit.ask(LIST_DAYS, { query: { accountNumber: accountOf(visit), ...period } });
  if (!asked.ok) return { errors: asked.errors, days: [], standing: { today, covered: new Set() } };
  const open = asked.body.filter(({ day, openInstallments }) => day < today && openInstallments > 0);
  const over = open.map(({ day }) => day as Day);
  const covered = over.length === 0 ? [] : await listCoveredDays(visit.merchantId, over);
  return { errors: [], days: asked.body, standing: { today, covered: new Set(covered) } };
}

function sheetPath(day: string, accountNumber: string, { merchantId }: Visit): string {
  return withQuery(pathOf(DAY_SHEET, { merchantId, day }), { accountNumber });
}

/** The sums of these days, and when they were read. */
function moneyFigures(sum: DayMoney, { wording, realNow }: Visit): Html {
  const { say, money, signed } = wording;
  return html`<dl class="figures brief">${[
    figure(
      say('Due, after fees'),
      money(sum.net),
      'plain',
      say('{gross} gross, {fees} of fees', { gross: money(sum.gross), fees: signed(sum.fees) }),
    ),
    figure(
      say('Came'),
      money(sum.came),
      'plain',
      sum.taken === 0 ? '' : say('{taken} taken off by files among it', { taken: signed(sum.taken) }),
    ),
    figure(say('To receive'), money(sum.toCome), 'plain', say('of days that are not over')),
    figure(
      say('Missing'),
      money(sum.missing),
      sum.missing > 0 ? 'bad' : 'good',
      say('by the files of the acquirer'),
    ),
    sum.awaited > 0 &&
      figure(say('No file yet'), money(sum.awaited), 'wait', say('of days that no file tells of yet')),
  ]}</dl>
${keptNote(realNow, wording)}`;
}

const DAYS_SCREEN: Screen<MerchantPageTools> = screen<MerchantPageTools, Found>({
  path: RECONCILIATION,
  ...OF_MERCHANT,
  title: 'Reconciliation',
  read: (visit, tools) => readDays(visit, periodOf(visit, USUAL_DAYS), tools),
  view({ errors, days, standing }, visit) {
    const { say } = visit.wording;
    const { from, to } = periodOf(visit, USUAL_DAYS);
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
          : dayList(days, { accountNumber, standing }, visit);
    return html`${filterForm(visit, fields)}
<p class="links">${link(addressOf(MERCHANT_EXCEPTIONS, { accountNumber }), say('Exceptions'))}
${link(addressOf(RECEIVABLES, { accountNumber, day: from }), say('Calendar of receivables'))}
${fileLinks(RECEIVABLE_FILES, { accountNumber, from, to, by: 'sale' }, say('What was sold'), visit)}
${fileLinks(RECEIVABLE_FILES, { accountNumber, from, to, by: 'payment' }, say('What came or will come'), visit)}</p>
${list}`;
  },
});

type ShownDay = ListedDay & { readonly sums: DayMoney };

function dayList(
  listed: readonly ListedDay[],
  { accountNumber, standing }: { readonly accountNumber: string; readonly standing: Standing },
  visit: Visit,
): Html {
  const { wording } = visit;
  const { say, day } = wording;
  const { today } = standing;
  const days = listed.map((one): ShownDay => ({ ...one, sums: moneyOfDay(one, standing) }));
  const sum = sumOfDays(days.map(({ sums }) => sums));
  const amount = (
    title: string,
    of: (sums: DayMoney) => number,
    show: (cents: number) => string,
  ): Column<ShownDay> => ({
    title,
    isNumber: true,
    cell: ({ sums }) => (of(sums) === 0 ? '–' : show(of(sums))),
    total: show(of(sum)),
  });
  const { money, signed } = wording;
  /**
   * A column of money that most days do not have. If no day has any, it is left out: the figures above say
   * so.
   */
  const rare = (...[title, of, show]: Parameters<typeof amount>) =>
    of(sum) === 0 && days.every(({ sums }) => of(sums) === 0) ? [] : [amount(title, of, show)];
  return html`${moneyFigures(sum, visit)}${table(say('Days'), days, [
    {
      title: say('Day'),
      cell: (one) =>
        html`${link(sheetPath(one.day, accountNumber, visit), day(one.day))}${one.day === today && html` ${badge('plain', say('Today'))}`}`,
      total: say('In all'),
    },
    amount(say('Gross'), ({ gross }) => gross, money),
    amount(say('Fees'), ({ fees }) => fees, signed),
    amount(say('Net'), ({ net }) => net, money),
    ...rare(say('To receive'), ({ toCome }) => toCome, money),
    ...rare(say('No file yet'), ({ awaited }) => awaited, money),
    ...rare(say('Missing'), ({ missing }) => missing, money),
    ...rare(say('Taken off by files'), ({ taken }) => taken, signed),
    amount(say('Came'), ({ came }) => came, money),
    {
      ...amount(say('Difference'), ({ differing }) => differing, signed),
      cell: (one) => differenceOf(one, wording),
    },
    { title: say('Why'), cell: (one) => whySentence(saidOf(one), wording) || '–' },
  ])}
<p class="note">${say('Gross is what was sold, less what was given back before its payout.')}</p>`;
}

export const saidOf = (one: ListedDay & { readonly sums: DayMoney }) => ({
  ...one.sums,
  isPartlyUnsaid: one.receivedWithoutValue > 0,
});

/**
 * How the day's money differs from what was expected. Nobody has compared installments that are in no file
 * yet. Only less than expected is bad.
 */
function differenceOf(day: ShownDay, { say, signed, count }: Wording): Shown {
  const { differing } = day.sums;
  if (day.receivedInstallments === 0) return '–';
  if (day.differentInstallments > 0)
    return badge(
      differing < 0 ? 'bad' : 'wait',
      `${signed(differing)} (${count(day.differentInstallments)})`,
    );
  if (day.unfiledInstallments > 0)
    return badge('wait', say('{count} in no file yet', { count: count(day.unfiledInstallments) }));
  return signed(differing);
}

type MonthFound = Found & { readonly month: Month };

const CALENDAR_SCREEN: Screen<MerchantPageTools> = screen<MerchantPageTools, MonthFound>({
  path: RECEIVABLES,
  ...OF_MERCHANT,
  title: 'Calendar of receivables',
  async read(visit, tools) {
    const month = monthOf(visit);
    return { month, ...(await readDays(visit, { from: month.first, to: month.last }, tools)) };
  },
  view({ month, errors, days, standing }, visit) {
    const { wording, path, query } = visit;
    const { say, day } = wording;
    const { accountNumber } = query;
    const to = (first: Day, text: string) => link(withQuery(path, { accountNumber, day: first }), text);
    const fields: Field[] = [
      accountField(visit),
      { name: 'day', label: say('A day of the month'), type: 'date', value: month.first },
    ];
    return html`${filterForm(visit, fields)}
<p class="links">${to(addDays(month.first, -1), say('Month before'))} ${to(addDays(month.last, 1), say('Next month'))}</p>
<p class="lead">${say('{from} to {to}', { from: day(month.first), to: day(month.last) })}</p>
${errors.length > 0 ? errorsOf(errors, fields) : monthGrid(month, { days, standing }, visit)}`;
  },
});

function monthGrid(
  month: Month,
  { days: listed, standing }: Pick<Found, 'days' | 'standing'>,
  visit: Visit,
): Html {
  const { say, weekday } = visit.wording;
  const known = new Map(listed.map((one) => [one.day, { ...one, sums: moneyOfDay(one, standing) }]));
  const sum = sumOfDays([...known.values()].map(({ sums }) => sums));
  const days = daysOfMonth(month);
  const blank = html`<li class="blank" aria-hidden="true"></li>`;
  const week = Array.from({ length: 7 }, (_, at) => addDays(month.first, at - daysIntoWeek(month.first)));
  return html`${moneyFigures(sum, visit)}
<div class="weekdays" aria-hidden="true">${week.map((one) => html`<span>${weekday(one)}</span>`)}</div>
<ol class="month" aria-label="${say('Days of the month')}">${Array.from({ length: daysIntoWeek(month.first) }, () => blank)}${days.map(
    (one) => dayCell(one, known.get(one), month, visit),
  )}</ol>
${known.size === 0 && emptyState(say('Nothing was to come in this month, and nothing came.'), say('Look at another month or another account.'))}`;
}

/** What came of a day, what is to come and what is missing, each in its own words. */
function dayCell(on: Day, known: ShownDay | undefined, { today }: Month, visit: Visit): Html {
  const { say, money, weekday, day } = visit.wording;
  const name = html`<span class="weekday">${weekday(on)} </span>${day(on)}`;
  const mark = on === today && html` ${badge('plain', say('Today'))}`;
  if (known === undefined) return html`<li class="none"><span class="on">${name}${mark}</span></li>`;
  const { came, toCome, awaited, missing } = known.sums;
  const line = (amount: number, text: string, tone = '') =>
    amount !== 0 && html`<span class="${tone}"><strong>${money(amount)}</strong> ${text}</span>`;
  const why = whySentence(saidOf(known), visit.wording);
  return html`<li title="${why}"><span class="on">${link(sheetPath(on, accountOf(visit), visit), name)}${mark}</span>
${line(came, say('came'), 'good')}${line(toCome, say('to come'))}${line(awaited, say('no file yet'))}${line(missing, say('missing'), 'bad')}</li>\n`;
}

export const DAYS_SCREENS: readonly Screen<MerchantPageTools>[] = [DAYS_SCREEN, CALENDAR_SCREEN];
