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
import { type Bar, barChart } from '../parts/chart.ts';
import { type Html, html } from '../parts/html.ts';
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
    counted: say('Declined payments'),
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

/** The declines of a card beyond which each further try costs a fee, by network. */
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
