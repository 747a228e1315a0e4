/** What the simulator decides by, of a question that is of the protocol. */
export type Question = {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly email: string | null;
};

type Fields = Readonly<Record<string, unknown>>;
type Check = readonly [field: string, isFit: (value: unknown) => boolean];

const isText = (longest: number) => (value: unknown) =>
  typeof value === 'string' && value.length >= 1 && value.length <= longest;
const isTextOrNull = (longest: number) => (value: unknown) => value === null || isText(longest)(value);
const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const isWhole = (least: number, most: number) => (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
const isListOf = (isFit: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isFit);
const isPrint = matches(/^[\w-]{43}$/);

const CHECKS: readonly Check[] = [
  ['transactionId', matches(/^[\w.:-]{1,64}$/)],
  ['merchantId', isText(64)],
  ['merchantReference', isTextOrNull(255)],
  ['askedAt', matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)],
  ['amount', isWhole(1, 9_999_999_999)],
  ['installments', isWhole(1, 99)],
  ['antiFraudCode', isText(36)],
  ['card', isObject],
  ['customer', isObject],
  ['session', isObject],
];

const CHECKS_OF_CARD: readonly Check[] = [
  ['brand', isText(20)],
  ['firstSix', matches(/^\d{6}$/)],
  ['lastFour', matches(/^\d{4}$/)],
  ['isStored', (value) => typeof value === 'boolean'],
  ['fingerprints', isListOf(isPrint)],
];

const CHECKS_OF_SESSION: readonly Check[] = [
  ['addressFingerprints', isListOf(isPrint)],
  ['deviceFingerprints', isListOf(isPrint)],
];

/** The question, or the name of the first field that is wrong; `''`: the body itself. */
export function readQuestion(body: unknown): Question | { readonly field: string } {
  if (!isObject(body)) return { field: '' };
  const field = firstFault(body, CHECKS, '') ?? nestedFault(body);
  if (field !== null) return { field };
  const { transactionId, merchantId, customer } = body as { transactionId: string; merchantId: string } & {
    customer: { email?: unknown };
  };
  return { transactionId, merchantId, email: typeof customer.email === 'string' ? customer.email : null };
}

function nestedFault({ card, session, customer, split = null }: Fields): string | null {
  const texts = Object.entries(customer as Fields).find(([, value]) => !isTextOrNull(255)(value));
  return (
    firstFault(card as Fields, CHECKS_OF_CARD, 'card.') ??
    firstFault(session as Fields, CHECKS_OF_SESSION, 'session.') ??
    (texts === undefined ? null : `customer.${texts[0]}`) ??
    (split === null || isSplit(split) ? null : 'split')
  );
}

function firstFault(fields: Fields, checks: readonly Check[], before: string): string | null {
  const fault = checks.find(([field, isFit]) => !isFit(fields[field]));
  return fault === undefined ? null : before + fault[0];
}

function isSplit(split: unknown): boolean {
  const isEntry = (entry: unknown) =>
    isObject(entry) && isText(20)(entry.beneficiary) && isWhole(0, 10_000)(entry.portion);
  return (
    isObject(split) && (split.kind === 'gross' || split.kind === 'net') && isListOf(isEntry)(split.entries)
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
