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

/** A refusal as the database can keep it: it limits the bytes, and takes no invalid text. */
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

/** An earlier form with the same key. `outcome` null: the form is under way, or its outcome is unknown. */
export type EarlierForm = SentForm & {
  readonly outcome: (typeof FORM_OUTCOMES)[number] | null;
  readonly refusal: Refusal | null;
};

/**
 * What became of an earlier form with the same key. `strange`: another user sent it, or to another path.
 * `unknown`: it is under way, or its outcome is unknown. `changed`: the same, and it had other fields.
 */
export type Again = 'strange' | 'done' | 'unknown' | 'changed' | Refusal;

export function againOf(sent: SentForm, earlier: EarlierForm): Again {
  if (sent.userId !== earlier.userId || !sent.pathHash.equals(earlier.pathHash)) return 'strange';
  if (earlier.refusal !== null) return earlier.refusal;
  if (earlier.outcome === 'done') return 'done';
  return sent.fieldsHash.equals(earlier.fieldsHash) ? 'unknown' : 'changed';
}

/** True if the key is new, or if its form was refused and now has other fields. */
export function startsAnew(sent: SentForm, earlier: EarlierForm | null): boolean {
  if (earlier === null) return true;
  const isOwn = sent.userId === earlier.userId && sent.pathHash.equals(earlier.pathHash);
  return isOwn && earlier.outcome === 'refused' && !sent.fieldsHash.equals(earlier.fieldsHash);
}

/**
 * How an action ended. `free`: a temporary error; nothing was done, and the form may be sent again. Null: it
 * is not known.
 */
export type ActionEnd = 'done' | 'refused' | 'free' | null;

/**
 * An answer of 500 leaves the outcome open: the cancel of a payment may be under way. `isAgain`: the key was
 * used before, so only a refusal that the endpoint kept under it tells the outcome.
 */
export function endOf(asked: Asked<unknown>, isAgain = false): ActionEnd {
  if (asked.ok) return 'done';
  const { status } = asked;
  if (status === 500 || status === 504 || isOfKey(asked)) return null;
  const isFree = status === 429 || status === 503;
  if (isAgain) return asked.isReplayed === true && !isFree ? 'refused' : null;
  return isFree ? 'free' : 'refused';
}

/**
 * The endpoint refused the request's key: it is under way, or was used with other fields. Its outcome is not
 * known here.
 */
function isOfKey({ status, errors }: Refusal): boolean {
  return (status === 409 || status === 422) && errors.some(({ tag }) => tag === 'idempotencyKey');
}
