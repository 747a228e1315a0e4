import type { Prepared } from '../../platform/prepared-reads.ts';
import { isSome, type PeriodSums } from '../../transactions/sale-sums.ts';
import { saoPauloDay } from '../../values/instant.ts';
import type { TodaySums } from '../open-merchant-tools.ts';
import { hourText, moneyScale, periodChart } from '../parts/chart.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { atLeast, emptyState, figure, link, moment, section, underWay } from '../parts/page-parts.ts';
import { CHARTS, FIRST_STEPS, PAYMENTS, pathOf, RECONCILIATION, withQuery } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import type { PAYMENT_STATES } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';
import type { DelayedMethod } from './delayed-method.ts';
import { delaysShown } from './delays-view.ts';
import { type Need, needsShown } from './needs-view.ts';

export type FoundToday = {
  /** Null: the sums could not be read now. */
  readonly sums: Prepared<TodaySums> | null;
  readonly needs: readonly Need[];
  readonly delays: readonly DelayedMethod[];
};

export function todayPage({ delays, ...found }: FoundToday, visit: Visit): Html {
  return html`${delaysShown(delays, visit.wording)}${sumsAndNeeds(found, visit)}`;
}

function sumsAndNeeds({ sums, needs }: Omit<FoundToday, 'delays'>, visit: Visit): Html {
  const { say } = visit.wording;
  if (sums === null)
    return html`${emptyState(
      say('The sales of today could not be read now.'),
      say('Load the page again.'),
    )}${needsShown(needs, visit)}`;
  if (sums === 'underWay')
    return html`${underWay(
      say('The sales of today are being summed.'),
      say('The result appears here in some seconds; if it does not, load the page again.'),
    )}${needsShown(needs, visit)}`;
  const { value } = sums;
  const { today, yesterday } = value;
  return html`${figures(value, visit)}
<p class="note">${say('As of')} ${moment(visit.wording, value.at)}. ${say('Yesterday is counted until the same hour.')}</p>
${isNothing(today) && isNothing(yesterday) && beginning(visit)}${needsShown(needs, visit)}
${!(isNothing(today) && isNothing(yesterday)) && section(say('Sales by card, hour by hour'), hourChart(today, yesterday, visit.wording))}`;
}

function hourChart(today: PeriodSums, yesterday: PeriodSums, wording: Wording): Html {
  const { say } = wording;
  return periodChart(
    {
      title: say('Sales by card, hour by hour'),
      of: say('Hour'),
      names: { now: say('Today'), before: say('Yesterday') },
      scale: moneyScale(wording),
      shape: 'columns',
      slots: today.byHour.map(({ amount }, hour) => ({
        name: hourText(hour),
        now: amount,
        before: yesterday.byHour[hour]?.amount ?? 0,
      })),
    },
    wording,
  );
}

const isNothing = ({ sold, pix, boletos }: PeriodSums) => ![sold, pix, boletos].some(isSome);

function beginning({ isHomologation, merchantId, wording: { say } }: Visit): Html {
  const advice = isHomologation
    ? link(pathOf(FIRST_STEPS, { merchantId }), say('Begin with the first steps'))
    : say('A payment appears here as soon as it is sold.');
  return emptyState(say('Nothing was sold today or yesterday.'), advice);
}

/**
 * Filters that list the sales of the day. Payments canceled later have another status, and are not among
 * them.
 */
const SOLD = {
  card: { method: 'card', status: 'Autorizada' },
  pix: { method: 'pix', status: 'Paga' },
} as const satisfies Record<string, { method: string; status: keyof typeof PAYMENT_STATES }>;

function figures({ at, today, yesterday, toReceive }: TodaySums, visit: Visit): Html {
  const { merchantId, wording } = visit;
  const { say, money, count } = wording;
  const day = saoPauloDay(at);
  const to = (pattern: string, text: Shown, query = {}) =>
    link(withQuery(pathOf(pattern, { merchantId }), query), text);
  const soldOf = ({ sold, pix }: PeriodSums) => sold.amount + pix.amount;
  const isCutOf = ({ sold, pix }: PeriodSums) => sold.isCut || pix.isCut;
  const isCut = isCutOf(today);
  const listed = (of: keyof typeof SOLD) =>
    ({ ...SOLD[of], dateRangeStartDate: day, dateRangeEndDate: day }) as const;
  // The list takes one status only, and cards and Pix have different ones.
  const [isByCard, isByPix] = [isSome(today.sold), isSome(today.pix)];
  const ofAll =
    isByCard === isByPix
      ? { dateRangeStartDate: day, dateRangeEndDate: day }
      : listed(isByCard ? 'card' : 'pix');
  const sales = html`${say('{count} sales', { count: atLeast(count(today.sold.count + today.pix.count), isCut, wording) })}${
    isByPix &&
    html`: ${to(
      PAYMENTS,
      say('by card {amount}', { amount: atLeast(money(today.sold.amount), today.sold.isCut, wording) }),
      listed('card'),
    )}, ${to(
      PAYMENTS,
      say('by Pix {amount}', { amount: atLeast(money(today.pix.amount), today.pix.isCut, wording) }),
      listed('pix'),
    )}`
  }`;
  return html`<dl class="figures brief">${[
    figure(
      say('Sold today'),
      to(PAYMENTS, atLeast(money(soldOf(today)), isCut, wording), ofAll),
      'plain',
      html`${before(soldOf(yesterday), soldOf(today), [isCutOf(yesterday), isCut], wording)}<br>${sales}`,
    ),
    approvalFigure(today, yesterday, (text) => to(CHARTS, text), wording),
    figure(
      say('To receive'),
      to(RECONCILIATION, money(toReceive.all)),
      'plain',
      html`${say('Due today {today}, yesterday {yesterday}', {
        today: money(toReceive.today),
        yesterday: money(toReceive.yesterday),
      })}<br>${say('In the next seven days {week}', { week: money(toReceive.week) })}`,
    ),
    figure(
      say('Given back today'),
      atLeast(money(today.givenBack.amount), today.givenBack.isCut, wording),
      'plain',
      html`${before(
        yesterday.givenBack.amount,
        today.givenBack.amount,
        [yesterday.givenBack.isCut, today.givenBack.isCut],
        wording,
      )}<br>${say('{count} times', {
        count: atLeast(count(today.givenBack.count), today.givenBack.isCut, wording),
      })}`,
    ),
    [today.boletos, yesterday.boletos].some(isSome) &&
      figure(
        say('Boletos paid today'),
        atLeast(money(today.boletos.amount), today.boletos.isCut, wording),
        'plain',
        say('The whole of yesterday: {amount} ({count})', {
          amount: atLeast(money(yesterday.boletos.amount), yesterday.boletos.isCut, wording),
          count: count(yesterday.boletos.count),
        }),
      ),
  ]}</dl>`;
}

/**
 * Yesterday's amount, and the change to today's. Amounts of which only the first sales were summed are not
 * compared.
 */
function before(
  then: number,
  now: number,
  [isThenCut, isNowCut]: readonly [boolean, boolean],
  wording: Wording,
): string {
  const { say, money, change } = wording;
  const amount = atLeast(money(then), isThenCut, wording);
  return then === 0 || isThenCut || isNowCut
    ? say('Yesterday {amount}', { amount })
    : say('Yesterday {amount} ({change})', { amount, change: change(now / then - 1) });
}

function approvalFigure(
  today: PeriodSums,
  yesterday: PeriodSums,
  to: (text: string) => Html,
  { say, percent, count }: Wording,
): Html {
  const rateOf = ({ approved, declined }: PeriodSums) =>
    approved + declined === 0 ? '–' : percent(approved / (approved + declined));
  const { approved, declined } = today;
  return figure(
    say('Approved by card'),
    to(rateOf(today)),
    'plain',
    html`${say('Yesterday {amount}', { amount: rateOf(yesterday) })}<br>${say(
      '{approved} of {all} answered',
      {
        approved: count(approved),
        all: count(approved + declined),
      },
    )}`,
  );
}
