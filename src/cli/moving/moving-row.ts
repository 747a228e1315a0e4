import { type Static, Type } from 'typebox';
import { MOST_ACCOUNTS, MOST_ADDRESSES, type NewMerchant } from '../../merchants/merchant.ts';
import { type Caller, type Contract, contract, type Fault } from '../../platform/http/endpoint.ts';
import { jsonFault, requestReader } from '../../platform/requests/request-reader.ts';
import { type NamedReference, readNetworkReference } from '../../providers/acquirers/network-reference.ts';
import {
  CREATE_PLAN,
  PLAN_STATE_WORDS,
  readPlanState,
  readWantedPlan,
} from '../../recurrence/plans/contract.ts';
import type { PlanState } from '../../recurrence/plans/plan.ts';
import type { WantedPlan } from '../../recurrence/plans/plan-edit.ts';
import { MAX_RETRIES } from '../../recurrence/plans/retry-schedule.ts';
import { CREATE_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import type { SubscriptionToCreate } from '../../recurrence/subscriptions/create-subscription.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type JsonFault, readExactJson } from '../../values/exact-json.ts';
import type { Day } from '../../values/instant.ts';
import { REGISTER_WEBHOOK } from '../../webhooks/endpoints/endpoints.ts';
import { LONGEST_LINE } from './lines-of-file.ts';

/** The content of a line. Ids are in lower case. */
export type MovingRow =
  | { readonly kind: 'merchant'; readonly merchant: NewMerchant }
  | { readonly kind: 'webhook'; readonly webhook: MovingWebhook }
  | { readonly kind: 'plan'; readonly plan: MovingPlan }
  | { readonly kind: 'card'; readonly card: MovingCard }
  | { readonly kind: 'subscription'; readonly subscription: MovingSubscription };

export type MovingWebhook = {
  readonly url: string;
  readonly basicAuth: string | null;
  /** Null: the merchant's first account. */
  readonly accountNumber: string | null;
};

export type MovingPlan = {
  readonly planId: string;
  readonly wanted: WantedPlan;
  readonly state: PlanState;
};

export type MovingCard = {
  readonly vaultId: string;
  readonly encryptedCard: string;
  readonly brand: (typeof CARD_BRANDS)[number] | null;
  readonly holderName: string | null;
  readonly expirationMonth: string | null;
  readonly expirationYear: string | null;
  readonly networkReference: NamedReference;
};

export type MovingSubscription = Required<Omit<SubscriptionToCreate, 'customer'>> &
  Pick<SubscriptionToCreate, 'customer'> & {
    readonly subscriptionId: string;
    readonly installmentsPaid: number;
    /** The day of the next charge, if it is a retry. */
    readonly chargeOn: Day | null;
    readonly chargesMade: number;
    /** Null: the merchant's first account. */
    readonly accountNumber: string | null;
  };

export type RowFault = { readonly tag: string; readonly text: string };

export const another = (thing: MovingRow['kind'], tag: string): RowFault => ({
  tag,
  text: `There is another ${thing} under this id already.`,
});

const GUID = Type.String({ maxLength: 36, format: 'guid', reads: 'smallLetters' });

const row = (id: string) =>
  ({
    id,
    method: 'POST',
    path: '/',
    api: 'operations',
    scope: null,
    group: '',
    summary: '',
    answers: {},
  }) as const;

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Bounds the lengths; the operation that creates a merchant says what is wrong with a field. */
const MERCHANT = contract({
  ...row('merchant'),
  body: Type.Object({
    merchantId: text(20),
    cnpj: Type.String({ maxLength: 18, mayHoldCard: true }),
    legalName: text(200),
    contact: Type.Object({ name: text(100), email: text(254), phone: text(30) }),
    accountNumbers: Type.Array(text(20), { minItems: 1, maxItems: MOST_ACCOUNTS }),
    productionAddresses: Type.Optional(Type.Array(text(49), { maxItems: MOST_ADDRESSES })),
    softDescriptor: Type.Optional(text(13)),
    businessAddress: Type.Optional(text(150)),
  }),
  check: (body, caller): Fault[] => {
    const { merchantId } = (body ?? {}) as { readonly merchantId?: unknown };
    const isOther = typeof merchantId === 'string' && merchantId !== caller?.merchantId;
    return isOther ? [{ tag: 'merchantId', sentence: OTHER_MERCHANT }] : [];
  },
});

const ACCOUNT_NUMBER = Type.Optional(Type.String({ maxLength: 20 }));

const WEBHOOK = contract({
  ...row('webhook'),
  body: Type.Object({
    accountNumber: ACCOUNT_NUMBER,
    ...(REGISTER_WEBHOOK.body as NonNullable<typeof REGISTER_WEBHOOK.body>).properties,
  }),
});

/** The plan gets the command's merchant, whatever its merchant was before. */
const { merchantId: _, ...planFields } = (CREATE_PLAN.body as NonNullable<typeof CREATE_PLAN.body>)
  .properties;
const PLAN = contract({
  ...row('plan'),
  body: Type.Object({
    id: GUID,
    ...planFields,
    status: Type.Optional(Type.Enum(Object.values(PLAN_STATE_WORDS))),
  }),
  check: (body, caller) => CREATE_PLAN.check?.(body, caller) ?? [],
});

const OTHER_MERCHANT = {
  pt: 'Não é o lojista de --merchant.',
  en: 'It is not the merchant of --merchant.',
};

const IN_CLEAR = {
  pt: 'O número do cartão só vem criptografado, em encryptedCard.',
  en: 'A card number comes encrypted alone, in encryptedCard.',
};

const CARD = contract({
  ...row('card'),
  body: Type.Object({
    vaultId: GUID,
    encryptedCard: Type.String({ minLength: 1, maxLength: LONGEST_LINE, mayHoldCard: true }),
    brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
    cardholderName: Type.Optional(Type.String({ maxLength: 30, format: 'visibleText' })),
    expirationMonth: Type.Optional(Type.String({ maxLength: 2, format: 'month' })),
    expirationYear: Type.Optional(Type.String({ maxLength: 2, format: 'twoDigits' })),
    networkTransactionId: Type.Optional(Type.String({ maxLength: 40, format: 'visibleText' })),
    // A malformed link is left out, whatever its length.
    transactionLinkId: Type.Optional(Type.String({ maxLength: LONGEST_LINE })),
    cardNumber: Type.Optional(Type.Unknown()),
    securityCode: Type.Optional(Type.Unknown()),
  }),
  check: (body): Fault[] => {
    const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
    const clear = ['cardNumber', 'securityCode'].filter((tag) => fields[tag] !== undefined);
    return clear.map((tag) => ({ tag, sentence: IN_CLEAR }));
  },
});

const { orderNumber, customer } = (CREATE_SUBSCRIPTION.body as NonNullable<typeof CREATE_SUBSCRIPTION.body>)
  .properties;
const SUBSCRIPTION = contract({
  ...row('subscription'),
  body: Type.Object({
    id: GUID,
    planId: GUID,
    vaultId: GUID,
    orderNumber,
    firstDueOn: Type.String({ maxLength: 10, format: 'day' }),
    installmentsPaid: Type.Optional(Type.Integer({ minimum: 0, maximum: 998 })),
    chargeOn: Type.Optional(Type.String({ maxLength: 10, format: 'day' })),
    chargesMade: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_RETRIES })),
    accountNumber: ACCOUNT_NUMBER,
    customer,
  }),
});

const READERS = {
  merchant: requestReader(MERCHANT as Contract),
  webhook: requestReader(WEBHOOK as Contract),
  plan: requestReader(PLAN as Contract),
  card: requestReader(CARD as Contract),
  subscription: requestReader(SUBSCRIPTION as Contract),
};
export const ROW_KINDS = Object.keys(READERS) as (keyof typeof READERS)[];

/** Whether a line says that it is the merchant's, whatever else is wrong with it. */
export function isOfMerchant(line: Buffer): boolean {
  const reading = readExactJson(line);
  if (!reading.ok) return /"type"\s*:\s*"merchant"/.test(line.toString('latin1'));
  return (reading.value as { readonly type?: unknown } | null)?.type === 'merchant';
}

export function readMovingRow(line: Buffer, merchantId: string): MovingRow | readonly RowFault[] {
  const reading = readExactJson(line);
  if (!reading.ok) return [unreadable(reading.fault)];
  const type = (reading.value as { readonly type?: unknown } | null)?.type;
  const kind = ROW_KINDS.find((one) => one === type);
  if (kind === undefined) return [{ tag: 'type', text: `Must be one of ${ROW_KINDS.join(', ')}.` }];
  const read = READERS[kind](line, {}, { merchantId } as Caller, () => reading);
  return read.ok ? rowOf(kind, read.body) : read.faults.map(shown);
}

/** A row is one line, so only the column of the fault is told. */
function unreadable(fault: JsonFault): RowFault {
  const { kind, column } = fault;
  return kind === 'syntax' ? { tag: '', text: `No JSON object: column ${column}.` } : shown(jsonFault(fault));
}

const shown = ({ tag, sentence }: Fault): RowFault => ({ tag, text: sentence.en });

function rowOf(kind: MovingRow['kind'], body: unknown): MovingRow {
  switch (kind) {
    case 'merchant': {
      const merchant = body as Static<NonNullable<typeof MERCHANT.body>>;
      const { productionAddresses = [], softDescriptor = null, businessAddress = null } = merchant;
      return { kind, merchant: { ...merchant, productionAddresses, softDescriptor, businessAddress } };
    }
    case 'webhook': {
      const {
        url,
        basicAuth = null,
        accountNumber = null,
      } = body as Static<NonNullable<typeof WEBHOOK.body>>;
      return { kind, webhook: { url, basicAuth, accountNumber } };
    }
    case 'plan': {
      const { id: planId, status = 'Active', ...plan } = body as Static<NonNullable<typeof PLAN.body>>;
      return { kind, plan: { planId, wanted: readWantedPlan(plan), state: readPlanState(status) } };
    }
    case 'card': {
      const card = body as Static<NonNullable<typeof CARD.body>>;
      const { vaultId, encryptedCard, brand, cardholderName, expirationMonth, expirationYear } = card;
      return {
        kind,
        card: {
          vaultId,
          encryptedCard,
          brand: brand ?? null,
          holderName: cardholderName ?? null,
          expirationMonth: expirationMonth ?? null,
          expirationYear: expirationYear ?? null,
          networkReference: {
            ...readNetworkReference(null, card.transactionLinkId),
            transactionId: card.networkTransactionId ?? null,
          },
        },
      };
    }
    case 'subscription': {
      const subscription = body as Static<NonNullable<typeof SUBSCRIPTION.body>>;
      const { id, installmentsPaid = 0, chargesMade = 0, accountNumber = null, ...wanted } = subscription;
      return {
        kind,
        subscription: {
          ...wanted,
          subscriptionId: id,
          installmentsPaid,
          chargeOn: wanted.chargeOn ?? null,
          chargesMade,
          accountNumber,
        } as MovingSubscription,
      };
    }
  }
}
