import type { Sentence } from '../../platform/http/sentence.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Day, Instant } from '../../values/instant.ts';

/**
 * What a charge came to. The first six are answers of the acquirer; the others were found before
 * anything was sent.
 */
export type ChargeResult =
  | 'approved'
  | 'funds'
  | 'blocked'
  | 'denied'
  | 'technical'
  | 'invalid'
  | 'neverAgain'
  | 'limited'
  | 'cardExpired'
  | 'cardUnusable'
  | 'amountOutOfRange';

/**
 * What the database keeps of a charge. `voided`: no answer came, and nothing of the charge stays.
 */
export const CHARGE_OUTCOMES = [
  'approved',
  'funds',
  'blocked',
  'denied',
  'technical',
  'invalid',
  'voided',
] as const;
export type ChargeOutcome = (typeof CHARGE_OUTCOMES)[number];

/**
 * What a final result makes of an active subscription. `blocks`: its card is canceled.
 * `cancelsAllButCustom`: a monthly subscription, and any other without end, is canceled; a custom one
 * goes on with its next installment. `cancelsAllButCustomOnRetry`: the same, on a retry only, where
 * the lack of funds before
 * it has the last word; met by a first charge it says nothing of the subscription.
 */
export type SubscriptionEffect = 'blocks' | 'cancelsAllButCustom' | 'cancelsAllButCustomOnRetry';

type Consequences = {
  /** What it makes of its billing; of a lack of funds only when no retry follows. */
  readonly event: 'approve' | 'deny' | 'invalidate';
  /** What was made of it, and why: kept with the charge and shown in the timeline. */
  readonly rule: string;
  readonly storedAs: Exclude<ChargeOutcome, 'voided'>;
  /** Null: the subscription goes on. */
  readonly subscription: SubscriptionEffect | null;
  /** Why nothing was sent, in Portuguese, for the alert; null: the acquirer was asked. */
  readonly notSent: string | null;
  /** The rule, as a person reads it in the timeline. */
  readonly sentence: Sentence;
};

/** All that follows from the result of a charge. */
export const CHARGE_RESULTS = {
  approved: {
    event: 'approve',
    rule: 'paid',
    storedAs: 'approved',
    subscription: null,
    notSent: null,
    sentence: { pt: 'Aprovada: a cobrança está paga.', en: 'Approved: the billing is paid.' },
  },
  funds: {
    event: 'deny',
    rule: 'noRetriesLeft',
    storedAs: 'funds',
    subscription: 'cancelsAllButCustom',
    notSent: null,
    sentence: {
      pt: 'Sem saldo, e não restam novas tentativas: a cobrança foi negada.',
      en: 'No funds, and no retries are left: the billing is denied.',
    },
  },
  blocked: {
    event: 'deny',
    rule: 'cardCanceled',
    storedAs: 'blocked',
    subscription: 'blocks',
    notSent: null,
    sentence: {
      pt: 'O cartão foi cancelado: sem novas tentativas; a assinatura precisa de outro cartão.',
      en: 'The card is canceled: no more tries; the subscription needs another card.',
    },
  },
  denied: {
    event: 'deny',
    rule: 'denied',
    storedAs: 'denied',
    subscription: 'cancelsAllButCustom',
    notSent: null,
    sentence: {
      pt: 'Negada pelo emissor: sem novas tentativas programadas.',
      en: 'Denied by the issuer: no more tries on schedule.',
    },
  },
  technical: {
    event: 'deny',
    rule: 'technical',
    storedAs: 'technical',
    subscription: null,
    notSent: null,
    sentence: {
      pt: 'Emissor ou adquirente fora de operação: sem novas tentativas.',
      en: 'Issuer or acquirer out of order: no more tries.',
    },
  },
  /** What the service or the acquirer could not process. */
  invalid: {
    event: 'invalidate',
    rule: 'invalid',
    storedAs: 'invalid',
    subscription: null,
    notSent: null,
    sentence: {
      pt: 'Não pôde ser processada como está configurada: sem novas tentativas.',
      en: 'It could not be processed as things are set up: no more tries.',
    },
  },
  /** The issuer has said never again of this card to this merchant before. */
  neverAgain: {
    event: 'deny',
    rule: 'neverAgain',
    storedAs: 'blocked',
    subscription: 'blocks',
    notSent: 'Não enviada: o emissor já recusou este cartão em definitivo',
    sentence: {
      pt: 'O emissor já pediu que este cartão não seja mais cobrado: nada foi enviado; a assinatura precisa de outro cartão.',
      en: 'The issuer asked before never to charge this card again: nothing was sent; the subscription needs another card.',
    },
  },
  /** The network of the card takes no more tries now. */
  limited: {
    event: 'deny',
    rule: 'networkLimit',
    storedAs: 'denied',
    subscription: 'cancelsAllButCustomOnRetry',
    notSent: 'Não enviada: limite de tentativas da bandeira atingido',
    sentence: {
      pt: 'Outra tentativa passaria do limite da bandeira para este cartão: sem novas tentativas.',
      en: "One more try would pass the limit of the card's network: no more tries.",
    },
  },
  /** By the service's own calendar. */
  cardExpired: {
    event: 'invalidate',
    rule: 'cardExpired',
    storedAs: 'invalid',
    subscription: null,
    notSent: 'Não enviada: cartão vencido',
    sentence: {
      pt: 'O cartão está vencido: nada foi enviado; a assinatura precisa de outro cartão.',
      en: 'The card is expired: nothing was sent; the subscription needs another card.',
    },
  },
  /** It is not in the vault, or cannot be opened. */
  cardUnusable: {
    event: 'invalidate',
    rule: 'cardUnusable',
    storedAs: 'invalid',
    subscription: null,
    notSent: 'Não enviada: o cartão não está mais no cofre',
    sentence: {
      pt: 'O cartão guardado não pôde ser usado: nada foi enviado; a assinatura precisa de outro cartão.',
      en: 'The stored card could not be used: nothing was sent; the subscription needs another card.',
    },
  },
  /** Nothing or too much is to be charged. */
  amountOutOfRange: {
    event: 'invalidate',
    rule: 'amountOutOfRange',
    storedAs: 'invalid',
    subscription: null,
    notSent: 'Não enviada: valor fora dos limites de uma cobrança',
    sentence: {
      pt: 'O valor não pode ser cobrado (zero, ou acima de 99.999.999,99): nada foi enviado.',
      en: 'The amount cannot be charged (zero, or above 99,999,999.99): nothing was sent.',
    },
  },
} as const satisfies Record<ChargeResult, Consequences>;

const RESULTS = Object.entries(CHARGE_RESULTS) as [ChargeResult, Consequences][];

/** Every result, in the order of the table. */
export const ALL_CHARGE_RESULTS: readonly ChargeResult[] = RESULTS.map(([result]) => result);

/** Why a charge is not sent at all. */
export type UnsentResult = {
  [R in ChargeResult]: (typeof CHARGE_RESULTS)[R]['notSent'] extends null ? never : R;
}[ChargeResult];

/** The day of the next charge in the sentence of a rule. */
const DAY = '{day}';

/**
 * Rules that need more than the result: the schedule of retries, a charge by hand, a void, the end
 * of the subscription.
 */
const OTHER_RULES = {
  retry: { pt: `Sem saldo; nova tentativa em ${DAY}.`, en: `No funds; the next try is on ${DAY}.` },
  retryAsAdvised: {
    pt: `Sem saldo; o emissor pediu para aguardar: nova tentativa em ${DAY}.`,
    en: `No funds; the issuer asks to wait: the next try is on ${DAY}.`,
  },
  declinedByHand: {
    pt: 'Sem saldo na tentativa manual: a cobrança continua como estava.',
    en: 'No funds when charged by hand: the billing stays what it was.',
  },
  sentAgain: {
    pt: 'A adquirente não respondeu; nada desta tentativa ficou, e ela é feita de novo.',
    en: 'The acquirer did not answer; nothing of this try stays, and it is made again.',
  },
  subscriptionEnded: {
    pt: 'Não foi aprovada, e a assinatura já não estava ativa: a cobrança foi cancelada.',
    en: 'Not approved, and the subscription was not active any more: the billing is canceled.',
  },
} as const satisfies Record<string, Sentence>;

/** What was made of the result of a charge, and why. */
export type ChargeRule = (typeof CHARGE_RESULTS)[ChargeResult]['rule'] | keyof typeof OTHER_RULES;

const RULE_SENTENCES = {
  ...OTHER_RULES,
  ...Object.fromEntries(RESULTS.map(([, { rule, sentence }]) => [rule, sentence])),
} as Record<ChargeRule, Sentence>;

export const CHARGE_RULES = Object.keys(RULE_SENTENCES) as ChargeRule[];

/** What was made of a charge, as a person reads it. By hand the billing may stay what it was. */
export function sentenceOfRule(rule: ChargeRule, nextChargeOn: string | null): Sentence {
  const { pt, en } = RULE_SENTENCES[rule];
  const day = nextChargeOn ?? '';
  return { pt: pt.replace(DAY, day), en: en.replace(DAY, day) };
}

/** One try to collect a billing. */
export type BillingCharge = {
  /** On schedule from 1, retries behind it; null: by hand. */
  readonly attemptNumber: number | null;
  readonly startedAt: Instant;
  readonly by: string;
  /** Null: no answer yet. */
  readonly outcome: ChargeOutcome | null;
  /** The issuer's answer; null: none, or the acquirer was not asked. */
  readonly code: string | null;
  /**
   * Its transaction and the brand of its card, whose codes the issuer uses; null: the acquirer was
   * not asked.
   */
  readonly transactionId: string | null;
  readonly brand: CardBrand | null;
  /** What was made of it. */
  readonly rule: ChargeRule | null;
  readonly nextChargeOn: Day | null;
};
