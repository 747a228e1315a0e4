import type { Fingerprint } from '../../keys/open-keyring.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';

export type CardCopies = {
  readonly merchantId: string;
  readonly firstSix: string;
  readonly lastFour: string;
  /** The card's fingerprints under every key still in use. */
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
 * The lock is named by the shown digits: they are the same in every process, whichever fingerprint keys it
 * knows.
 */
const LOCK = statement(
  'vault.lock_copies',
  `select pg_try_advisory_xact_lock(
     hashtextextended('stored copies|' || $1::text || '|' || $2::text || $3::text, 0)
   ) as is_locked`,
);

/**
 * Keeps others from storing the same card until the commit. False at once if another holds the lock: waiting
 * would hold a connection.
 */
export async function lockCopies(tx: Tx, { merchantId, firstSix, lastFour }: CardCopies): Promise<boolean> {
  const [row] = await tx.query(LOCK, [merchantId, firstSix, lastFour]);
  return row?.is_locked === true;
}

const COUNTED = rowCodec({ copies: column.whole('count(*)') });

/** Counts copies, without the one that an earlier try of the same store has written (`$3`). */
const COUNT = statement(
  'vault.count_copies',
  `select ${COUNTED.columns} from (
     select from vault_cards v
     where v.merchant_id = $1 and v.card_fingerprint is not null and v.card_fingerprint = any($2::bytea[])
       and v.vault_id <> $3::uuid
     limit $4
   ) c`,
);

/** Whether the card is stored as often as allowed, apart from `vaultId`. Asked again under the lock. */
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

export async function findFirstCopy(
  database: Database,
  { merchantId, fingerprints }: CardCopies,
): Promise<string | null> {
  return firstOf(await database.query(FIRST, [merchantId, fingerprints]), COPY.parse)?.vaultId ?? null;
}
