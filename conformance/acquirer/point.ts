import { isDeepStrictEqual } from 'node:util';
import type { BridgeClient, Exchange } from './bridge-client.ts';

export type Card = {
  readonly number: string;
  readonly brand: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
};

/** What a point works with. */
export type Bench = {
  readonly bridge: BridgeClient;
  readonly merchantId: string;
  readonly otherMerchantId: string;
  /** A card that the acquirer approves, and another one. */
  readonly card: Card;
  readonly otherCard: Card;
  /** What makes the acquirer decline; null: nobody said. */
  readonly decline: { readonly amount: number; readonly card: Card } | null;
  /** One that was never used before, also not in an earlier run. */
  readonly newReference: () => string;
};

/** One thing that must hold: a paragraph of docs/acquirer-protocol.md, a sentence, and how it is looked at. */
export type Point = {
  readonly paragraph: string;
  readonly sentence: string;
  run(bench: Bench): Promise<void>;
};

/** The point does not hold. */
export class PointFailed extends Error {
  override readonly name = 'PointFailed';
  readonly exchange: Exchange;

  constructor(expected: string, exchange: Exchange) {
    super(expected);
    this.exchange = exchange;
  }
}

/** The bridge has no such thing, or nobody said how to bring it about. */
export class PointSkipped extends Error {
  override readonly name = 'PointSkipped';
}

type Wanted = Readonly<Record<string, unknown>>;

/** Whether a value of an answer is of its form; named for who reads what was expected. */
export type Form = { readonly form: string; readonly isFit: (value: unknown) => boolean };

const textForm = (form: string, pattern: RegExp): Form => ({
  form,
  isFit: (value) => typeof value === 'string' && pattern.test(value),
});
export const CODE = textForm('1 to 40 of A-Z a-z 0-9 _ -', /^[A-Za-z0-9_-]{1,40}$/);
export const NSU = textForm('decimal digits', /^\d{1,40}$/);
export const RESPONSE_CODE = textForm('1 to 4 letters and digits', /^[A-Za-z0-9]{1,4}$/);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
export const MOMENT: Form = {
  form: 'an ISO 8601 instant with zone',
  isFit: (value) => typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
};
export const ADVICE_CODE: Form = {
  form: '1 to 4 letters and digits, or null',
  isFit: (value) => value === null || RESPONSE_CODE.isFit(value),
};

/** Holds the answer against a status and fields. Fields that are not named are not looked at: they may be added. */
export function expectAnswer(exchange: Exchange, status: number, wanted: Wanted): void {
  const found = Object(exchange.body) as Wanted;
  const isFit =
    exchange.status === status && Object.entries(wanted).every(([name, value]) => fits(found[name], value));
  if (!isFit) throw new PointFailed(`status ${status}, ${JSON.stringify(wanted, writeForm)}`, exchange);
}

/** Holds anything else, said in words, against an answer. */
export function expect(isTrue: boolean, expected: string, exchange: Exchange): asserts isTrue {
  if (!isTrue) throw new PointFailed(expected, exchange);
}

/** A field of an answer, of whatever type. */
export function fieldOf(exchange: Exchange, name: string): unknown {
  return (Object(exchange.body) as Wanted)[name];
}

export function skipUnless(isOffered: boolean, why: string): asserts isOffered {
  if (!isOffered) throw new PointSkipped(why);
}

function isForm(value: unknown): value is Form {
  return typeof value === 'object' && value !== null && 'isFit' in value;
}

function fits(found: unknown, wanted: unknown): boolean {
  return isForm(wanted) ? wanted.isFit(found) : isDeepStrictEqual(found, wanted);
}

function writeForm(_name: string, value: unknown): unknown {
  return isForm(value) ? `<${value.form}>` : value;
}
