import { randomBytes, randomUUID } from 'node:crypto';
import { type Exchange, HttpClient } from '../http-client.ts';
import { type Form, type Point, textForm } from '../point.ts';

/** What the provider makes of which buyer, and how it is asked. */
export type AntiFraudBenchOptions = {
  readonly token: string | null;
  readonly merchantId: string;
  readonly otherMerchantId: string;
  /** Addresses of buyers who are reviewed and rejected; null: none is known. */
  readonly reviewEmail: string | null;
  readonly rejectEmail: string | null;
};

/** What a point works with. */
export type AntiFraudBench = Omit<AntiFraudBenchOptions, 'token'> & { readonly provider: HttpClient };
export type AntiFraudPoint = Point<AntiFraudBench>;

export function openAntiFraudBench(url: string, options: AntiFraudBenchOptions): AntiFraudBench {
  const { token, ...rest } = options;
  return { provider: new HttpClient(url, token), ...rest };
}

export const VERDICT: Form = textForm('accept, review or reject', /^(accept|review|reject)$/);
const MOST_REASONS = 10;
export const REASONS: Form = {
  form: `at most ${MOST_REASONS} words of a-z 0-9 . _ -, 40 characters each, without five digits in a row, or none`,
  isFit: (value) =>
    value === undefined ||
    (Array.isArray(value) && value.length <= MOST_REASONS && value.every((reason) => isReason(reason))),
};
export const SCORE: Form = {
  form: 'a whole number from 0 to 1000, or null, or none',
  isFit: (value) =>
    value === undefined ||
    value === null ||
    (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 1_000),
};

function isReason(reason: unknown): boolean {
  if (typeof reason !== 'string' || reason.length > 40 || /\d{5}/.test(reason)) return false;
  return /^[a-z][a-z0-9]*([._-][a-z0-9]+)*$/.test(reason);
}

const print = () => randomBytes(32).toString('base64url');

/** A sale to a buyer of whom nothing is known, save for what is given. */
export function question({ merchantId }: AntiFraudBench, changed: object = {}): Record<string, unknown> {
  return {
    transactionId: randomUUID(),
    merchantId,
    merchantReference: 'conformance',
    askedAt: new Date().toISOString(),
    amount: 12_990,
    installments: 3,
    antiFraudCode: randomUUID(),
    card: { brand: 'visa', firstSix: '411111', lastFour: '1111', isStored: false, fingerprints: [print()] },
    customer: buyer(null),
    session: { addressFingerprints: [], deviceFingerprints: [] },
    split: null,
    ...changed,
  };
}

export function buyer(email: string | null): Record<string, string | null> {
  return {
    documentType: 'cpf',
    documentNumber: '52998224725',
    firstName: 'Ana',
    lastName: 'Souza',
    email,
    phoneNumber: null,
    mobilePhoneNumber: null,
    address: null,
    complement: null,
    city: null,
    state: null,
    zipCode: null,
    country: null,
    ipAddress: '203.0.113.7',
  };
}

export function decide({ provider }: AntiFraudBench, asked: object): Promise<Exchange> {
  return provider.post('/decisions', asked);
}
