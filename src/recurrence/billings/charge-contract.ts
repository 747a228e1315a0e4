import { Type } from 'typebox';
import { readDecline } from '../../acquirers/issuer-code.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import type { BillingCharge, ChargeOutcome, ChargeRule } from './charge.ts';

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

const DAY = '{day}';

/** What was made of a charge, as a person reads it; `{day}` is the day of the next one. By hand the billing may stay what it was. */
const RULE_SENTENCES = {
  paid: { pt: 'Aprovada: a cobrança está paga.', en: 'Approved: the billing is paid.' },
  retry: { pt: `Sem saldo; nova tentativa em ${DAY}.`, en: `No funds; the next try is on ${DAY}.` },
  retryAsAdvised: {
    pt: `Sem saldo; o emissor pediu para aguardar: nova tentativa em ${DAY}.`,
    en: `No funds; the issuer asks to wait: the next try is on ${DAY}.`,
  },
  noRetriesLeft: {
    pt: 'Sem saldo, e não restam novas tentativas: a cobrança foi negada.',
    en: 'No funds, and no retries are left: the billing is denied.',
  },
  networkLimit: {
    pt: 'Outra tentativa passaria do limite da bandeira para este cartão: sem novas tentativas.',
    en: "One more try would pass the limit of the card's network: no more tries.",
  },
  subscriptionEnded: {
    pt: 'Não foi aprovada, e a assinatura já não estava ativa: a cobrança foi cancelada.',
    en: 'Not approved, and the subscription was not active any more: the billing is canceled.',
  },
  cardCanceled: {
    pt: 'O cartão foi cancelado: sem novas tentativas; a assinatura precisa de outro cartão.',
    en: 'The card is canceled: no more tries; the subscription needs another card.',
  },
  neverAgain: {
    pt: 'O emissor já pediu que este cartão não seja mais cobrado: nada foi enviado; a assinatura precisa de outro cartão.',
    en: 'The issuer asked before never to charge this card again: nothing was sent; the subscription needs another card.',
  },
  denied: {
    pt: 'Negada pelo emissor: sem novas tentativas programadas.',
    en: 'Denied by the issuer: no more tries on schedule.',
  },
  technical: {
    pt: 'Emissor ou adquirente fora de operação: sem novas tentativas.',
    en: 'Issuer or acquirer out of order: no more tries.',
  },
  invalid: {
    pt: 'Não pôde ser processada como está configurada: sem novas tentativas.',
    en: 'It could not be processed as things are set up: no more tries.',
  },
  declinedByHand: {
    pt: 'Sem saldo na tentativa manual: a cobrança continua como estava.',
    en: 'No funds when charged by hand: the billing stays what it was.',
  },
  cardExpired: {
    pt: 'O cartão está vencido: nada foi enviado; a assinatura precisa de outro cartão.',
    en: 'The card is expired: nothing was sent; the subscription needs another card.',
  },
  cardUnusable: {
    pt: 'O cartão guardado não pôde ser usado: nada foi enviado; a assinatura precisa de outro cartão.',
    en: 'The stored card could not be used: nothing was sent; the subscription needs another card.',
  },
  amountOutOfRange: {
    pt: 'O valor não pode ser cobrado (zero, ou acima de 99.999.999,99): nada foi enviado.',
    en: 'The amount cannot be charged (zero, or above 99,999,999.99): nothing was sent.',
  },
  sentAgain: {
    pt: 'O adquirente não respondeu; nada desta tentativa ficou, e ela é feita de novo.',
    en: 'The acquirer did not answer; nothing of this try stays, and it is made again.',
  },
} as const satisfies Record<ChargeRule, Sentence>;

const UNDER_WAY: Sentence = {
  pt: 'Em andamento: aguarda o resultado.',
  en: 'Under way: it waits for its outcome.',
};

/** By hand nothing is made again by itself: whoever charged it decides. */
const VOIDED_MANUALLY: Sentence = {
  pt: 'O adquirente não respondeu, e nada desta tentativa ficou: a cobrança continua como estava.',
  en: 'The acquirer did not answer, and nothing of this try stays: the billing stays what it was.',
};

const orNull = (
  type: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>,
  description: string,
) => Type.Union([type, Type.Null()], { description });

/** What a timeline tells of a charge. */
export const CHARGED_FIELDS = {
  attempt: orNull(
    Type.Integer(),
    'On schedule: the first try is 1, its retries 2 to 5. null: charged by hand.',
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

/** A charge as a timeline tells it, behind when and by whom. */
export function writeCharge(charge: BillingCharge, language: Language): object {
  const { attempt, outcome, code, transactionId, rule, nextChargeOn } = charge;
  return {
    attempt,
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
  const { pt, en } = RULE_SENTENCES[rule];
  const day = nextChargeOn ?? '';
  return { pt: pt.replace(DAY, day), en: en.replace(DAY, day) };
}
