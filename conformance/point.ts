import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from './http-client.ts';

/**
 * One thing that must hold: a paragraph of a protocol's page, a sentence, and how it is looked at.
 */
export type Point<Bench> = {
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

/** The other side has no such thing, or nobody said how to bring it about. */
export class PointSkipped extends Error {
  override readonly name = 'PointSkipped';
}

type Wanted = Readonly<Record<string, unknown>>;

/** Whether a value of an answer is of its form; named for who reads what was expected. */
export type Form = { readonly form: string; readonly isFit: (value: unknown) => boolean };

export const textForm = (form: string, pattern: RegExp): Form => ({
  form,
  isFit: (value) => typeof value === 'string' && pattern.test(value),
});

export const orAbsent = ({ form, isFit }: Form): Form => ({
  form: `${form}, or absent`,
  isFit: (value) => value === undefined || value === null || isFit(value),
});

/**
 * Holds the answer against a status and fields. Fields that are not named are not looked at: they
 * may be added.
 */
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
