import type { Fingerprint } from '../../keys/open-keyring.ts';
import { type Database, type Row, type Step, statement } from '../../platform/postgres/database.ts';

/** One card of one merchant, by what can be compared of its number. */
export type CardCopies = {
  readonly merchantId: string;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Under every key that still compares. */
  readonly fingerprints: readonly Buffer[];
};

type Shown = Pick<CardCopies, 'merchantId' | 'firstSix' | 'lastFour'>;

export function copiesOf(
  { merchantId, firstSix, lastFour }: Shown,
  fingerprints: readonly Fingerprint[],
): CardCopies {
  return { merchantId, firstSix, lastFour, fingerprints: fingerprints.map(({ print }) => print) };
}

/** The card is stored as often as it may be: nothing was written. */
export class TooManyCopies extends Error {}

/**
 * By the digits that are shown: they are the same for every process, whichever key of fingerprints
 * it knows.
 */
const LOCK = statement(
  'vault.lock_copies',
  `select pg_try_advisory_xact_lock(
     hashtextextended('stored copies|' || $1::text || '|' || $2::text || $3::text, 0)
   ) as is_locked`,
);

/**
 * Of those that store a copy of the card one at a time has the lock, until it commits. None waits here
 * for it, where it would hold a connection.
 */
export function lockCopies({ merchantId, firstSix, lastFour }: CardCopies): Step {
  return { statement: LOCK, values: [merchantId, firstSix, lastFour] };
}

export function areLocked(rows: readonly Row[] | undefined): boolean {
  return rows?.[0]?.is_locked === true;
}

/**
 * A copy that an earlier try of the same store has written ($3) is the one that is being stored.
 */
const COUNT = statement(
  'vault.count_copies',
  `select count(*) as copies from (
     select from vault_cards v
     where v.merchant_id = $1 and v.card_fingerprint is not null and v.card_fingerprint = any($2::bytea[])
       and v.vault_id <> $3::uuid
     limit $4
   ) c`,
);

/**
 * Counts the stored copies beside `vaultId`, up to `most`. Behind the lock, in a statement of its
 * own, it misses none.
 */
export function countCopies({ merchantId, fingerprints }: CardCopies, vaultId: string, most: number): Step {
  return { statement: COUNT, values: [merchantId, fingerprints, vaultId, most] };
}

/** Whether the counted rows leave no place for another copy. */
export function isFull(rows: readonly Row[] | undefined, most: number): boolean {
  return (rows?.[0]?.copies as number) >= most;
}

const FIRST = statement(
  'vault.first_copy',
  `select v.vault_id from vault_cards v
   where v.merchant_id = $1 and v.card_fingerprint is not null and v.card_fingerprint = any($2::bytea[])
   order by v.created_at, v.vault_id limit 1`,
);

/** The copy that was stored first; null: it was removed meanwhile, as all others. */
export async function findFirstCopy(
  database: Database,
  { merchantId, fingerprints }: CardCopies,
): Promise<string | null> {
  const [first] = await database.query(FIRST, [merchantId, fingerprints]);
  return (first?.vault_id as string | undefined) ?? null;
}

/** Asked before anybody is asked about the card: the commit that stores it counts again. */
export async function isAnotherCopyRefused(
  database: Database,
  copies: CardCopies,
  vaultId: string,
  most: number,
): Promise<boolean> {
  const { statement: count, values } = countCopies(copies, vaultId, most);
  return isFull(await database.query(count, values), most);
}
