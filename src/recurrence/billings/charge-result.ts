import type { Sentence } from '../../platform/http/sentence.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Day, Instant } from '../../values/instant.ts';

/** The first six are answers of the acquirer; the others are found before sending. */
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
  | 'amountOutOfRange'
  | 'cycleOver';

/** Outcomes as they are stored. `voided`: no answer came, and nothing of the charge remains. */
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
 * The effect of a final result on an active subscription. `blocks`: its card is canceled.
 * `cancelsAllButCustom`: cancels subscriptions without end; custom ones continue.
 * `cancelsAllButCustomOnRetry`: the same, but only on a retry, which a lack of funds preceded.
 */
export type SubscriptionEffect = 'blocks' | 'cancelsAllButCustom' | 'cancelsAllButCustomOnRetry';

type Consequences = {
  /** The effect on the billing; for a lack of funds only if no retry follows. */
  readonly event: 'approve' | 'deny' | 'invalidate';
  /** The effect and its reason, in one word: stored with the charge, shown in the timeline. */
  readonly rule: string;
  readonly storedAs: Exclude<ChargeOutcome, 'voided'>;
  /** null: the subscription continues. */
  readonly subscription: SubscriptionEffect | null;
  /** Why nothing was sent, in Portuguese, for the alert; null: the acquirer was asked. */
  readonly notSent: string | null;
  readonly sentence: Sentence;
};

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
  /** The service or the acquirer could not process it. */
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
  /** The issuer said "never again" for this card at this merchant. */
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
  /** The card's network accepts no more tries for now. */
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
  /** The card is expired by the calendar of this service. */
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
  /** The card is not in the vault, or cannot be opened. */
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
  /** Pix Automático takes one charge for each cycle, ahead of its day. */
  cycleOver: {
    event: 'invalidate',
    rule: 'cycleOver',
    storedAs: 'invalid',
    subscription: null,
    notSent: 'Não enviada: não restou dia no ciclo da autorização',
    sentence: {
      pt: 'Não restou, no ciclo da autorização, um dia com a antecedência que o banco pede: nada foi enviado.',
      en: 'No day was left in the cycle of the authorization with the lead time that the bank asks for: nothing was sent.',
    },
  },
} as const satisfies Record<ChargeResult, Consequences>;

const RESULTS = Object.entries(CHARGE_RESULTS) as [ChargeResult, Consequences][];

export const ALL_CHARGE_RESULTS: readonly ChargeResult[] = RESULTS.map(([result]) => result);

export type UnsentResult = {
  [R in ChargeResult]: (typeof CHARGE_RESULTS)[R]['notSent'] extends null ? never : R;
}[ChargeResult];

const DAY = '{day}';

/** Rules that depend on more than the result: retries, manual charges, voids, the end of the subscription. */
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

export type ChargeRule = (typeof CHARGE_RESULTS)[ChargeResult]['rule'] | keyof typeof OTHER_RULES;

const RULE_SENTENCES = {
  ...OTHER_RULES,
  ...Object.fromEntries(RESULTS.map(([, { rule, sentence }]) => [rule, sentence])),
} as Record<ChargeRule, Sentence>;

export const CHARGE_RULES = Object.keys(RULE_SENTENCES) as ChargeRule[];

/** `nextChargeOn`: the day of the next try; null: none follows. */
export function sentenceOfRule(rule: ChargeRule, nextChargeOn: string | null): Sentence {
  const { pt, en } = RULE_SENTENCES[rule];
  const day = nextChargeOn ?? '';
  return { pt: pt.replace(DAY, day), en: en.replace(DAY, day) };
}

export type BillingCharge = {
  /** From 1, retries included; null: by hand. */
  readonly attemptNumber: number | null;
  readonly startedAt: Instant;
  readonly by: string;
  readonly outcome: ChargeOutcome | null;
  /** The issuer's code; null: it gave none, or the acquirer was not asked. */
  readonly code: string | null;
  /** Transaction and brand (which defines the codes); null: the acquirer was not asked. */
  readonly transactionId: string | null;
  readonly brand: CardBrand | null;
  readonly rule: ChargeRule | null;
  readonly nextChargeOn: Day | null;
};
