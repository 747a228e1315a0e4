import type { AllSales } from '../../transactions/read-sale-counts.ts';
import type { Answers } from '../../transactions/sale-counts.ts';
import { isSome, type MoneySum, type PeriodSums, type SalePart } from '../../transactions/sale-sums.ts';
import { daysBetween } from '../../values/business-day.ts';
import { cents } from '../../values/cents.ts';
import { addDays, type Day, type Instant, reachedFrom } from '../../values/instant.ts';
import {
  type Bar,
  barChart,
  hourText,
  moneyScale,
  type PeriodChart,
  periodChart,
  type Scale,
  type Slot,
  shareScale,
} from '../parts/chart.ts';
import { type Html, html } from '../parts/html.ts';
import { atLeast, brandText, emptyState, figure, section } from '../parts/page-parts.ts';
import type { Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';

export type Days = { readonly from: Day; readonly to: Day };

/**
 * `now`: the sums of the chosen days. `before`: of as many days before; if the chosen days are not over, up
 * to the same hour.
 */
export type ChargeSums = { readonly now: PeriodSums; readonly before: PeriodSums };

export function daysBefore({ from, to }: Days): Days {
  const days = countDays({ from, to });
  return { from: reachedFrom(from, -days), to: reachedFrom(to, -days) };
}

export const countDays = ({ from, to }: Days): number => daysBetween(from, to) + 1;

function daysOf(days: Days): Day[] {
  return Array.from({ length: countDays(days) }, (_, at) => addDays(days.from, at));
}

const shareOf = ({ approved, declined }: Pick<SalePart, 'approved' | 'declined'>) =>
  approved + declined === 0 ? null : approved / (approved + declined);

export function figuresOf({ now, before }: ChargeSums, days: Days, { wording }: Visit): Html {
  const { say, money, count, percent, change, day } = wording;
  const all = ({ sold, pix }: PeriodSums): MoneySum => ({
    amount: cents(sold.amount + pix.amount),
    count: sold.count + pix.count,
    isCut: sold.isCut || pix.isCut,
  });
  const [sold, soldBefore] = [all(now), all(before)];
  const isCut = sold.isCut || soldBefore.isCut;
  const than = (value: number, former: number, text: string) =>
    former === 0 || isCut
      ? say('Before: {amount}', { amount: text })
      : say('Before: {amount} ({change})', { amount: text, change: change(value / former - 1) });
  const amountOf = ({ amount, isCut: isMore }: MoneySum) => atLeast(money(amount), isMore, wording);
  const countOf = ({ count: counted, isCut: isMore }: MoneySum) => atLeast(count(counted), isMore, wording);
  const [share, shareBefore] = [shareOf(now), shareOf(before)];
  const shown = (part: number | null) => (part === null ? '–' : percent(part));
  const former = daysBefore(days);
  return html`<dl class="figures brief">${[
    figure(
      say('Sold'),
      amountOf(sold),
      'plain',
      html`${than(sold.amount, soldBefore.amount, amountOf(soldBefore))}${
        isSome(now.pix) &&
        html`<br>${say('by card {amount}', { amount: amountOf(now.sold) })}, ${say('by Pix {amount}', { amount: amountOf(now.pix) })}`
      }`,
    ),
    figure(say('Sales'), countOf(sold), 'plain', than(sold.count, soldBefore.count, countOf(soldBefore))),
    figure(
      say('Approved by card'),
      shown(share),
      'plain',
      say('Before: {amount}', { amount: shown(shareBefore) }),
    ),
    figure(
      say('Given back'),
      amountOf(now.givenBack),
      'plain',
      say('Before: {amount}', { amount: amountOf(before.givenBack) }),
    ),
    [now.boletos, before.boletos].some(isSome) &&
      figure(
        say('Boletos paid'),
        amountOf(now.boletos),
        'plain',
        say('Before, in whole days: {amount} ({count})', {
          amount: amountOf(before.boletos),
          count: countOf(before.boletos),
        }),
      ),
  ]}</dl>
<p class="note">${say('Before: {from} to {to}, until the same hour where the days are not over.', { from: day(former.from), to: day(former.to) })}</p>`;
}

export const isNothing = ({ sold, approved, declined, pix, boletos, givenBack }: PeriodSums) =>
  approved + declined === 0 && ![sold, pix, boletos, givenBack].some(isSome);

type Part = Slot & { readonly part: SalePart };

const NO_PART: SalePart = { amount: cents(0), count: 0, approved: 0, declined: 0 };

type Pair = { readonly name: string; readonly now: SalePart; readonly before: SalePart };

/** What is compared: the hours if one day is chosen, else the days. */
function pairsOf({ now, before }: ChargeSums, days: Days, wording: Wording): readonly Pair[] {
  if (days.from === days.to)
    return now.byHour.map((part, hour) => ({
      name: hourText(hour),
      now: part,
      before: before.byHour[hour] ?? NO_PART,
    }));
  const former = daysOf(daysBefore(days));
  const partOf = ({ byDay }: PeriodSums, wanted: Day | undefined) =>
    byDay.find(({ day }) => day === wanted) ?? NO_PART;
  return daysOf(days).map((day, index) => ({
    name: wording.day(day).slice(0, 5),
    now: partOf(now, day),
    before: partOf(before, former[index]),
  }));
}

/** Empty if no card was charged in either period. */
export function periodCharts(sums: ChargeSums, days: Days, { wording }: Visit): Html {
  const { say, count, day } = wording;
  const isOneDay = days.from === days.to;
  const former = daysBefore(days);
  const nameOf = ({ from, to }: Days) =>
    from === to ? day(from) : say('{from} to {to}', { from: day(from), to: day(to) });
  const pairs = pairsOf(sums, days, wording);
  const chart = (
    title: string,
    shape: PeriodChart<Part>['shape'],
    scale: Scale,
    measured: (part: SalePart) => number | null,
    beside: PeriodChart<Part>['beside'] = [],
  ) =>
    section(
      title,
      periodChart<Part>(
        {
          title,
          of: isOneDay ? say('Hour') : say('Day'),
          names: { now: nameOf(days), before: nameOf(former) },
          shape,
          scale,
          slots: pairs.map(({ name, now, before }) => ({
            name,
            now: measured(now),
            before: measured(before),
            part: now,
          })),
          beside,
        },
        wording,
      ),
    );
  const some = (of: (sums: PeriodSums) => boolean) => of(sums.now) || of(sums.before);
  return html`${
    some(({ sold }) => isSome(sold)) &&
    chart(say('Sold by card'), 'columns', moneyScale(wording), ({ amount }) => amount, [
      { title: say('Sales'), isNumber: true, cell: ({ part }) => count(part.count) },
    ])
  }
${
  some(({ approved, declined }) => approved + declined > 0) &&
  chart(say('Approval rate'), 'line', shareScale(wording, say('% of those answered')), shareOf, [
    { title: say('Approved'), isNumber: true, cell: ({ part }) => count(part.approved) },
    { title: say('Turned down'), isNumber: true, cell: ({ part }) => count(part.declined) },
  ])
}`;
}

export function approvalsPart(sales: AllSales, { wording }: Visit): Html {
  const { say, count } = wording;
  const { approved, declined, other } = sales.total;
  if (approved + declined + other === 0)
    return emptyState(
      say('No payment by card in these days.'),
      say('Choose other days. A payment appears here as soon as it is asked for.'),
    );
  const parts = [
    say('Approved: {approved}. Declined: {declined}. Without an answer, or undone before one: {other}.', {
      approved: count(approved),
      declined: count(declined),
      other: count(other),
    }),
    ...countedSince(sales.countedFrom, wording),
  ];
  const byBrand = sales.byBrand.map((one) => ({ name: brandText(one.brand), ...one }));
  const sorted = byBrand.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const byHour = sales.byHour.map((one) => ({ name: hourText(one.hour), ...one }));
  return html`<p>${parts.join(' ')}</p>
<div class="charts">${approvals(say('Approvals by brand'), say('Brand'), sorted, wording)}
${approvals(say('Approvals by hour'), say('Hour'), byHour, wording)}</div>`;
}

export function countedSince(at: Instant | null, { say, moment }: Wording): string[] {
  if (at === null) return [];
  return [say('There are more: only those since {at} are counted. Choose fewer days.', { at: moment(at) })];
}

function approvals(
  title: string,
  of: string,
  answers: readonly (Answers & { readonly name: string })[],
  wording: Wording,
): Html {
  const { say, percent } = wording;
  const bars: Bar[] = answers
    .filter(({ approved, declined }) => approved + declined > 0)
    .map(({ name, approved, declined }) => ({
      name,
      good: approved,
      bad: declined,
      rate: percent(approved / (approved + declined)),
    }));
  if (bars.length === 0) return html``;
  const names = {
    of,
    counted: say('Payments'),
    good: say('Approved'),
    bad: say('Turned down'),
    rate: say('Of those answered'),
  };
  return section(title, barChart(title, names, bars, wording));
}
