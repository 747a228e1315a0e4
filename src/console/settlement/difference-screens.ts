import type { FoundCharge } from '../../providers/acquirers/acquirer.ts';
import type { SumName } from '../../reconciliation/truth/kept-sums.ts';
import type { TruthClass } from '../../reconciliation/truth/truth.ts';
import type { OpenDifference } from '../../reconciliation/truth/truth-differences.sql.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import { isDay } from '../../values/instant.ts';
import type { ConsoleTools } from '../open-console-tools.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { emptyState, filterForm, link, moment, table } from '../parts/page-parts.ts';
import { CALENDAR, DAY_SHEET, DIFFERENCES, pathOf, paymentPath, withQuery } from '../parts/paths.ts';
import { OF_OPERATOR, type Screen, screen, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { MOST_DIFFERENCES_SHOWN } from './exception-found.ts';

type Found = {
  readonly differences: readonly OpenDifference[];
  readonly secondsSinceVerified: number | null;
};

const CLASS_WORDS: Readonly<Record<TruthClass, string>> = {
  chargesDiffer: 'The charge differs at the acquirer',
  movementsDiffer: 'The movements differ',
  booksDiffer: 'The books differ',
  feedDiffers: 'The feed differs',
  filesDiffer: 'The files differ',
  ledgerDiffers: 'The ledger of the acquirer differs',
  sumsDiffer: 'The sums of a day differ from its rows',
};

const SUM_WORDS: Readonly<Record<SumName, string>> = {
  expected: 'Expected on the day',
  open: 'Missing of it',
  received: 'Received on the day',
  withoutNet: 'Received without an amount',
  unfiled: 'Of it in no file yet',
  differing: 'More or less than expected',
  opened: 'Billings, opened',
  paymentInvalid: 'Billings, card invalid',
  canceled: 'Billings, canceled',
  denied: 'Billings, denied',
  paid: 'Billings, paid',
};

/** Words for values of a source that are neither a number nor a day. */
const SAID_WORDS: Readonly<Record<InstallmentState | FoundCharge['kind'] | 'nothing', string>> = {
  authorized: 'Authorized',
  paid: 'Paid',
  blocked: 'Held by the acquirer',
  canceled: 'Canceled',
  approved: 'Authorized',
  preauthorized: 'Preauthorized',
  declined: 'Declined',
  voided: 'Voided',
  notFound: 'Not found there',
  unknown: 'Unknown',
  notSent: 'Not asked',
  nothing: 'Nothing',
};

const isSaid = (text: string): text is keyof typeof SAID_WORDS => Object.hasOwn(SAID_WORDS, text);

export const DIFFERENCE_SCREENS: readonly Screen<ConsoleTools>[] = [
  screen<ConsoleTools, Found>({
    path: DIFFERENCES,
    ...OF_OPERATOR,
    title: 'Differences',
    read: async ({ query: { merchant = null } }, { listDifferences, secondsSinceVerified }) => ({
      differences: await listDifferences(merchant),
      secondsSinceVerified: await secondsSinceVerified(merchant),
    }),
    view: (found, visit) =>
      html`${filterForm(visit, [
        { name: 'merchant', label: visit.wording.say('Merchant'), mostCharacters: 20 },
      ])}${verifiedNote(found, visit)}${differenceTable(found, visit)}`,
  }),
];

function saidText(
  { amount, expected, found }: OpenDifference,
  text: string | null,
  { money, day, count, say }: Wording,
): string {
  if (text === null) return '–';
  if (isDay(text)) return day(text);
  if (isSaid(text)) return say(SAID_WORDS[text]);
  if (!/^-?\d+$/.test(text)) return `“${text}”`;
  const isMoney = Number(found ?? 0) - Number(expected ?? 0) === amount;
  return isMoney ? money(Number(text)) : count(Number(text));
}

function placeOf(one: OpenDifference, { say, day }: Wording): Shown {
  const { merchantId } = one;
  if ('transactionId' in one) return link(paymentPath(merchantId, one.transactionId), one.transactionId);
  const { accountNumber } = one;
  const page =
    one.summed === 'billings'
      ? withQuery(pathOf(CALENDAR, { merchantId }), { day: one.day })
      : withQuery(pathOf(DAY_SHEET, { merchantId, day: one.day }), { accountNumber });
  const ofAccount = accountNumber !== '' && html`${say('Account')} ${accountNumber}, `;
  return html`${link(page, day(one.day))}: ${ofAccount}${say(SUM_WORDS[one.sum])}`;
}

/**
 * When the data were last verified. Without it, an empty list of data that were never verified would look
 * good.
 */
function verifiedNote({ secondsSinceVerified: seconds }: Found, { wording, realNow }: Visit): Shown {
  const { say } = wording;
  return (
    seconds !== null &&
    html`<p class="note">${say('Verified last')}: ${moment(wording, Math.floor(realNow - seconds * 1_000))}</p>`
  );
}

function differenceTable({ differences: found, secondsSinceVerified }: Found, { wording }: Visit): Html {
  const { say, money, count, duration } = wording;
  const shown = found.slice(0, MOST_DIFFERENCES_SHOWN);
  if (found.length === 0 && secondsSinceVerified === null)
    return emptyState(
      say('Not verified yet.'),
      say('Books, feed, files and ledger are compared every night; what differs stands here then.'),
    );
  if (found.length === 0)
    return emptyState(
      say('Books, feed, files and ledger are at one.'),
      say(
        'They are compared every night, and the sums of days with their rows; what differs stands here until it does not any more.',
      ),
    );
  return html`${table(say('Differences'), shown, [
    { title: say('What differs'), cell: (one) => say(CLASS_WORDS[one.class]) },
    { title: say('Merchant'), cell: (one) => one.merchantId },
    { title: say('Payment or day'), cell: (one) => placeOf(one, wording) },
    {
      title: say('Installment'),
      isNumber: true,
      cell: (one) => ('transactionId' in one ? one.installmentNumber : '–'),
    },
    { title: say('Amount'), isNumber: true, cell: (one) => money(one.amount) },
    { title: say('Expected'), isNumber: true, cell: (one) => saidText(one, one.expected, wording) },
    { title: say('Found'), isNumber: true, cell: (one) => saidText(one, one.found, wording) },
    { title: say('Age'), cell: (one) => duration(one.ageSeconds) },
  ])}${
    found.length > shown.length &&
    html`<p class="note">${say('There are more: only the {count} largest are shown.', { count: count(shown.length) })}</p>`
  }`;
}
