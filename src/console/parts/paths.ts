import { isUuid } from '../../values/ids.ts';

export const OF_MERCHANT = '/merchants/{merchantId}';
export const TODAY = `${OF_MERCHANT}/today`;
export const SEARCH = `${OF_MERCHANT}/search`;
export const FILTERS = `${OF_MERCHANT}/filters`;
export const PAYMENTS = `${OF_MERCHANT}/payments`;
export const PAYMENT = `${PAYMENTS}/{paymentId}`;
export const PAYMENT_FILES = { csv: `${OF_MERCHANT}/payments.csv`, xlsx: `${OF_MERCHANT}/payments.xlsx` };
export const GIVE_BACK = `${PAYMENT}/give-back`;
export const RECEIPT = `${PAYMENT}/receipt`;
/** Names the buyer by a purchase: the id of a payment, boleto or subscription. No address names a person. */
export const BUYER = `${OF_MERCHANT}/buyers/{boughtId}`;
export const SUBSCRIPTIONS = `${OF_MERCHANT}/subscriptions`;
export const SUBSCRIPTION = `${SUBSCRIPTIONS}/{subscriptionId}`;
export const SUBSCRIPTION_CALENDAR = `${SUBSCRIPTION}/calendar`;
export const BILLINGS = `${OF_MERCHANT}/billings`;
export const BILLING = `${BILLINGS}/{billingId}`;
export const CALENDAR = `${OF_MERCHANT}/calendar`;
export const PLANS = `${OF_MERCHANT}/plans`;
export const PLAN = `${PLANS}/{planId}`;
export const BOLETOS = `${OF_MERCHANT}/boletos`;
export const BOLETO = `${BOLETOS}/{boletoId}`;
export const BOLETO_PDF = `${BOLETO}/pdf`;
export const LINKS = `${OF_MERCHANT}/links`;
export const LINK = `${LINKS}/{linkId}`;
export const CHARGE = `${OF_MERCHANT}/charge`;
export const RECONCILIATION = `${OF_MERCHANT}/reconciliation`;
export const RECEIVABLES = `${OF_MERCHANT}/receivables`;
export const DISPUTES = `${OF_MERCHANT}/disputes`;
export const RECEIVABLE_FILES = {
  csv: `${OF_MERCHANT}/reconciliation.csv`,
  xlsx: `${OF_MERCHANT}/reconciliation.xlsx`,
};
export const DAY_SHEET = `${RECONCILIATION}/days/{day}`;
export const MERCHANT_EXCEPTIONS = `${RECONCILIATION}/exceptions`;
export const NOTIFICATIONS = `${OF_MERCHANT}/notifications`;
export const DELIVERIES = `${NOTIFICATIONS}/deliveries`;
export const DELIVERY = `${DELIVERIES}/{deliveryId}`;
export const CARD_FIELDS = `${OF_MERCHANT}/card-fields`;
export const CREDENTIALS = `${OF_MERCHANT}/credentials`;
export const CREDENTIAL = `${CREDENTIALS}/{credentialId}`;
export const HISTORY = `${OF_MERCHANT}/history`;
export const CHARTS = `${OF_MERCHANT}/charts`;
export const FIRST_STEPS = `${OF_MERCHANT}/first-steps`;
export const TEST_CLOCK = `${OF_MERCHANT}/homologation`;
export const TRIAL_CARDS = `${TEST_CLOCK}/cards`;
export const TEST_ACQUIRER = `${TEST_CLOCK}/acquirer`;

export const HEALTH = '/health';
export const OVER_TIME = `${HEALTH}/over-time`;
export const UNRESOLVED = '/unresolved';
export const CASE = `${UNRESOLVED}/{id}`;
export const EXCEPTIONS = '/exceptions';
export const EXCEPTION = `${EXCEPTIONS}/{id}`;
/**
 * Exceptions with one cause. `of`: the merchant, or a word for none. `name`: the class. `rule`: the fee rule,
 * or a word for none.
 */
export const EXCEPTION_CAUSE = `${EXCEPTIONS}/of/{of}/{name}/{rule}`;
export const FILES = '/files';
export const FILE = `${FILES}/{fileNumber}`;
export const DIFFERENCES = '/differences';
export const MERCHANTS = '/merchants';
export const ROUTING = '/routing';
export const FEES = '/fees';
export const KEYS = '/keys';
export const AUDIT = '/audit';

export const USERS = { operator: '/users', merchant: `${OF_MERCHANT}/users` } as const;
export const USER = { operator: `${USERS.operator}/{name}`, merchant: `${USERS.merchant}/{name}` } as const;

export const AFTER_RESTORE = {
  operator: '/after-restore',
  merchant: `${OF_MERCHANT}/after-restore`,
} as const;

export const WAITING = { operator: '/waiting', merchant: `${OF_MERCHANT}/waiting` } as const;

/** Returns the values of the pattern's names. Null if the path does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, sent] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== sent.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = sent[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== text) return null;
    if (name === undefined) continue;
    const decoded = decodedPart(text);
    if (decoded === null || decoded === '') return null;
    found[name] = decoded;
  }
  return found;
}

function decodedPart(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}

export function pathOf(pattern: string, values: Readonly<Record<string, string>> = {}): string {
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return `/console${filled}`;
}

/**
 * The one spelling of a path, although ids can be sent in capitals too. All forms about one thing must use
 * it.
 */
export function plainPath(pattern: string, values: Readonly<Record<string, string>>): string {
  const plain = Object.entries(values).map(([name, value]) => [
    name,
    isUuid(value) ? value.toLowerCase() : value,
  ]);
  return pathOf(pattern, Object.fromEntries(plain));
}

export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return parts.length === 0 ? path : `${path}?${new URLSearchParams(parts)}`;
}

export const merchantPath = (merchantId: string) => pathOf(OF_MERCHANT, { merchantId });
export const paymentPath = (merchantId: string, paymentId: string) =>
  pathOf(PAYMENT, { merchantId, paymentId });
export const buyerPath = (merchantId: string, boughtId: string) => pathOf(BUYER, { merchantId, boughtId });
export const subscriptionPath = (merchantId: string, subscriptionId: string) =>
  pathOf(SUBSCRIPTION, { merchantId, subscriptionId });
export const billingPath = (merchantId: string, billingId: string) =>
  pathOf(BILLING, { merchantId, billingId });
export const planPath = (merchantId: string, planId: string) => pathOf(PLAN, { merchantId, planId });
export const linkPath = (merchantId: string, linkId: string) => pathOf(LINK, { merchantId, linkId });
export const boletoPath = (merchantId: string, boletoId: string) => pathOf(BOLETO, { merchantId, boletoId });
export const deliveryPath = (merchantId: string, deliveryId: string) =>
  pathOf(DELIVERY, { merchantId, deliveryId });
export const casePath = (id: string) => pathOf(CASE, { id });
export const exceptionPath = (id: string) => pathOf(EXCEPTION, { id });
export const filePath = (fileNumber: number) => pathOf(FILE, { fileNumber: String(fileNumber) });

export function waitingPath(merchantId: string | null): string {
  return merchantId === null ? pathOf(WAITING.operator) : pathOf(WAITING.merchant, { merchantId });
}
