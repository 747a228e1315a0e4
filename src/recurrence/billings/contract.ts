import { type Static, type TObject, Type } from 'typebox';
import { contract, GENERAL_TAG } from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusedAnswer } from '../../platform/http/refusal.ts';
import type { Language, Sentence } from '../../platform/http/sentence.ts';
import { pageAnswer, pageQuery, readPage } from '../../platform/pages.ts';
import { readDecline } from '../../providers/acquirers/issuer-code.ts';
import { reaisText } from '../../values/cents.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import { type Day, saoPauloText } from '../../values/instant.ts';
import { STAMPED, writeStamps } from '../plans/contract.ts';
import { RETRY_NUMBERS_TEXT } from '../plans/retry-schedule.ts';
import { SUBSCRIPTION_ANSWER, SUBSCRIPTION_EXAMPLE, writeSubscription } from '../subscriptions/contract.ts';
import {
  BILLING_STATES,
  type Billing,
  type BillingState,
  type BillingWithCharges,
  billingTimeline,
  type CancelCause,
  type TimelineEntry,
} from './billing.ts';
import { BILLING_ORDERS, USUAL_ORDER, type WantedBillings } from './billing-search.ts';
import { type BillingCharge, type ChargeOutcome, type ChargeRule, sentenceOfRule } from './charge-result.ts';

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
  cycleOver: 'CycleOver',
  sentAgain: 'SentAgain',
} as const satisfies Record<ChargeRule, string>;

const UNDER_WAY: Sentence = {
  pt: 'Em andamento: aguarda o resultado.',
  en: 'Under way: it waits for its outcome.',
};

/** A manual charge is not repeated by itself: the merchant decides. */
const VOIDED_MANUALLY: Sentence = {
  pt: 'A adquirente não respondeu, e nada desta tentativa ficou: a cobrança continua como estava.',
  en: 'The acquirer did not answer, and nothing of this try stays: the billing stays what it was.',
};

const CHARGED_FIELDS = {
  attempt: orNull(
    Type.Integer(),
    `On schedule: the first try is 1, its retries ${RETRY_NUMBERS_TEXT}. null: charged by hand.`,
  ),
  outcome: orNull(
    Type.Enum(Object.values(OUTCOME_WORDS)),
    'Undone: nobody answered and nothing of it stays; on schedule the same attempt is made again. null: under way.',
  ),
  code: orNull(Type.String(), "The issuer's code; null: approved, no answer, or nobody was asked."),
  meaning: orNull(Type.String(), "What the issuer's code means; null without a code."),
  paymentId: orNull(Type.String(), 'Its transaction; null: nobody was asked.'),
  rule: orNull(
    Type.Enum(Object.values(RULE_WORDS)),
    'What was made of the outcome, and why; null: nothing yet.',
  ),
  nextChargeOn: orNull(Type.String(), 'The day of the next try that came of it; null: none did.'),
  description: Type.String({ description: 'What was made of it, as a sentence.' }),
};

const CHARGED_EXAMPLE = {
  attempt: 1,
  outcome: 'InsufficientFunds',
  code: '51',
  meaning: 'Saldo ou limite insuficiente',
  paymentId: '0199c1f5-3a1c-7b44-9d10-2c7e6f0a5b88',
  rule: 'Retry',
  nextChargeOn: '2026-12-03',
  description: 'Sem saldo; nova tentativa em 2026-12-03.',
};

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

/** A code's meaning depends on the brand. An approval needs none. */
function meaningOf({ outcome, code, brand }: BillingCharge): Sentence | null {
  if (code === null || brand === null || outcome === 'approved') return null;
  return readDecline(brand, code, null).sentence;
}

export function sentenceOfCharge({
  outcome,
  rule,
  nextChargeOn,
}: Pick<BillingCharge, 'outcome' | 'rule' | 'nextChargeOn'>): Sentence {
  if (rule === null) return outcome === 'voided' ? VOIDED_MANUALLY : UNDER_WAY;
  return sentenceOfRule(rule, nextChargeOn);
}

export const BILLING_STATE_WORDS = {
  opened: 'Opened',
  paymentInvalid: 'PaymentInvalid',
  canceled: 'Canceled',
  denied: 'Denied',
  paid: 'Paid',
} as const satisfies Record<BillingState, string>;

const CAUSE_WORDS = {
  billing: 'ByMerchant',
  subscription: 'SubscriptionCanceled',
  block: 'SubscriptionBlocked',
  plan: 'PlanCanceled',
} as const satisfies Record<CancelCause, string>;

const CAUSE_SENTENCES = {
  billing: { pt: 'Cancelada por si só, a seu pedido.', en: 'Canceled by itself, at your request.' },
  subscription: { pt: 'Cancelada junto com a assinatura.', en: 'Canceled together with its subscription.' },
  block: {
    pt: 'Cancelada porque a assinatura foi bloqueada.',
    en: 'Canceled because its subscription was blocked.',
  },
  plan: {
    pt: 'Cancelada junto com o plano da assinatura.',
    en: 'Canceled together with the plan of its subscription.',
  },
} as const satisfies Record<CancelCause, Sentence>;

const TYPE_WORDS = {
  opened: 'Opened',
  charged: 'Charged',
  canceled: 'Canceled',
} as const satisfies Record<TimelineEntry['type'], string>;

const BILLING_FIELDS = {
  id: Type.String(),
  status: Type.Enum(Object.values(BILLING_STATE_WORDS)),
  expireAt: Type.String({
    description: 'The due day at 00:00:00, São Paulo time without zone; retries do not move it.',
  }),
  amount: Type.Number({
    description: "Reais and cents: what is charged, the plan's amount rounded half to even.",
  }),
  installment: Type.Integer({ description: 'From 1.' }),
  paymentId: orNull(Type.String(), 'The charge that paid it; null: it is not paid.'),
  nsu: orNull(Type.String(), 'Of that charge, as notifications bring it; null: it is not paid.'),
  subscription: SUBSCRIPTION_ANSWER,
  ...STAMPED,
};

const LISTED_BILLING = named('Billing', BILLING_FIELDS);

type Stamped = { readonly at: string; readonly by: string };
/** One object, not a union: generated clients have no unions. */
type BillingEvent =
  | (Stamped & { readonly type: 'Opened' })
  | (Stamped & { readonly type: 'Canceled'; readonly description: string })
  | (Stamped & { readonly type: 'Charged' } & Static<TObject<typeof CHARGED_FIELDS>>);

const BILLING_EVENT = named(
  'BillingEvent',
  {
    at: Type.String(),
    type: Type.Enum(['Opened', 'Charged', 'Canceled']),
    by: Type.String(),
    reason: Type.Optional(
      Type.Enum(Object.values(CAUSE_WORDS), {
        description: 'ByMerchant: by itself. The others: with its subscription.',
      }),
    ),
    ...Type.Partial(Type.Object(CHARGED_FIELDS)).properties,
  },
  { description: 'Charged has attempt to description, Canceled has reason and description.' },
);

const WHOLE_BILLING = named('BillingDetail', {
  ...BILLING_FIELDS,
  nextChargeOn: Type.Optional(
    Type.String({
      description: 'Opened ones only: the day of the next charge, the due day or that of a retry.',
    }),
  ),
  timeline: Type.Array(Type.Unsafe<BillingEvent>(BILLING_EVENT), {
    description: 'In order. Of charges the newest hundred. Times in São Paulo, `by` a user name or `system`.',
  }),
});

const EXAMPLE = {
  id: '0199c1f4-7e3d-7a10-9c2b-8f1e6d5a4c33',
  status: 'Opened',
  expireAt: '2026-12-01T00:00:00',
  amount: 49.9,
  installment: 1,
  paymentId: null,
  nsu: null,
  subscription: SUBSCRIPTION_EXAMPLE,
  createdBy: 'loja-01',
  createdDate: '2026-11-21T10:05:00.456',
};

const WHOLE_EXAMPLE = {
  ...EXAMPLE,
  nextChargeOn: '2026-12-03',
  timeline: [
    { at: '2026-11-21T10:05:00.456', type: 'Opened', by: 'loja-01' },
    {
      at: '2026-12-01T00:00:03.120',
      type: 'Charged',
      by: 'system',
      ...CHARGED_EXAMPLE,
    },
  ],
};

const COMMON = { api: 'gateway', scope: 'recurrence', group: 'Billings' } as const;

const day = (description: string) =>
  Type.Optional(Type.String({ format: 'day', maxLength: 10, description }));

const LIST_QUERY = Type.Object({
  mid: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Your merchant number; with that of another the page is empty.',
    }),
  ),
  subscriptionId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 36, description: 'Those of one subscription, in any order.' }),
  ),
  status: Type.Optional(Type.Enum(Object.values(BILLING_STATE_WORDS))),
  expirationDateRangeStartDate: day('First due day (`expireAt`), YYYY-MM-DD in São Paulo; may stand alone.'),
  expirationDateRangeEndDate: day('Last due day, included; may stand alone.'),
  ...pageQuery(BILLING_ORDERS),
});

export const LIST_BILLINGS = contract({
  ...COMMON,
  id: 'listBillings',
  method: 'GET',
  path: '/v1/recurrences/billing',
  summary: 'Search billings',
  description:
    'total is exact, and of the same moment as the items. Ties break by id. Any order but createdDate and expireAt, and id of ' +
    'all, reads everything that was found: it is refused (400, tag orderBy) beyond a million billings. Your searches take turns.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: {
        getBilling: { billingId: '/items/0/id' },
        cancelBilling: { billingId: '/items/0/id' },
        chargeBilling: { billingId: '/items/0/id' },
      },
      ...pageAnswer('BillingPage', LISTED_BILLING, EXAMPLE),
    },
  },
});

const PARAMETERS = Type.Object({ billingId: Type.String({ maxLength: 36 }) });

export const GET_BILLING = contract({
  ...COMMON,
  id: 'getBilling',
  method: 'GET',
  path: '/v1/recurrences/billing/{billingId}',
  summary: 'Read a billing and what happened to it',
  description: 'With its subscription, and a timeline of every charge that was tried.',
  parameters: PARAMETERS,
  answers: {
    200: { description: 'The billing as it stands.', schema: WHOLE_BILLING, example: WHOLE_EXAMPLE },
  },
});

export const CANCEL_BILLING = contract({
  ...COMMON,
  id: 'cancelBilling',
  method: 'POST',
  path: '/v1/recurrences/billing/{billingId}/cancel',
  summary: 'Cancel a billing',
  description:
    'An open billing, also one that waits for a retry, is not charged any more. It uses up its installment and the schedule goes ' +
    'on: the next one is opened at once; after the last the subscription is over. Takes no body.',
  parameters: PARAMETERS,
  answers: {
    200: { description: 'Its id.', schema: Type.String(), example: EXAMPLE.id },
    409: refusedAnswer('It is over already, or a charge of it is under way.', {
      tag: GENERAL_TAG,
      sentence: { pt: 'A cobrança já foi finalizada e não pode ser cancelada.' },
    }),
  },
});

export function readBillingQuery(query: Static<typeof LIST_QUERY>): WantedBillings {
  const {
    mid = null,
    subscriptionId = null,
    status,
    expirationDateRangeStartDate: from,
    expirationDateRangeEndDate: to,
  } = query;
  return {
    merchantId: mid,
    subscriptionId,
    state: BILLING_STATES.find((state) => BILLING_STATE_WORDS[state] === status) ?? null,
    dueFrom: (from ?? null) as Day | null,
    dueTo: (to ?? null) as Day | null,
    ...readPage(query, BILLING_ORDERS, USUAL_ORDER),
  };
}

export function writeBilling(billing: Billing): object {
  return {
    id: billing.billingId,
    status: BILLING_STATE_WORDS[billing.state],
    expireAt: `${billing.dueOn}T00:00:00`,
    // Exact, without trailing zeros: 49.9.
    amount: new ExactNumber(reaisText(billing.amount).replace(/\.?0+$/, '')),
    installment: billing.installment,
    paymentId: billing.paidBy?.transactionId ?? null,
    nsu: billing.paidBy?.nsu ?? null,
    subscription: writeSubscription(billing.subscription),
    ...writeStamps(billing),
  };
}

export function writeWholeBilling(whole: BillingWithCharges, language: Language): object {
  const { chargeOn } = whole.billing;
  return {
    ...writeBilling(whole.billing),
    ...(chargeOn === null ? {} : { nextChargeOn: chargeOn }),
    timeline: billingTimeline(whole).map((entry) => writeTimelineEntry(entry, language)),
  };
}

function writeTimelineEntry(entry: TimelineEntry, language: Language): object {
  const { type, stamp } = entry;
  const common = { at: saoPauloText(stamp.at), type: TYPE_WORDS[type], by: stamp.by };
  if (entry.type === 'opened') return common;
  if (entry.type === 'charged') return { ...common, ...writeCharge(entry.charge, language) };
  const { cause } = entry;
  return { ...common, reason: CAUSE_WORDS[cause], description: CAUSE_SENTENCES[cause][language] };
}
