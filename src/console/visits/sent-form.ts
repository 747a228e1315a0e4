import type { WireError } from '../../platform/http/endpoint.ts';
import type { Asked } from '../parts/screen.ts';

/** A sent form: its key, and hashes of its path and content. */
export type SentForm = {
  readonly onceKey: string;
  readonly userId: string;
  readonly pathHash: Buffer;
  readonly fieldsHash: Buffer;
};

export type Refusal = { readonly status: number; readonly errors: readonly WireError[] };

export function readRefusal(value: unknown): Refusal | undefined {
  return Array.isArray(Object(value).errors) ? (value as Refusal) : undefined;
}

const MOST_KEPT = { errors: 20, characters: 400, bytes: 15_000 } as const;

/** The database limits the bytes of a refusal, and accepts no invalid text. */
export function keptRefusal({ status, errors }: Refusal): Refusal {
  const cut = (text: string) => text.slice(0, MOST_KEPT.characters).toWellFormed().replaceAll('\0', '\ufffd');
  const kept: WireError[] = [];
  let left: number = MOST_KEPT.bytes;
  for (const { tag, description } of errors.slice(0, MOST_KEPT.errors)) {
    const one = { tag: cut(tag), description: cut(description) };
    left -= Buffer.byteLength(JSON.stringify(one));
    if (left < 0) break;
    kept.push(one);
  }
  return { status, errors: kept };
}

export const FORM_OUTCOMES = ['done', 'refused'] as const;

/** An earlier form with the same key. `outcome` null: not known. */
export type EarlierForm = SentForm & {
  readonly outcome: (typeof FORM_OUTCOMES)[number] | null;
  readonly refusal: Refusal | null;
};

/** `strange`: another user or path. `unknown`: under way, or not known. */
export type Again = 'strange' | 'done' | 'unknown' | Refusal;

export function againOf(sent: SentForm, earlier: EarlierForm): Again {
  if (sent.userId !== earlier.userId || !sent.pathHash.equals(earlier.pathHash)) return 'strange';
  if (earlier.refusal !== null) return earlier.refusal;
  return earlier.outcome === 'done' ? 'done' : 'unknown';
}

/** `free`: a temporary error; nothing was done, and the form may be sent again. Null: not known. */
export type ActionEnd = 'done' | 'refused' | 'free' | null;

/** A cancel that is answered 500 is under way. */
export function endOf(asked: Asked<unknown>): ActionEnd {
  if (asked.ok) return 'done';
  const { status, errors } = asked;
  const isUnderWay = status === 409 && errors.some(({ tag }) => tag === 'idempotencyKey');
  if (status === 500 || status === 504 || isUnderWay) return null;
  return status === 429 || status === 503 ? 'free' : 'refused';
}
