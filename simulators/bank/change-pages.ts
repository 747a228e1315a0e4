import { changeItem } from './answers.ts';
import type { Boletos, Change } from './boletos.ts';
import type { ChangesQuery } from './requests.ts';

/**
 * What happened behind the cursor, in the order of the ledger, up to the first change that is later
 * than `until`: nothing is stepped over, so the next question can go on from `next`.
 */
export function changesPage(boletos: Boletos, query: ChangesQuery, until: number): object {
  const { merchantId, cursor, limit } = query;
  const behind = changesBehind(boletos, query);
  const late = behind.slice(0, limit).findIndex(({ entry }) => entry.happenedAt > until);
  const items = behind.slice(0, late === -1 ? limit : late);
  const following = behind[items.length];
  const hasMore =
    following === undefined
      ? boletos.nextDue(merchantId, until) !== null
      : following.entry.happenedAt <= until;
  return { items: items.map(changeItem), next: String(items.at(-1)?.cursor ?? cursor), hasMore };
}

/** How many changes are booked behind the cursor. */
export function bookedBehind(boletos: Boletos, query: ChangesQuery): number {
  return changesBehind(boletos, query).length;
}

/** When the next change happens that a question would bring; nothing is booked by asking. */
export function nextChange(boletos: Boletos, query: ChangesQuery, until: number): object {
  const booked = changesBehind(boletos, query)[0]?.entry.happenedAt ?? Number.POSITIVE_INFINITY;
  const due = boletos.nextDue(query.merchantId, until)?.at ?? Number.POSITIVE_INFINITY;
  const at = Math.min(booked, due);
  return { at: at <= until ? new Date(at).toISOString() : null };
}

function changesBehind(boletos: Boletos, { merchantId, cursor }: ChangesQuery): readonly Change[] {
  const changes = boletos.changesOf(merchantId);
  // Cursors rise.
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle] as Change).cursor <= cursor) low = middle + 1;
    else high = middle;
  }
  return changes.slice(low);
}
