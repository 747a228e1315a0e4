import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Database } from '../platform/postgres/database.ts';
import { hangBell } from '../platform/work/bell.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften } from '../platform/work/every-so-often.ts';
import { deleteRetiredPairs } from './pairs/delete-retired-pairs.ts';
import type { CardKeys } from './pairs/open-card-keys.ts';
import { type ResealTools, resealRows } from './reseal-rows.ts';
import { countSealedRows } from './sealed-rows.sql.ts';
import { deleteExpiredCarriers } from './tokens/card-tokens.sql.ts';

const BATCH = 500;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets dead card tokens and claims, in bounded batches, at most every half minute when there is nothing to forget. */
export function forgetExpiredCarriers(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetExpiredCarriers',
    bell: hangBell(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const forgotten = await deleteExpiredCarriers(database, BATCH);
      if (forgotten === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return forgotten;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}

const FOLLOW_MILLISECONDS = 1_000;
const TIDY_MILLISECONDS = 60_000;

/** What the keys of cards ask of a running service: new pairs are served within a second, and rotations come to their end. */
export function cardKeyWork(
  tools: ResealTools & { readonly cardKeys: CardKeys; readonly commitChange: CommitKeyChange },
): Work[] {
  return [
    everySoOften('followKeyPairs', FOLLOW_MILLISECONDS, () => tools.cardKeys.reload()),
    everySoOften('deleteRetiredPairs', TIDY_MILLISECONDS, () => deleteRetiredPairs(tools)),
    finishResealing(tools),
  ];
}

/**
 * Seals again what retired keys have sealed: a rotation is finished even when whoever began it was killed. Once nothing is
 * under a retired key nothing will be, so that each is looked at until then.
 */
function finishResealing(tools: ResealTools): Work {
  const finished = new Set<number>();
  let pausedUntil = 0;
  return everySoOften('finishResealing', FOLLOW_MILLISECONDS, async (signal) => {
    const { keyring } = tools;
    const retired = [...keyring.retiredKeys('card'), ...keyring.retiredKeys('keyPair')];
    const waiting = retired.filter((key) => !finished.has(key));
    if (waiting.length === 0 || performance.now() < pausedUntil) return;
    const cards = await resealRows(tools, 'card', undefined, signal);
    const pairs = await resealRows(tools, 'keyPair', undefined, signal);
    const resealed = cards.resealed + pairs.resealed;
    const counts = await countSealedRows(tools.database, waiting);
    for (const key of waiting) if (!counts.has(key)) finished.add(key);
    // What is left is held by somebody, or does not open: an alarm now and then is enough.
    if (counts.size > 0 && resealed === 0) pausedUntil = performance.now() + TIDY_MILLISECONDS;
  });
}
