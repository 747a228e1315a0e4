import { type ChainFault, headBytes } from './audit-chain.ts';
import { findEnds, pageOfEntries } from './audit-entries.sql.ts';
import { type ChainWalk, findAuditKeys, openChainWalk } from './open-chain-walk.ts';
import type { VerifyTools } from './verify-audit.ts';

/** Entries of one look, and from the end at a process's first look. */
const ENTRIES_OF_LOOK = 5_000;
const ENTRIES_OF_PAGE = 500;

export type TailLook = {
  readonly fault: ChainFault | null;
  /** Valid entries read. */
  readonly entries: number;
  /** Age of the last one, whose anchor was logged; null: none. */
  readonly ageSeconds: number | null;
};

/**
 * Reads on from the last look: later changes are found within a minute, older ones by `parcela audit verify`.
 * A fault stays until the process ends.
 */
export function openTailCheck({ database, keyring }: VerifyTools): () => Promise<TailLook> {
  let walk: ChainWalk | null = null;
  let fault: ChainFault | null = null;
  let lastAt: number | null = null;

  async function look(): Promise<TailLook> {
    if (fault !== null) return { fault, entries: 0, ageSeconds: ageOf(lastAt) };
    await keyring.reload();
    const { head, firstNumber, lastNumber } = await findEnds(database);
    const keys = await findAuditKeys(database);
    if (head === null) return found(lastNumber === 0 ? null : 'headMissing', 0);
    if (head.dataKeyId !== null && !(await isSealed(head))) return found('headAltered', 0);
    if (head.entryNumber < (walk?.end.entryNumber ?? 0)) return found('tailMissing', 0);
    let read = 0;
    let from =
      walk === null ? Math.max(firstNumber, head.entryNumber - ENTRIES_OF_LOOK) : walk.end.entryNumber + 1;
    while (read < ENTRIES_OF_LOOK && from <= head.entryNumber) {
      const page = await pageOfEntries(database, from, ENTRIES_OF_PAGE);
      for (const entry of page.filter(({ entryNumber }) => entryNumber <= head.entryNumber)) {
        const before = { entryNumber: entry.entryNumber - 1, seal: entry.previousSeal, dataKeyId: null };
        walk = openChainWalk(keyring, keys, walk?.end ?? before);
        const wrong = await walk.follow(entry);
        if (wrong !== null) return found(wrong, read);
        read += 1;
        lastAt = Number(entry.occurredAtSeconds);
      }
      if (page.length === 0) return found('tailMissing', read);
      from = (walk?.end.entryNumber ?? from) + 1;
    }
    const isAtEnd = walk?.end.entryNumber === head.entryNumber;
    return found(isAtEnd && !walk?.end.seal.equals(head.seal) ? 'headUnlinked' : null, read);
  }

  function found(wrong: ChainFault | null, entries: number): TailLook {
    fault = wrong;
    return { fault, entries, ageSeconds: ageOf(lastAt) };
  }

  const isSealed = (head: NonNullable<Awaited<ReturnType<typeof findEnds>>['head']>) =>
    keyring.checkAuditSeal(head.dataKeyId as number, headBytes(head.entryNumber, head.seal), head.headSeal);

  return look;
}

function ageOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(0, Date.now() / 1_000 - seconds);
}
