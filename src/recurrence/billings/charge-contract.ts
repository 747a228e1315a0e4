import { Type } from 'typebox';
import { readDecline } from '../../acquirers/issuer-code.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import { RETRY_NUMBERS_TEXT } from '../plans/retry-schedule.ts';
import type { BillingCharge } from './charge.ts';
import { type ChargeOutcome, type ChargeRule, sentenceOfRule } from './charge-result.ts';

const OUTCOME_WORDS = {
  approved: 'Approved',
  funds: 'InsufficientFunds',
  blocked: 'CardCanceled',
  denied: 'Denied',
  technical: 'OutOfOrder',
  invalid: 'Invalid',
  voided: 'Undone',
} as const satisfies Record<ChargeOutcome, string>;

export const RULE_WORDS = {
  paid: 'Paid',
  retry: 'Retry',
  retryAsAdvised: 'RetryAsAdvised',
  noRetriesLeft: 'NoRetriesLeft',
  networkLimit: 'NetworkLimit',
  subscriptionEnded: 'SubscriptionEnded',
  cardCanceled: 'CardCanceled',
  neverAgain: 'NeverAgain',
  denied: 'Denied',
  technical: 'OutOfOrder',
  invalid: 'Invalid',
  declinedByHand: 'DeclinedByHand',
  cardExpired: 'CardExpired',
  cardUnusable: 'CardUnusable',
  amountOutOfRange: 'AmountOutOfRange',
  sentAgain: 'SentAgain',
} as const satisfies Record<ChargeRule, string>;

const UNDER_WAY: Sentence = {
  pt: 'Em andamento: aguarda o resultado.',
  en: 'Under way: it waits for its outcome.',
};

/** A charge by hand is not made again by itself: its merchant decides. */
const VOIDED_MANUALLY: Sentence = {
  pt: 'A adquirente não respondeu, e nada desta tentativa ficou: a cobrança continua como estava.',
  en: 'The acquirer did not answer, and nothing of this try stays: the billing stays what it was.',
};

const orNull = (
  type: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>,
  description: string,
) => Type.Union([type, Type.Null()], { description });

/** A charge in a timeline. */
export const CHARGED_FIELDS = {
  attempt: orNull(
    Type.Integer(),
    `On schedule: the first try is 1, its retries ${RETRY_NUMBERS_TEXT}. null: charged by hand.`,
  ),
  outcome: Type.Union([Type.Enum(Object.values(OUTCOME_WORDS)), Type.Null()], {
    description:
      'Undone: nobody answered and nothing of it stays; on schedule the same attempt is made again. null: under way.',
  }),
  code: orNull(Type.String(), "The issuer's code; null: approved, no answer, or nobody was asked."),
  meaning: orNull(Type.String(), "What the issuer's code means; null without a code."),
  paymentId: orNull(Type.String(), 'Its transaction; null: nobody was asked.'),
  rule: Type.Union([Type.Enum(Object.values(RULE_WORDS)), Type.Null()], {
    description: 'What was made of the outcome, and why; null: nothing yet.',
  }),
  nextChargeOn: orNull(Type.String(), 'The day of the next try that came of it; null: none did.'),
  description: Type.String({ description: 'What was made of it, as a sentence.' }),
};

export const CHARGED_EXAMPLE = {
  attempt: 1,
  outcome: 'InsufficientFunds',
  code: '51',
  meaning: 'Saldo ou limite insuficiente',
  paymentId: '0199c1f5-3a1c-7b44-9d10-2c7e6f0a5b88',
  rule: 'Retry',
  nextChargeOn: '2026-12-03',
  description: 'Sem saldo; nova tentativa em 2026-12-03.',
};

/** A charge in a timeline, behind when and by whom. */
export function writeCharge(charge: BillingCharge, language: Language): object {
  const { attemptNumber, outcome, code, transactionId, rule, nextChargeOn } = charge;
  return {
    attempt: attemptNumber,
    outcome: outcome && OUTCOME_WORDS[outcome],
    code,
    meaning: meaningOf(charge)?.[language] ?? null,
    paymentId: transactionId,
    rule: rule && RULE_WORDS[rule],
    nextChargeOn,
    description: sentenceOfCharge(charge)[language],
  };
}

/** The same number differs between brands. An approval needs no meaning. */
function meaningOf({ outcome, code, brand }: BillingCharge): Sentence | null {
  if (code === null || brand === null || outcome === 'approved') return null;
  return readDecline(brand, code, null).sentence;
}

/** What was made of a charge, in a sentence. */
export function sentenceOfCharge({
  outcome,
  rule,
  nextChargeOn,
}: Pick<BillingCharge, 'outcome' | 'rule' | 'nextChargeOn'>): Sentence {
  if (rule === null) return outcome === 'voided' ? VOIDED_MANUALLY : UNDER_WAY;
  return sentenceOfRule(rule, nextChargeOn);
}
