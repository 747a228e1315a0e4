import assert from 'node:assert/strict';
import type { Chance } from '../../../chaos/chance.ts';
import { call, type Reply } from '../../kit/merchant.ts';
import { readExactly } from './compare-shop.ts';
import type { ModelShop } from './shop-model.ts';

/** A merchant before the service, with what the model says of it. */
export type Door = { readonly model: ModelShop; readonly url: string; readonly token: string };

/** Whose turn it is, whom it must never see, and the chance that decides. */
export type Turn = {
  readonly own: Door;
  readonly other: Door;
  readonly chance: Chance;
  /** Remembered for whoever reads of a failure. */
  report(line: string): void;
};

/** Something that a path or a body names; null: what is named is not the caller's, or nobody's. */
export type Target<Thing> = { readonly id: string; readonly thing: Thing | null };

const SHARE_OF_OWN = 0.84;

/** Mostly one of the caller's own. */
export function drawTarget<Thing extends { readonly id: string | null }>(
  chance: Chance,
  own: readonly Thing[],
  others: readonly Thing[],
): Target<Thing> {
  if (own.length > 0 && chance.isIn(SHARE_OF_OWN)) {
    const thing = chance.pick(own);
    return { id: thing.id ?? '', thing };
  }
  if (others.length > 0 && chance.isIn(0.6)) return { id: chance.pick(others).id ?? '', thing: null };
  return { id: unownedId(chance), thing: null };
}

export function unownedId(chance: Chance): string {
  if (chance.isIn(0.2)) return 'nobodys';
  return `0199c1f2-6a2b-7c11-9a3e-${chance
    .whole(0, 2 ** 40)
    .toString(16)
    .padStart(12, '0')}`;
}

export type Answer = Reply & {
  /** As `body`, with amounts digit for digit. */
  readonly exact: unknown;
};

export async function get({ url, token }: Door, path: string): Promise<Answer> {
  return exactly(await call(url, path, { token }));
}

/** `amount` is a text of digits, and goes out as the number of these digits. */
export async function post({ url, token }: Door, path: string, body?: object): Promise<Answer> {
  if (body === undefined) return exactly(await call(url, path, { token, method: 'POST' }));
  const raw = JSON.stringify(body).replace(/"amount":"([\d.]+)"/, '"amount":$1');
  return exactly(await call(url, path, { token, raw }));
}

function exactly(reply: Reply): Answer {
  return { ...reply, exact: reply.body === undefined ? undefined : readExactly(reply.text) };
}

export function assertStatus(answer: Answer, status: number): void {
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text}`);
}

/** Refused with this status, naming each of these fields once and no other. */
export function assertRefused(answer: Answer, status: number, tags: readonly string[]): void {
  assertStatus(answer, status);
  assert.deepEqual(tagsOf(answer), [...tags].sort());
}

export function tagsOf({ body }: Answer): string[] {
  return (body as { tag: string }[]).map(({ tag }) => tag).sort();
}
