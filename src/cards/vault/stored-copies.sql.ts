import type { Fingerprint } from '../../keys/open-keyring.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';

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
 * for it, where it would hold a connection: false where another has it.
 */
export async function lockCopies(tx: Tx, { merchantId, firstSix, lastFour }: CardCopies): Promise<boolean> {
  const [row] = await tx.query(LOCK, [merchantId, firstSix, lastFour]);
  return row?.is_locked === true;
}

const COUNTED = rowCodec({ copies: column.whole('count(*)') });

/**
 * A copy that an earlier try of the same store has written ($3) is the one that is being stored.
 */
const COUNT = statement(
  'vault.count_copies',
  `select ${COUNTED.columns} from (
     select from vault_cards v
     where v.merchant_id = $1 and v.card_fingerprint is not null and v.card_fingerprint = any($2::bytea[])
       and v.vault_id <> $3::uuid
     limit $4
   ) c`,
);

/**
 * Whether the card is stored as often as it may be, beside `vaultId`. Asked before anybody is asked about
 * the card, and again behind the lock: in a statement of its own it misses none there.
 */
export async function isAnotherCopyRefused(
  reader: Reader,
  { merchantId, fingerprints }: CardCopies,
  vaultId: string,
  most: number,
): Promise<boolean> {
  const [row] = await reader.query(COUNT, [merchantId, fingerprints, vaultId, most]);
  return COUNTED.parse(row as Row).copies >= most;
}

const COPY = rowCodec({ vaultId: column.text() }, 'v');

const FIRST = statement(
  'vault.first_copy',
  `select ${COPY.columns} from vault_cards v
   where v.merchant_id = $1 and v.card_fingerprint is not null and v.card_fingerprint = any($2::bytea[])
   order by v.created_at, v.vault_id limit 1`,
);

/** The copy that was stored first; null: it was removed meanwhile, as all others. */
export async function findFirstCopy(
  database: Database,
  { merchantId, fingerprints }: CardCopies,
): Promise<string | null> {
  const [first] = await database.query(FIRST, [merchantId, fingerprints]);
  return first === undefined ? null : COPY.parse(first).vaultId;
}
