import type { FieldReader } from '../kit/field-reader.ts';
import type { Answer } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Receiver } from './books.ts';

/** A request that is let in. */
export type Call = {
  readonly bank: Bank;
  readonly receiver: Receiver;
  /** What the path names, in its order. */
  readonly names: readonly string[];
  readonly query: FieldReader;
  /** The body's, as it was read from JSON; null: it is none. */
  readonly body: unknown;
  readonly refund: 'settles' | 'fails' | 'waits';
};

export type Act = (call: Call) => Answer;

export type Route = { readonly scope: string; readonly act: Act };
