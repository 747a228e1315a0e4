import { doubtSentence, readDoubt } from '../../reconciliation/bank-files/doubt.ts';
import type {
  ExceptionClass,
  ExceptionState,
  Explanation,
} from '../../reconciliation/exceptions/exception.ts';
import type { UnmatchedReason } from '../../reconciliation/matching/entry-match.ts';
import type { DayCause } from '../../reconciliation/reports/day-report.ts';
import { isDay } from '../../values/instant.ts';
import type { Html } from '../parts/html.ts';
import { badge, type Tone } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';

const UNMATCHED_WORDS: Readonly<Record<UnmatchedReason, string>> = {
  ambiguous: 'Several sales fit',
  notFound: 'No sale fits',
  noSuchInstallment: 'The sale has no such installment',
  batchUnknown: 'Its batch is not known',
  batchPaid: 'Its batch was paid already',
  batchTooLarge: 'Its batch is too large to be divided',
  batchIncomplete: 'Its batch is not whole yet',
};

export const EXCEPTION_WORDS = {
  notInFile: 'Not in the file',
  notInParcela: 'Not among the sales',
  amountDiffers: 'Another amount',
  feeDiffers: 'Another fee',
  dateDiffers: 'Another day',
  duplicateInFile: 'Twice in the file',
  cancellationUnknown: 'Unknown cancel',
  chargebackUnknown: 'Unknown chargeback',
  heldByPledge: 'Held by a pledge',
  unknownCode: 'Unknown code',
  unexpectedPayment: 'Unexpected payment',
  takenBack: 'Taken back by the bank',
  open: 'Not explained',
  explained: 'Explained',
  healed: 'Healed by what came later',
  resolved: 'Resolved by a person',
  rounding: 'Rounding',
  pledge: 'A pledge',
  onItsWay: 'Waits to be applied',
  batchIncomplete: 'Its batch is not whole yet',
} as const satisfies Readonly<Record<ExceptionClass | ExceptionState | Explanation, string>>;

export const CAUSE_WORDS = {
  ...EXCEPTION_WORDS,
  notYetFiled: 'No file of the day has come',
  anticipated: 'Came earlier, for a fee',
  anticipationFee: 'Fee for coming earlier',
  canceled: 'Given back',
  chargedBack: 'Taken back by holders',
  adjustment: 'Credits and debits of no sale',
  unexplained: 'No rule has a name for it',
} as const satisfies Readonly<Record<DayCause, string>>;

const isUnmatched = (text: string): text is UnmatchedReason => Object.hasOwn(UNMATCHED_WORDS, text);

/** What an exception expected or found, for people. For most classes `text` is an amount in cents. */
export function foundText(
  name: ExceptionClass,
  text: string | null,
  { language, money, day, count, say }: Pick<Wording, 'language' | 'money' | 'day' | 'count' | 'say'>,
): string {
  if (text === null) return '–';
  if (name === 'unknownCode') {
    const doubt = readDoubt(text);
    if (doubt === undefined) return `${say(EXCEPTION_WORDS.unknownCode)} ${text}`;
    return doubt === 'repeated' ? text : `${text}: ${doubtSentence(doubt)[language]}`;
  }
  if (isDay(text)) return day(text);
  if (isUnmatched(text)) return say(UNMATCHED_WORDS[text]);
  if (!/^-?\d+$/.test(text)) return `“${text}”`;
  return name === 'duplicateInFile' ? count(Number(text)) : money(Number(text));
}

/** How much is missing, or is too much (`amount` below 0). */
export function lackText(
  { class: name, amount }: { readonly class: ExceptionClass; readonly amount: number },
  { say, money }: Pick<Wording, 'say' | 'money'>,
): string {
  if (amount === 0) return money(0);
  const text =
    name === 'dateDiffers'
      ? '{amount} on another day'
      : amount > 0
        ? '{amount} missing'
        : '{amount} too much';
  return say(text, { amount: money(Math.abs(amount)) });
}

const STATE_TONES: Readonly<Record<ExceptionState, Tone>> = {
  open: 'wait',
  explained: 'plain',
  healed: 'good',
  resolved: 'good',
};

export function exceptionBadge(state: ExceptionState, { say }: Wording): Html {
  return badge(STATE_TONES[state], say(EXCEPTION_WORDS[state]));
}
