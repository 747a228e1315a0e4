import { readDecline } from '../../providers/acquirers/issuer-code.ts';
import {
  addFees,
  FEES_BEYOND_LIMIT,
  feeOfRetry,
  NETWORK_LIMITS,
  type NetworkFee,
} from '../../transactions/methods/card/network-limits.ts';
import type { DeclineCount } from '../../transactions/sale-counts.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { cents } from '../../values/cents.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { brandText, emptyState, section, table } from '../parts/page-parts.ts';
import type { Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';

const MOST_CODES = 15;
const HOUR_MILLISECONDS = 3_600_000;
const NOTHING: NetworkFee = { reais: cents(0), dollars: cents(0) };

/** Separates declines that a retry may turn into a payment from those where it only costs fees. */
export function declineChart(declines: readonly DeclineCount[], { wording }: Visit): Html {
  const { say, count } = wording;
  const title = say('Declines by code');
  if (declines.length === 0)
    return section(
      title,
      emptyState(say('Nothing was declined.'), say('Declines stand here by their code.')),
    );
  const codes = [...Map.groupBy(declines, ({ brand, responseCode }) => `${brand} ${responseCode}`).values()];
  const bars = codes
    .map((some) => barOf(some, wording))
    .toSorted((one, other) => other.good + other.bad - one.good - one.bad)
    .slice(0, MOST_CODES);
  const names = {
    of: say('Code'),
    good: say('Another try may succeed'),
    bad: say('Another try is of no use'),
    beside: [say('One more try of each costs')],
  };
  const whole = declines.reduce((sum, one) => addFees(sum, feeOf(one), one.count), NOTHING);
  return section(
    title,
    html`${barChart(title, names, bars, wording)}
${
  codes.length > bars.length &&
  html`<p class="note">${say(
    'Of {all} codes the {count} most frequent are shown; what trying again costs counts all.',
    {
      all: count(codes.length),
      count: count(bars.length),
    },
  )}</p>`
}
<p>${say('To try each of them once more would cost {fee} in fees of the networks in any case, before taxes.', { fee: feeText(whole, wording) })}</p>
${limits(wording)}`,
  );
}

const feeOf = ({ brand, responseCode, adviceCode }: DeclineCount) =>
  feeOfRetry(brand, responseCode, adviceCode);

function barOf(some: readonly DeclineCount[], wording: Wording): Bar {
  const [{ brand, responseCode } = { brand: 'visa' as const, responseCode: '' }] = some;
  const isRetryable = (one: DeclineCount) => readDecline(brand, responseCode, one.adviceCode).isRetryable;
  const countOf = (which: readonly DeclineCount[]) => which.reduce((sum, one) => sum + one.count, 0);
  const good = countOf(some.filter(isRetryable));
  const fee = some.reduce((sum, one) => addFees(sum, feeOf(one), one.count), NOTHING);
  const meaning = readDecline(brand, responseCode, null).sentence[wording.language];
  return {
    name: `${responseCode} ${brandText(brand)}: ${meaning}`,
    good,
    bad: countOf(some) - good,
    beside: [feeText(fee, wording)],
  };
}

function feeText({ reais, dollars }: NetworkFee, { money, dollars: inDollars }: Wording): string {
  const parts = [
    ...(reais > 0 || dollars === 0 ? [money(reais)] : []),
    ...(dollars > 0 ? [inDollars(dollars)] : []),
  ];
  return parts.join(' + ');
}

/** Each retry beyond this many declines of a card has a fee. */
function limits(wording: Wording): Html {
  const { say, count, duration } = wording;
  const rows = (Object.keys(NETWORK_LIMITS) as CardBrand[]).flatMap((brand) => {
    const fee = FEES_BEYOND_LIMIT[brand];
    return fee === null ? [] : NETWORK_LIMITS[brand].limits.map((limit) => ({ ...limit, brand, fee }));
  });
  return html`<details><summary>${say('What networks charge beyond their limits')}</summary>
${table(say('What networks charge beyond their limits'), rows, [
  { title: say('Brand'), cell: ({ brand }) => brandText(brand) },
  {
    title: say('Tries of one card'),
    cell: ({ declines, windowMilliseconds }) =>
      say('{count} in {time}', {
        count: count(declines),
        time: duration((windowMilliseconds / HOUR_MILLISECONDS) * 3_600),
      }),
  },
  { title: say('Each further try'), isNumber: true, cell: ({ fee }) => feeText(fee, wording) },
])}
<p class="note">${say('As the networks published them for domestic cards, before taxes. Where the operator enforces these limits, such tries are refused here and cost nothing.')}</p>
</details>`;
}

export type Bar = {
  readonly name: string;
  readonly good: number;
  readonly bad: number;
  readonly beside?: readonly Shown[];
};

export type BarNames = {
  readonly of: string;
  readonly good: string;
  readonly bad: string;
  readonly beside?: readonly string[];
};

const WIDTH = 400;
const THICKNESS = 16;
const SUM = 50;
const BESIDE = { label: 112, row: 26, top: 4, longest: 12 } as const;
/** Longer names are cut here, and whole in the table. */
const ABOVE = { label: 0, row: 42, top: 20, longest: 52 } as const;

/** Horizontal bars, followed by their table for screen readers. */
export function barChart(
  title: string,
  names: BarNames,
  bars: readonly Bar[],
  { say, count }: Wording,
): Html {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const place = bars.every(({ name }) => name.length <= BESIDE.longest) ? BESIDE : ABOVE;
  const { label, row, top } = place;
  const widthOf = (part: number) => Math.round(((WIDTH - label - SUM) * part) / most);
  const rows = bars.map(({ name, good, bad }, index) => {
    const y = index * row + top;
    const end = label + widthOf(good) + widthOf(bad);
    const text =
      place === BESIDE
        ? html`<text x="${label - 8}" y="${y + 12}" text-anchor="end">${name}</text>`
        : html`<text x="0" y="${y - 5}">${shortened(name, place.longest)}</text>`;
    return html`${text}<rect class="good" x="${label}" y="${y}" width="${widthOf(good)}" height="${THICKNESS}"/><rect class="bad" x="${label + widthOf(good)}" y="${y}" width="${widthOf(bad)}" height="${THICKNESS}"/><text x="${end + 6}" y="${y + 12}">${count(good + bad)}</text>\n`;
  });
  const { of, good: goodName, bad: badName, beside = [] } = names;
  return html`<figure class="chart">
<figcaption><span class="key good"></span> ${goodName} <span class="key bad"></span> ${badName}</figcaption>
<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${bars.length * row + 4}">
${rows}</svg>
<details><summary>${say('As a table')}</summary>
${table(title, bars, [
  { title: of, cell: ({ name }) => name },
  { title: goodName, isNumber: true, cell: (one) => count(one.good) },
  { title: badName, isNumber: true, cell: (one) => count(one.bad) },
  ...beside.map((one, place) => ({
    title: one,
    isNumber: true,
    cell: (bar: Bar) => bar.beside?.[place],
  })),
])}
</details>
</figure>`;
}

function shortened(name: string, longest: number): string {
  const signs = [...name];
  return signs.length <= longest ? name : `${signs.slice(0, longest - 1).join('')}…`;
}
