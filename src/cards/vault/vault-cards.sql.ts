import type { Audit, AuditEvent, AuditedTx } from '../../audit/audit-event.ts';
import { type KeyedRequest, MAKING_MILLISECONDS } from '../../idempotency/idempotency-key.ts';
import {
  FINISH_KEYS,
  FREE_RESERVED_KEYS,
  isKeyTaken,
  keyValues,
  REMEMBER_KEYS,
  RESERVE_KEYS,
} from '../../idempotency/idempotency-keys.sql.ts';
import type { Fingerprint } from '../../keys/open-keyring.ts';
import type { Page } from '../../platform/pages.ts';
import type { BatchedReadOptions } from '../../platform/postgres/batched-reads.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Database, type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { hasSqlState, PassingFault, SQL_STATE } from '../../platform/postgres/database-errors.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { CardSource } from '../card.ts';
import { copiesOf, isAnotherCopyRefused, lockCopies } from './stored-copies.sql.ts';
import type { ShownCard, VaultCard, WantedCards } from './vault-card.ts';

/** `vaultId`: a UUID in lower case, as PostgreSQL gives it. */
export type VaultCardKey = { readonly merchantId: string; readonly vaultId: string };

const KEYS = inputRows<VaultCardKey>({
  merchant_id: ['text', (key) => key.merchantId],
  vault_id: ['uuid', (key) => key.vaultId],
});

/** A stored card as callers are shown it: without the sealed number. */
const SHOWN_CARD = rowCodec<ShownCard>(
  {
    vaultId: column.text(),
    brand: column.oneOf(CARD_BRANDS),
    firstSix: column.text(),
    lastFour: column.text(),
    expirationMonth: column.text(),
    expirationYear: column.text(),
    holderName: column.text(),
  },
  'v',
);

const CARD = rowCodec(
  {
    merchantId: column.text(),
    ...SHOWN_CARD.fields,
    sealedNumber: column.bytes(),
    dataKeyId: column.whole(),
    isUsed: column.boolean('v.first_used_at is not null'),
    networkTransactionId: column.nullable(column.text()),
    transactionLinkId: column.nullable(column.text()),
  },
  'v',
);

/** The columns of a card found by `CARD_OF_KEY` as `v`. */
export const WHOLE_CARD = `${CARD.columns}`;

export const CARD_OF_KEY =
  'select * from vault_cards c where c.merchant_id = i.merchant_id and c.vault_id = i.vault_id limit 1';

const FIND = statement(
  'vault.find_cards',
  `select ${WHOLE_CARD}
   from ${KEYS.sql}, lateral (
     ${CARD_OF_KEY}
   ) v`,
);

export function vaultCardsRead(database: Reader): BatchedReadOptions<VaultCardKey, VaultCard> {
  return {
    name: 'vault cards',
    textOf: ({ merchantId, vaultId }) => `${merchantId}|${vaultId}`,
    async read(keys) {
      const rows = await database.query(FIND, KEYS.values(keys));
      return new Map(rows.map(parseVaultCard).map((card) => [`${card.merchantId}|${card.vaultId}`, card]));
    },
  };
}

export async function findVaultCard(database: Reader, key: VaultCardKey): Promise<VaultCard | null> {
  return firstOf(await database.query(FIND, KEYS.values([key])), parseVaultCard);
}

export function parseVaultCard(row: Row): VaultCard {
  const { sealedNumber, dataKeyId, networkTransactionId, transactionLinkId, ...card } = CARD.parse(row);
  const networkReference = { transactionId: networkTransactionId, linkId: transactionLinkId };
  return { ...card, number: { dataKeyId, bytes: sealedNumber }, networkReference };
}

/** `isUsed`: the acquirer has just verified it. */
export type VaultCardRow = {
  readonly card: VaultCard;
  /** The card's fingerprints under every key still in use; first the one that new cards get.  */
  readonly fingerprints: readonly [Fingerprint, ...Fingerprint[]];
  readonly cardSource: CardSource;
  readonly createdBy: string;
  readonly event: AuditEvent;
  readonly request: KeyedRequest | null;
};

/**
 * `sourceUsed`: a transaction or another stored card has the carrier. `keyRetired`: a key for sealing or
 * fingerprints was retired. `keyUsed`: the request's key made another card. `tooManyCopies`: stored as often
 * as allowed. All but `stored` wrote nothing.
 */
export type StoreResult = 'stored' | 'sourceUsed' | 'keyRetired' | 'keyUsed' | 'tooManyCopies';

/**
 * Locks the sealing key and the fingerprint key: a rotation waits, or one of them turns out to be retired.
 * Copies with the next fingerprint key would not be counted. These locks come first, so that who waits for a
 * rotation blocks no other store.
 */
const HOLD_KEYS = statement(
  'vault.hold_keys',
  `select data_key_id from data_keys where data_key_id = any($1::integer[]) and retired_at is null
   order by data_key_id for key share`,
);

/**
 * The idempotency key of a verified request (`$13`) is there and must be young: an old one was reported as
 * lost.
 */
const STORE = statement(
  'vault.store_card',
  `with claimed as (
     insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
     values ($1, $14::bytea, $2, $15::timestamptz)
     on conflict do nothing
     returning transaction_id
   ), held as (
     select transaction_id from claimed
     union all
     select c.transaction_id from card_source_locks c
     where c.merchant_id = $1 and c.source_hash = $14::bytea and c.transaction_id = $2
   ), awaited as (
     select k.key_hash from idempotency_keys k
     where k.merchant_id = $1 and k.key_hash = $16::bytea and k.resource_id = $2 and not k.is_done
       and k.created_at > now() - $19 * interval '1 millisecond'
   ), stored as (
     insert into vault_cards (merchant_id, vault_id, sealed_number, data_key_id, brand, first_six, last_four,
       expiration_month, expiration_year, holder_name, network_transaction_id, created_by, verified_at, first_used_at,
       card_fingerprint, transaction_link_id)
     select $1::text, $2::uuid, $3::bytea, $4::integer, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
       $11::text, $12::text, case when $13::boolean then now() end, case when $13::boolean then now() end, $20::bytea, $21::text
     from held where $16::bytea is null or not $13::boolean or exists (select from awaited)
     on conflict do nothing
     returning vault_id
   ), keyed as (
     select $1::text as merchant_id, $16::bytea as key_hash, $17::bytea as body_fingerprint,
       $18::integer as body_fingerprint_key_id, vault_id as resource_id from stored where not $13::boolean
   ), ${REMEMBER_KEYS}, made as (
     select $1::text as merchant_id, $16::bytea as key_hash, vault_id as resource_id from stored where $13::boolean
   ), ${FINISH_KEYS}
   select vault_id from stored`,
);

const CLAIM = statement(
  'vault.lock_card_source',
  `with claimed as (
     insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
     values ($1, $2, $3::uuid, $4)
     on conflict do nothing
     returning transaction_id
   ), keyed as (
     select $1::text as merchant_id, $5::bytea as key_hash, $6::bytea as body_fingerprint,
       $7::integer as body_fingerprint_key_id, transaction_id as resource_id from claimed
   ), ${RESERVE_KEYS}
   select transaction_id from claimed`,
);

/** The locks of a card that is verified before it is stored. */
export type CardSourceLock = {
  readonly merchantId: string;
  readonly vaultId: string;
  readonly cardSource: CardSource;
  readonly request: KeyedRequest | null;
};

/**
 * Locks card source and key for the future card before the acquirer is asked, so that neither can be verified
 * repeatedly. `sourceUsed`, `keyUsed`: nothing was locked. If the process dies the locks stay, the source's
 * until its expiry.
 */
export async function lockCardSource(
  database: Database,
  { merchantId, vaultId, cardSource, request }: CardSourceLock,
): Promise<'claimed' | 'sourceUsed' | 'keyUsed'> {
  const expiresAt = new Date(cardSource.expiresAt).toISOString();
  const values = [merchantId, cardSource.hash, vaultId, expiresAt, ...keyValues(request)];
  try {
    return (await database.query(CLAIM, values)).length === 1 ? 'claimed' : 'sourceUsed';
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

const RELEASE = statement(
  'vault.unlock_card_source',
  `with unkeyed as (
     select $1::text as merchant_id, $4::bytea as key_hash, $3::uuid as resource_id,
       now() - $5 * interval '1 millisecond' as reserved_after
   ), ${FREE_RESERVED_KEYS}
   delete from card_source_locks where merchant_id = $1 and source_hash = $2 and transaction_id = $3::uuid`,
);

/** Undoes `lockCardSource`; a key reported as lost stays. */
export async function unlockCardSource(
  database: Database,
  { merchantId, vaultId, cardSource, request }: CardSourceLock,
): Promise<void> {
  const keyHash = request?.keyHash ?? null;
  await database.query(RELEASE, [merchantId, cardSource.hash, vaultId, keyHash, MAKING_MILLISECONDS]);
}

const FATE = rowCodec({
  isStored: column.boolean('exists (select 1 from vault_cards where merchant_id = $1 and vault_id = $2)'),
});

const FIND_FATE = statement('vault.find_fate', `select ${FATE.columns}`);

/** Every commit waits for the end of the audit log: more at once would only hold connections. */
export const LIMITS = { statementsInFlight: 2, waitingCallers: 500 };

/**
 * Writes key, card and audit entry in one commit, which limits the copies. It may be repeated: each caller
 * brings a new id, so a card that is there was written by its own earlier try.
 */
export function vaultCardsWrite(
  database: Database,
  audit: Audit,
  mostCopies: number,
): BatchedWriteOptions<VaultCardRow, StoreResult> {
  return oneByOne({
    name: 'vaultCards',
    isRefusal: (result) => result === 'sourceUsed' || result === 'tooManyCopies',
    key: (row) => row.card.vaultId,
    merchant: (row) => row.card.merchantId,
    limits: LIMITS,
    write: (row) => storeCard(database, audit, row, mostCopies),
  });
}

async function storeCard(
  database: Database,
  audit: Audit,
  row: VaultCardRow,
  mostCopies: number,
): Promise<StoreResult> {
  const { merchantId, vaultId, number } = row.card;
  const copies = copiesOf(row.card, row.fingerprints);
  const keys = [number.dataKeyId, row.fingerprints[0].keyId];
  const store = async (tx: AuditedTx): Promise<StoreResult> => {
    const held = await tx.query(HOLD_KEYS, [keys]);
    if (held.length !== keys.length) return 'keyRetired';
    if (!(await lockCopies(tx, copies)))
      throw new PassingFault('the card is being stored by another request');
    if (await isAnotherCopyRefused(tx, copies, vaultId, mostCopies)) return 'tooManyCopies';
    const stored = await tx.query(STORE, storeValues(row));
    if (stored.length === 0) return 'sourceUsed';
    tx.record(row.event);
    return 'stored';
  };
  const result = await audit.transaction(store, { merchantId }).catch((error): StoreResult => {
    if (isKeyTaken(error)) return 'keyUsed';
    // Its keys are being rotated: another try will succeed.
    if (!(error instanceof Overloaded) && hasSqlState(error, SQL_STATE.lockNotAvailable))
      throw new PassingFault('the keys of the card are locked', { cause: error });
    throw error;
  });
  if (result !== 'sourceUsed' && result !== 'keyRetired') return result;
  // An earlier try, whose connection was lost, may have stored it.
  const [fate] = await database.query(FIND_FATE, [merchantId, vaultId]);
  return FATE.parse(fate as Row).isStored ? 'stored' : result;
}

function storeValues({ card, fingerprints, cardSource, createdBy, request }: VaultCardRow): unknown[] {
  return [
    card.merchantId,
    card.vaultId,
    card.number.bytes,
    card.number.dataKeyId,
    card.brand,
    card.firstSix,
    card.lastFour,
    card.expirationMonth,
    card.expirationYear,
    card.holderName,
    card.networkReference.transactionId,
    createdBy,
    card.isUsed,
    cardSource.hash,
    new Date(cardSource.expiresAt).toISOString(),
    ...keyValues(request),
    MAKING_MILLISECONDS,
    fingerprints[0].print,
    card.networkReference.linkId,
  ];
}

const SHOWN = `${SHOWN_CARD.columns}
   from page g cross join lateral (
     select * from vault_cards where merchant_id = $1 and vault_id = g.vault_id limit 1
   ) v`;

const ALL = pageOf({
  name: 'vault.list_all',
  before: `counted as materialized (
     select count(*) as total from (select from vault_cards where merchant_id = $1 {counted}) c
   )`,
  keys: 'select vault_id from vault_cards where merchant_id = $1',
  key: 'vault_id',
  order: ['vault_id'],
  shown: SHOWN,
});

/** Reads the index of last digits, which has the ids of each in order. */
const OF_LAST_FOUR = pageOf({
  name: 'vault.list_of_last_four',
  before: `counted as materialized (
     select count(*) as total from (select from vault_cards where merchant_id = $1 and last_four = $4 {counted}) c
   )`,
  keys: 'select vault_id from vault_cards where merchant_id = $1 and last_four = $4',
  key: 'vault_id',
  order: ['vault_id'],
  shown: SHOWN,
});

export async function listCards(
  database: Reader,
  merchantId: string,
  wanted: WantedCards,
): Promise<Page<ShownCard>> {
  const { lastFour } = wanted;
  const { rows, total } =
    lastFour === null
      ? await readPageOf(database, ALL, merchantId, wanted, [])
      : await readPageOf(database, OF_LAST_FOUR, merchantId, wanted, [lastFour]);
  return { items: rows.map(SHOWN_CARD.parse), total };
}
