import {
  type ChargeCount,
  chargesOfAll,
  type ProcessReport,
} from '../../platform/process-reports/process-report.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { Html } from './html.ts';
import { brandText, emptyState, table } from './page-parts.ts';
import type { Wording } from './wording.ts';

/** A column for each acquirer. Null if fewer than `fewest` of them have charges. */
export function approvalTable(
  processes: readonly ProcessReport[],
  wording: Wording,
  fewest = 1,
): Html | null {
  const { say } = wording;
  const counts = chargesOfAll(processes);
  const acquirers = [...new Set(counts.map(({ provider }) => provider))].sort();
  if (acquirers.length < fewest) return null;
  const of = (provider: string, brand: string) =>
    counts.find((one) => one.provider === provider && one.brand === brand);
  const brands = CARD_BRANDS.filter((brand) => acquirers.some((provider) => of(provider, brand)));
  return table(say('Approvals by acquirer and brand'), brands, [
    { title: say('Brand'), cell: brandText },
    ...acquirers.map((provider) => ({
      title: provider,
      isNumber: true,
      cell: (brand: string) => shareText(of(provider, brand), wording),
    })),
  ]);
}

function shareText(count: ChargeCount | undefined, { say, percent, count: number }: Wording): string {
  if (count === undefined) return '–';
  const { approved, declined, unanswered } = count;
  const answered = approved + declined;
  const share =
    answered === 0
      ? say('none answered')
      : say('{share} of {count}', { share: percent(approved / answered), count: number(answered) });
  return unanswered === 0
    ? share
    : `${share}, ${say('{count} without a yes or no', { count: number(unanswered) })}`;
}

export function noApprovals({ say }: Wording): Html {
  return emptyState(
    say('No card was charged since the processes began.'),
    say('What acquirers approve and decline is counted here.'),
  );
}
