import packageJson from '../../package.json' with { type: 'json' };
import { adviceCodes, type DeclineClass, type IssuerCode, issuerCodes } from '../acquirers/issuer-code.ts';
import { CREATE_ANTI_FRAUD_CODE } from '../antifraud/contract.ts';
import { ANTI_FRAUD_REFUSALS } from '../antifraud/refusals.ts';
import { GET_PUBLIC_KEY, TOKENIZATION_FAULTS, TOKENIZE_CARD } from '../cards/contract.ts';
import { CARD_REFUSALS } from '../cards/refusals.ts';
import {
  DELETE_VAULT_CARD,
  GET_VAULT_CARD,
  STORE_VAULT_CARD,
  VAULT_FAULTS,
} from '../cards/vault/contract.ts';
import { VAULT_REFUSALS } from '../cards/vault/refusals.ts';
import { ADVANCE_CLOCK, CLOCK_FAULTS, READ_CLOCK } from '../homologation/clock/contract.ts';
import { CLOCK_REFUSALS } from '../homologation/clock/refusals.ts';
import { ACQUIRER_CHARGES } from '../homologation/contract.ts';
import { EVENT_FAULTS, FORCE_EVENT } from '../homologation/events/contract.ts';
import { EVENT_REFUSALS } from '../homologation/events/refusals.ts';
import { LOG_IN_GATEWAY, LOG_IN_INTEGRATION } from '../merchants/contract.ts';
import { LOGIN_REFUSALS } from '../merchants/refusals.ts';
import { CALLBACK_FAULTS } from '../payments/callback.ts';
import { CANCEL_PAYMENT } from '../payments/cancels/contract.ts';
import { CANCEL_REFUSALS } from '../payments/cancels/refusals.ts';
import { createPaymentEndpoint, PAYMENT_FAULTS } from '../payments/contract.ts';
import { LIST_MOVEMENTS } from '../payments/movements/contract.ts';
import { PAYMENT_REFUSALS } from '../payments/refusals.ts';
import { SPLIT_FAULTS } from '../payments/split/contract.ts';
import { GET_PAYMENT, LIST_PAYMENTS } from '../payments/status/contract.ts';
import type { Endpoint } from '../platform/http/endpoint.ts';
import { GET_LIVENESS, GET_READINESS } from '../platform/http/health.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import {
  type CatalogueTable,
  failureTable,
  fieldTable,
  NO_ANSWER_TEXT,
  refusalTable,
} from '../platform/reference/catalogue.ts';
import { GET_OPENAPI, GET_REFERENCE_PAGE } from '../platform/reference/documents.ts';
import { type ApiInfo, ROOT_URLS } from '../platform/reference/openapi.ts';
import type { Reference } from '../platform/reference/reference-page.ts';
import {
  CHANGE_ALERT_ENDPOINT,
  LIST_ALERT_ENDPOINTS,
  REGISTER_ALERT_ENDPOINT,
} from '../recurrence/alerts/contract.ts';
import { ALERT_ENDPOINT_REFUSALS } from '../recurrence/alerts/refusals.ts';
import { CANCEL_BILLING, GET_BILLING, LIST_BILLINGS } from '../recurrence/billings/contract.ts';
import { BILLING_CANCEL_REFUSALS, BILLING_SEARCH_REFUSALS } from '../recurrence/billings/refusals.ts';
import { CHARGE_BILLING } from '../recurrence/collection/contract.ts';
import { HAND_CHARGE_LIMITS, HAND_CHARGE_REFUSALS } from '../recurrence/collection/refusals.ts';
import { GET_PLAN_CALENDAR } from '../recurrence/plans/calendar-contract.ts';
import { CREATE_PLAN, GET_PLAN, LIST_PLANS, PLAN_FAULTS, UPDATE_PLAN } from '../recurrence/plans/contract.ts';
import { PLAN_REFUSALS } from '../recurrence/plans/refusals.ts';
import {
  CHANGE_SUBSCRIPTION_CARD,
  CHANGE_SUBSCRIPTION_STATUS,
  CREATE_SUBSCRIPTION,
  GET_SUBSCRIPTION,
  LIST_SUBSCRIPTIONS,
} from '../recurrence/subscriptions/contract.ts';
import { MOVE_PLAN } from '../recurrence/subscriptions/plan-status-contract.ts';
import {
  SUBSCRIPTION_CREATION_REFUSALS,
  SUBSCRIPTION_REFUSALS,
} from '../recurrence/subscriptions/refusals.ts';
import { CARD_BRANDS } from '../values/card-number.ts';
import { cents } from '../values/cents.ts';
import { DELETE_WEBHOOK, GET_WEBHOOK, REGISTER_WEBHOOK } from '../webhooks/endpoints/contract.ts';
import { REGISTRATION_REFUSALS } from '../webhooks/endpoints/refusals.ts';
import {
  GET_DELIVERY,
  LIST_DELIVERIES,
  PERIOD_FAULTS,
  RESEND_DELIVERIES,
  RESEND_DELIVERY,
  SEND_TEST_NOTIFICATION,
} from '../webhooks/history/contract.ts';
import { RESEND_REFUSALS } from '../webhooks/history/refusals.ts';
import { PUBLIC_ONLY } from '../webhooks/posting/url-rules.ts';
import { CREATE_WEBHOOK_SECRET } from '../webhooks/secrets/contract.ts';

/** Every endpoint there is, in the order of the reference. A floor of one cent, public addresses only: an operator's own are not described. */
export const ENDPOINTS = [
  LOG_IN_GATEWAY,
  LOG_IN_INTEGRATION,
  GET_PUBLIC_KEY,
  TOKENIZE_CARD,
  STORE_VAULT_CARD,
  GET_VAULT_CARD,
  DELETE_VAULT_CARD,
  CREATE_ANTI_FRAUD_CODE,
  createPaymentEndpoint(cents(1), PUBLIC_ONLY),
  LIST_PAYMENTS,
  GET_PAYMENT,
  CANCEL_PAYMENT,
  CREATE_PLAN,
  LIST_PLANS,
  GET_PLAN,
  UPDATE_PLAN,
  MOVE_PLAN,
  GET_PLAN_CALENDAR,
  CREATE_SUBSCRIPTION,
  LIST_SUBSCRIPTIONS,
  GET_SUBSCRIPTION,
  CHANGE_SUBSCRIPTION_STATUS,
  CHANGE_SUBSCRIPTION_CARD,
  LIST_BILLINGS,
  GET_BILLING,
  CANCEL_BILLING,
  CHARGE_BILLING,
  REGISTER_ALERT_ENDPOINT,
  LIST_ALERT_ENDPOINTS,
  CHANGE_ALERT_ENDPOINT,
  SEND_TEST_NOTIFICATION,
  LIST_DELIVERIES,
  GET_DELIVERY,
  RESEND_DELIVERY,
  RESEND_DELIVERIES,
  REGISTER_WEBHOOK,
  GET_WEBHOOK,
  DELETE_WEBHOOK,
  CREATE_WEBHOOK_SECRET,
  LIST_MOVEMENTS,
  ACQUIRER_CHARGES,
  ADVANCE_CLOCK,
  READ_CLOCK,
  FORCE_EVENT,
  GET_LIVENESS,
  GET_READINESS,
  GET_OPENAPI,
  GET_REFERENCE_PAGE,
] as readonly Endpoint[];

/** Every room's refusals, by the heading under which the catalogue shows them. */
export const REFUSAL_TABLES = {
  Logins: LOGIN_REFUSALS,
  'Card tokens': TOKENIZATION_FAULTS,
  Cards: CARD_REFUSALS,
  'Fields of a card to be stored': VAULT_FAULTS,
  'Card vault': VAULT_REFUSALS,
  'Anti-fraud': ANTI_FRAUD_REFUSALS,
  'Fields of a payment': PAYMENT_FAULTS,
  'Address for callbacks': CALLBACK_FAULTS,
  'Entries of a split': SPLIT_FAULTS,
  Payments: PAYMENT_REFUSALS,
  Cancels: CANCEL_REFUSALS,
  'Fields of a plan': PLAN_FAULTS,
  Plans: PLAN_REFUSALS,
  'New subscriptions': SUBSCRIPTION_CREATION_REFUSALS,
  Subscriptions: SUBSCRIPTION_REFUSALS,
  'Searches of billings': BILLING_SEARCH_REFUSALS,
  'Cancels of billings': BILLING_CANCEL_REFUSALS,
  'Charges by hand': HAND_CHARGE_REFUSALS,
  'Limits of charges by hand': HAND_CHARGE_LIMITS,
  Notifiers: ALERT_ENDPOINT_REFUSALS,
  'Goal of a jump': CLOCK_FAULTS,
  'Test clock': CLOCK_REFUSALS,
  'Fields of an event': EVENT_FAULTS,
  'Events by hand': EVENT_REFUSALS,
  'Periods of deliveries': PERIOD_FAULTS,
  'Deliveries to be sent again': RESEND_REFUSALS,
  Webhooks: REGISTRATION_REFUSALS,
} as const satisfies Record<string, Readonly<Record<string, RefusalShape>>>;

const REFUSAL_TEXTS: Record<keyof typeof REFUSAL_TABLES, string> = {
  Logins: 'A login answers in a shape of its own: the sentence is its `message`, and there is no tag.',
  'Card tokens': 'Why no token is made of a card.',
  Cards:
    'Why a card cannot be used. The tag is the field; of these a request for a token meets `encryptedCard` only.',
  'Fields of a card to be stored': 'What the fields of a card to be stored must be to each other.',
  'Card vault': 'Why a stored card is not removed. Why one is not stored stands under Cards.',
  'Anti-fraud': 'Why a payment goes no further than anti-fraud: the acquirer was not asked.',
  'Fields of a payment': 'What the fields of a payment must be to each other.',
  'Address for callbacks':
    'Where the result of a payment may be posted, as far as the text of the address tells.',
  'Entries of a split':
    'What the entries of `configSplit` must be. The tag has the number of the entry, from 0.',
  Payments: 'Why a payment is refused before the acquirer is asked. Declines follow below.',
  Cancels:
    'Why a payment is not given back. With 409 nothing was; with 500 the cancel is carried on until the acquirer answers.',
  'Fields of a plan': 'What the fields of a plan must be to each other.',
  Plans: 'Why a plan is not made, changed or reckoned with. With 409 nothing was changed.',
  'Searches of billings': 'Why billings are not searched.',
  'Cancels of billings': 'Why a billing is not canceled: it stays what it is.',
  'Charges by hand': 'Why a billing is not charged by hand: nobody was asked.',
  'Limits of charges by hand': 'Why a card is not tried by hand: nobody was asked. Declines follow below.',
  Notifiers: 'Why nobody more is told of failed charges and expiring cards.',
  'New subscriptions': 'Why a customer is not enrolled: nothing was made.',
  Subscriptions: 'Why a subscription is not changed.',
  'Goal of a jump': 'Homologation only: what the fields of a jump of the test clock must be to each other.',
  'Test clock': 'Homologation only: why the test clock is not moved.',
  'Fields of an event': 'What the fields of an event of homologation must be to each other.',
  'Events by hand': 'Why an event of homologation does not happen.',
  'Periods of deliveries': 'Why the period of a list or of a repetition of webhook deliveries is no period.',
  'Deliveries to be sent again': 'Why a webhook delivery is not sent again.',
  Webhooks: 'Why an address is not registered.',
};

const INFO: ApiInfo = {
  title: 'Parcela',
  version: packageJson.version,
  description: `Card payments for Brazil. Log in with the user name and password that the operator gave you, and send
the \`accessToken\` as \`Authorization: Bearer …\` with every call. It lives for one hour.

Bodies are JSON in UTF-8, at most 64 KiB. Names are camelCase; the same name with a capital first letter is taken too.
\`null\` means absent, unknown fields are ignored, a number is not a string. Amounts of payments are whole cents, those of plans and billings are reais.

Errors are an array of \`{ "tag", "description" }\`, all faults of a request at once. Descriptions are in Brazilian
Portuguese; \`Accept-Language: en\` gives English. 429 and 503 say in \`Retry-After\` how many seconds to wait. Every
answer carries an \`X-Request-Id\`: name it when you ask about a request.

${NO_ANSWER_TEXT}`,
};

/** All errors of all rooms, and what the issuers' codes mean. */
export function errorCatalogue(): CatalogueTable[] {
  const names = Object.keys(REFUSAL_TABLES) as (keyof typeof REFUSAL_TABLES)[];
  return [
    failureTable(),
    fieldTable(),
    ...names.map((name) => refusalTable(name, REFUSAL_TEXTS[name], REFUSAL_TABLES[name])),
    ...(Object.keys(CLASS_TEXTS) as DeclineClass[]).map(issuerCodeTable),
    adviceCodeTable(),
  ];
}

const CLASS_TEXTS: Record<DeclineClass, string> = {
  funds: 'The money may be there another day.',
  blocked: 'The card is canceled.',
  technical: 'Issuer or acquirer is out of order.',
  invalid: 'Something of the request, the amount or the set-up is wrong, not of the card.',
  denied: 'Every other no. A code that stands in no table counts as denied and is not retryable.',
};

/** One row for each meaning, with the codes that each brand's issuers have for it. */
function issuerCodeTable(declineClass: DeclineClass): CatalogueTable {
  const codes = issuerCodes().filter((code) => code.declineClass === declineClass);
  const alike = Map.groupBy(codes, ({ meaning, isReversible }) => JSON.stringify([meaning, isReversible]));
  return {
    title: `Declines: ${declineClass}`,
    text: `Status 402, with the issuer's code as tag. ${CLASS_TEXTS[declineClass]}`,
    columns: [...CARD_BRANDS, 'Retryable', 'Portuguese', 'English'],
    rows: [...alike.values()].map(issuerCodeRow),
  };
}

function issuerCodeRow(codes: readonly IssuerCode[]): string[] {
  const { meaning, isReversible } = codes[0] as IssuerCode;
  const byBrand = CARD_BRANDS.map((brand) =>
    codes
      .filter((code) => code.brand === brand)
      .map(({ code }) => `\`${code}\``)
      .join(', '),
  );
  return [...byBrand, isReversible ? 'yes' : 'no', meaning.pt, meaning.en];
}

function adviceCodeTable(): CatalogueTable {
  return {
    title: 'Merchant advice codes',
    text: 'Beside a decline, as `merchantAdviceCode`. It comes before what the code alone would say.',
    columns: ['Code', 'Another try', 'Portuguese', 'English'],
    rows: adviceCodes().map(({ code, delayHours, isNeverAgain, isCardBlocked, pt, en }) => [
      `\`${code}\``,
      adviceText({ delayHours, isNeverAgain, isCardBlocked }),
      pt,
      en,
    ]),
  };
}

function adviceText(advice: {
  readonly delayHours: number | null;
  readonly isNeverAgain: boolean;
  readonly isCardBlocked: boolean;
}): string {
  if (advice.isCardBlocked) return 'never: the card is canceled';
  if (advice.isNeverAgain) return 'never';
  return advice.delayHours === null ? 'as the code says' : `after ${advice.delayHours} h, if the code allows`;
}

/** Tables of what production never loads. */
const HOMOLOGATION_TABLES: readonly string[] = [
  'Goal of a jump',
  'Test clock',
  'Fields of an event',
  'Events by hand',
] satisfies (keyof typeof REFUSAL_TABLES)[];

/** What `/openapi.json` and `/docs` are printed from: all that there is. */
export const REFERENCE: Reference = {
  info: INFO,
  endpoints: ENDPOINTS,
  catalogue: errorCatalogue,
  serverUrls: ROOT_URLS,
};

/** What is served where this environment runs: production has no path of homologation, and tells of none. */
export function referenceOf(environment: string): Reference {
  if (environment === 'homologation') return REFERENCE;
  return {
    ...REFERENCE,
    endpoints: ENDPOINTS.filter(({ homologationOnly }) => homologationOnly !== true),
    catalogue: () => errorCatalogue().filter(({ title }) => !HOMOLOGATION_TABLES.includes(title)),
  };
}
