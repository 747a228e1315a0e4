import type { MerchantEntry } from '../../audit/merchant-entries.sql.ts';
import { userOfActor } from '../users/user.ts';

export type Outcome = 'asked' | 'refused' | 'unknown' | 'waits' | 'approved' | 'declined' | 'saved';

export type Act = {
  readonly entryNumber: number;
  /** Milliseconds. */
  readonly at: number;
  /** A user's name without the `user:` before it; of others the name in the audit log. */
  readonly who: string;
  readonly outcome: Outcome;
  readonly operation: string;
  /** The path of the form or file, below `/console/`. */
  readonly path: string;
  /** Cents. Null: no money moves, or no amount was given. */
  readonly amount: number | null;
  readonly reason: string | null;
};

const ENDS: Readonly<Record<string, Outcome>> = {
  'console.refuse': 'refused',
  'console.unknown': 'unknown',
  'console.request': 'waits',
};

type Detail = Readonly<Record<string, unknown>>;

function readDetail(text: string): Detail {
  try {
    return Object(JSON.parse(text)) as Detail;
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** True for the form of a decision. The decision itself is another act, which says more. */
function isSaidElsewhere(action: string, { operation }: Detail): boolean {
  return action === 'console.act' && (operation === 'console.approve' || operation === 'console.decline');
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'console.act': 'asked',
  'console.approve': 'approved',
  'console.decline': 'declined',
  'console.export': 'saved',
};

type End = { readonly outcome: Outcome; readonly amount: number | null };

const requestIn = (path: string): string => path.split('/').at(-2) ?? '';

/**
 * `entries`: newest first. The entry that tells how an act ended is newer than the act's own. Both have the
 * key of one form, or one request to a second person. A form that was sent again is one act; its last end
 * counts.
 */
export function actsOf(entries: readonly MerchantEntry[]): readonly Act[] {
  const ends = new Map<string, End>();
  const seen = new Set<string>();
  const acts: Act[] = [];
  for (const { action, actor, resource, detail: text, entryNumber, occurredAtSeconds } of entries) {
    const detail = readDetail(text);
    // Old entries have no key of their form: they stand by themselves.
    const key = textOf(detail.form) ?? textOf(detail.request);
    const end = ENDS[action];
    if (end !== undefined) {
      if (key !== null && !ends.has(key)) ends.set(key, { outcome: end, amount: numberOf(detail.amount) });
      continue;
    }
    const outcome = OUTCOMES[action];
    const ended = key === null ? undefined : ends.get(key);
    if (key !== null && action !== 'console.act') ends.delete(key);
    const isTold = action === 'console.act' && key !== null && seen.has(key);
    if (key !== null) seen.add(key);
    if (outcome === undefined || isTold) continue;
    if (isSaidElsewhere(action, detail) && (ended === undefined || seen.has(requestIn(resource)))) continue;
    acts.push({
      entryNumber,
      at: Math.floor(Number(occurredAtSeconds) * 1_000),
      who: userOfActor(actor) ?? actor,
      outcome: ended?.outcome ?? outcome,
      operation: textOf(detail.operation) ?? action,
      path: resource,
      amount: ended?.amount ?? numberOf(detail.amount),
      reason: textOf(detail.reason),
    });
  }
  return acts;
}
