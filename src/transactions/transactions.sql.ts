import { keyColumns, racingForKeys } from '../idempotency/idempotency-keys.sql.ts';
import { type Database, type Row, statement } from '../platform/postgres/database.ts';
import type { GatheredWriteOptions } from '../platform/postgres/gathered-writes.ts';
import type { Cents } from '../values/cents.ts';
import { type Instant, saoPauloOffsetText } from '../values/instant.ts';
import type { Deliverer } from '../webhooks/deliveries/delivery.ts';
import { parseDeliveryToSend, SENDING_COLUMNS, SENDING_JOINS } from '../webhooks/deliveries/to-send.sql.ts';
import { IS_WAITING, TOLD_CALLBACKS, TOLD_MOVEMENTS } from './movements/movement-deliveries.sql.ts';
import type { Share } from './split.ts';
import type { Intent } from './transaction.ts';

export type IntentRow = Intent & { readonly leaseMilliseconds: number };

/**
 * `carrierUsed`, `codeUsed`: another transaction has the card's carrier or the anti-fraud code. `keyUsed`: the request's key
 * made another transaction. Nothing was written.
 */
export type IntentResult = 'committed' | 'carrierUsed' | 'codeUsed' | 'keyUsed';

const COMMIT_INTENTS = statement(
  'transactions.commit_intents',
  `with input as (
     select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::smallint[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::bytea[], $12::bytea[], $13::timestamptz[], $14::uuid[], $15::text[],
       $16::jsonb[], $17::text[], $18::timestamptz[], $19::integer[], $20::uuid[], $21::text[], $22::integer[],
       $23::uuid[], $24::text[], $25::text[], $26::bytea[], $27::bytea[], $28::bytea[], $29::bytea[], $30::jsonb[],
       $31::bytea[], $32::bytea[], $33::integer[])
     as i (merchant_id, transaction_id, account_number, origin, amount, installment_count, reference_transaction,
       card_brand, card_first_six, card_last_four, card_fingerprint, carrier_hash, carrier_expires_at, anti_fraud_code,
       callback_url, customer, created_by, sold_at, lease, vault_id, initiator, fingerprint_key_id, code,
       anti_fraud_verdict, anti_fraud_reasons, card_print, document_print, address_print, device_print,
       split, key_hash, body_print, print_key_id)
   ), one_for_each_key as (
     select distinct on (i.merchant_id, i.key_hash) i.transaction_id from input i left join lateral (
       select true as is_taken from idempotency_keys o
       where o.merchant_id = i.merchant_id and o.key_hash = i.key_hash limit 1
     ) k on true
     where i.key_hash is not null and k.is_taken is null
     order by i.merchant_id, i.key_hash, i.transaction_id
   ), fresh as (
     select i.* from input i left join one_for_each_key o using (transaction_id)
     where i.key_hash is null or o.transaction_id is not null
   ), one_for_each_code as (
     select distinct on (merchant_id, code) merchant_id, code, transaction_id from fresh where code is not null
     order by merchant_id, code, transaction_id
   ), held as materialized (
     select c.merchant_id, c.code, o.transaction_id
     from one_for_each_code o join anti_fraud_codes c on c.merchant_id = o.merchant_id and c.code = o.code
     where c.transaction_id is null and c.expires_at > now()
     order by c.merchant_id, c.code
     for no key update of c
   ), claimed as (
     insert into card_claims (merchant_id, carrier_hash, transaction_id, expires_at)
     select i.merchant_id, i.carrier_hash, i.transaction_id, i.carrier_expires_at from fresh i
     where i.carrier_hash is not null and (i.code is null or i.transaction_id in (select transaction_id from held))
     order by i.merchant_id, i.carrier_hash
     on conflict do nothing
     returning transaction_id
   ), admitted as (
     select i.transaction_id from fresh i left join claimed c using (transaction_id) left join held h using (transaction_id)
     where (i.carrier_hash is null or c.transaction_id is not null) and (i.code is null or h.transaction_id is not null)
   ), marked as (
     update anti_fraud_codes c set transaction_id = h.transaction_id from held h join admitted using (transaction_id)
     where c.merchant_id = h.merchant_id and c.code = h.code
   ), written as (
     insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
       reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, carrier_hash,
       anti_fraud_code, callback_url, customer, created_by, sold_at, due_at, vault_id, initiator, fingerprint_key_id,
       anti_fraud_verdict, anti_fraud_reasons, split)
     select i.merchant_id, i.transaction_id, i.account_number, i.origin, 'charging', i.amount, i.installment_count,
       i.reference_transaction, i.card_brand, i.card_first_six, i.card_last_four, i.card_fingerprint, i.carrier_hash,
       i.anti_fraud_code, i.callback_url, i.customer, i.created_by, i.sold_at,
       now() + i.lease * interval '1 millisecond', i.vault_id, i.initiator, i.fingerprint_key_id,
       i.anti_fraud_verdict, i.anti_fraud_reasons, i.split
     from input i join admitted using (transaction_id)
     on conflict do nothing
     returning transaction_id
   ), counted as (
     insert into anti_fraud_attempts (merchant_id, transaction_id, card_print, document_print, address_print,
       device_print)
     select i.merchant_id, i.transaction_id, i.card_print, i.document_print, i.address_print, i.device_print
     from input i join written using (transaction_id) where i.card_print is not null
     on conflict do nothing
   ), remembered as (
     insert into idempotency_keys (merchant_id, key_hash, body_print, print_key_id, resource_id)
     select i.merchant_id, i.key_hash, i.body_print, i.print_key_id, i.transaction_id
     from input i join written w using (transaction_id) where i.key_hash is not null
     order by i.merchant_id, i.key_hash
   )
   select i.transaction_id, w.transaction_id is not null as is_written, f.transaction_id is null as is_key_used,
     i.code is not null and h.transaction_id is null as is_code_used,
     1 / (w.transaction_id is not null or a.transaction_id is null
       or (c.transaction_id is null and h.transaction_id is null))::integer as is_in_time
   from input i left join fresh f using (transaction_id) left join written w using (transaction_id)
     left join held h using (transaction_id) left join claimed c using (transaction_id)
     left join admitted a using (transaction_id)`,
);

const FIND_STATES = statement(
  'transactions.find_states',
  `select t.transaction_id, t.state, t.fence
   from unnest($1::text[], $2::uuid[]) as i (merchant_id, transaction_id)
   join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id`,
);

/**
 * The intent: claims on the anti-fraud code (where codes must be ours) and on the carrier (a stored card has none), the
 * transaction in state `charging` and what anti-fraud counts, before the acquirer is called. The codes' rows are locked
 * before the first carrier is taken, and marked only where the carrier was: see decision 0017. Repeatable: a row that is
 * there already was written by an earlier try of the same caller, for the id is new for each charge.
 *
 * A first try whose connection broke may run as late as after the decline that gave the carrier back: it would take carrier and
 * code again for a transaction that is there already, and nobody would ever give them back. `is_in_time` divides by zero then,
 * so that nothing of it is committed.
 *
 * The request's key comes last, after every lock, and without `on conflict`: one that another process commits meanwhile
 * rolls the statement back, so that no claim of a request that comes too late is left behind.
 */
export function intentsWrite(database: Database): GatheredWriteOptions<IntentRow, IntentResult> {
  return {
    name: 'intents',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    bytes: (row) => 500 + (row.customer?.length ?? 0) + 50 * (row.split?.entries.length ?? 0),
    write: async (rows) => {
      const told = await racingForKeys(() => database.query(COMMIT_INTENTS, intentColumns(rows)));
      const written = idsOf(told.filter((row) => row.is_written));
      const keyUsed = idsOf(told.filter((row) => row.is_key_used));
      const codeUsed = idsOf(told.filter((row) => row.is_code_used));
      const missing = rows.filter((row) => !written.has(row.transactionId));
      const present = missing.length === 0 ? new Set() : idsOf(await findStates(database, missing));
      return new Map(
        rows.map(({ transactionId }) => {
          const isThere = written.has(transactionId) || present.has(transactionId);
          if (isThere) return [transactionId, 'committed'];
          if (keyUsed.has(transactionId)) return [transactionId, 'keyUsed'];
          return [transactionId, codeUsed.has(transactionId) ? 'codeUsed' : 'carrierUsed'];
        }),
      );
    },
  };
}

function intentColumns(rows: readonly IntentRow[]): unknown[][] {
  return [
    rows.map((row) => row.merchantId),
    rows.map((row) => row.transactionId),
    rows.map((row) => row.accountNumber),
    rows.map((row) => row.origin),
    rows.map((row) => row.amount),
    rows.map((row) => row.installmentCount),
    rows.map((row) => row.referenceTransaction),
    rows.map((row) => row.trace.brand),
    rows.map((row) => row.trace.firstSix),
    rows.map((row) => row.trace.lastFour),
    rows.map((row) => row.trace.fingerprint),
    rows.map((row) => row.carrier?.hash ?? null),
    rows.map((row) => (row.carrier === null ? null : textOf(row.carrier.expiresAt))),
    rows.map((row) => row.antiFraudCode),
    rows.map((row) => row.callbackUrl),
    rows.map((row) => row.customer),
    rows.map((row) => row.createdBy),
    rows.map((row) => textOf(row.soldAt)),
    rows.map((row) => row.leaseMilliseconds),
    rows.map((row) => row.stored?.vaultId ?? null),
    rows.map((row) => row.initiator),
    rows.map((row) => row.trace.fingerprintKeyId),
    rows.map((row) => row.codeToClaim),
    rows.map((row) => row.verdict),
    rows.map((row) => row.verdictReasons),
    rows.map((row) => row.attempt?.cardPrint ?? null),
    rows.map((row) => row.attempt?.documentPrint ?? null),
    rows.map((row) => row.attempt?.addressPrint ?? null),
    rows.map((row) => row.attempt?.devicePrint ?? null),
    rows.map((row) => (row.split === null ? null : JSON.stringify(row.split))),
    ...keyColumns(rows),
  ];
}

/** What the acquirer answered, for one transaction that this process is charging (its fence says so). */
export type OutcomeRow = {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly fence: number;
  readonly state: 'approved' | 'declined' | 'settling';
  readonly authorizationCode: string | null;
  readonly nsu: string | null;
  readonly networkTransactionId: string | null;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly unknownReason: string | null;
  /** The installments of an approval; empty otherwise. */
  readonly installments: readonly Cents[];
  /** Of those installments; empty without a split. */
  readonly shares: readonly Share[];
  /** Business time of the change. */
  readonly moment: Instant;
};

/** Whether the outcome is the one on record. False: another process took the charge over before. */
export type OutcomeResult = { readonly isRecorded: boolean };

const COMMIT_OUTCOMES = statement(
  'transactions.commit_outcomes',
  `with input as (
     select * from unnest($1::text[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::timestamptz[], $20::text[], $21::integer[])
     as i (merchant_id, transaction_id, fence, state, authorization_code, nsu, network_transaction_id, response_code,
       advice_code, unknown_reason, moment, moment_text, lease)
   ), locked as (
     select t.merchant_id, t.transaction_id, t.account_number, t.carrier_hash, t.anti_fraud_code, t.vault_id, i.state,
       i.authorization_code, i.nsu, i.network_transaction_id, i.response_code, i.advice_code, i.unknown_reason, i.moment,
       i.moment_text, i.lease, t.callback_url, t.amount, t.installment_count
     from input i join transactions t on t.merchant_id = i.merchant_id and t.transaction_id = i.transaction_id
     where t.state = 'charging' and t.fence = i.fence
     order by t.merchant_id, t.transaction_id
     for no key update of t
   ), changed as (
     update transactions t set state = l.state, authorization_code = l.authorization_code, nsu = l.nsu,
       network_transaction_id = l.network_transaction_id, response_code = l.response_code,
       advice_code = l.advice_code, unknown_reason = l.unknown_reason,
       decided_at = case when l.state = 'settling' then null else now() end,
       approved_at = case when l.state = 'approved' then l.moment end,
       due_at = case when l.state = 'settling' then now() end
     from locked l
     where t.merchant_id = l.merchant_id and t.transaction_id = l.transaction_id
     returning t.transaction_id
   ), parts as (
     insert into installments (merchant_id, transaction_id, installment_number, amount, state)
     select l.merchant_id, l.transaction_id, p.installment_number, p.amount, 'authorized'
     from unnest($12::uuid[], $13::smallint[], $14::bigint[]) as p (transaction_id, installment_number, amount)
     join locked l using (transaction_id)
   ), moves as (
     insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
       authorization_code, moment)
     select l.merchant_id, l.account_number, l.transaction_id, p.installment_number, 'Autorizacao', 'authorized', l.nsu,
       l.authorization_code, l.moment
     from unnest($12::uuid[], $13::smallint[], $14::bigint[]) as p (transaction_id, installment_number, amount)
     join locked l using (transaction_id)
     returning *
   ), news as (
     select l.*, case l.state when 'approved' then '0' when 'declined' then l.response_code end as callback_status
     from locked l
   ), ${TOLD_MOVEMENTS}, ${TOLD_CALLBACKS}, leased as (
     select * from told_movements where fence > 0 union all select * from told_callbacks where fence > 0
   ), divided as (
     insert into shares (merchant_id, transaction_id, installment_number, position, beneficiary, amount)
     select l.merchant_id, l.transaction_id, s.installment_number, s.position, s.beneficiary, s.amount
     from unnest($15::uuid[], $16::smallint[], $17::smallint[], $18::text[], $19::bigint[])
       as s (transaction_id, installment_number, position, beneficiary, amount)
     join locked l using (transaction_id)
   ), released as (
     delete from card_claims c using locked l
     where l.state = 'declined' and c.merchant_id = l.merchant_id and c.carrier_hash = l.carrier_hash
       and c.transaction_id = l.transaction_id
   ), released_codes as (
     update anti_fraud_codes c set transaction_id = null from locked l
     where l.state = 'declined' and c.merchant_id = l.merchant_id and c.code = l.anti_fraud_code
       and c.transaction_id = l.transaction_id
   ), declined_attempts as (
     update anti_fraud_attempts a set is_declined = true from locked l
     where l.state = 'declined' and a.merchant_id = l.merchant_id and a.transaction_id = l.transaction_id
   ), first_used as (
     select v.merchant_id, v.vault_id, l.network_transaction_id
     from locked l join vault_cards v on v.merchant_id = l.merchant_id and v.vault_id = l.vault_id
     where l.state = 'approved' and l.vault_id is not null and v.first_used_at is null
     order by v.merchant_id, v.vault_id
     for no key update of v skip locked
   ), marked as (
     update vault_cards v set first_used_at = now(), network_transaction_id = f.network_transaction_id
     from first_used f
     where v.merchant_id = f.merchant_id and v.vault_id = f.vault_id
   )
   select c.transaction_id, ${IS_WAITING}, l.*
   from changed c full join (
     select d.transaction_id as told_of, ${SENDING_COLUMNS} from leased d ${SENDING_JOINS}
   ) l on l.told_of = c.transaction_id`,
);

/**
 * The outcome: transaction, installments, shares, first movements and what merchants are told of them, on a decline the release of
 * carrier and anti-fraud code and the mark of its attempt, and the mark of a stored card's first use, in one statement. Expects the state `charging` and the
 * caller's fence. A stored card that somebody else has locked (another first use, a deletion, a new sealing) is left alone,
 * so that nothing waits or deadlocks here: its caller marks it afterwards. Repeatable: what an earlier try wrote is
 * recognised by state and fence, because only this caller can have written them; deliveries of such a try are not written again,
 * and those that it leased are sent when the lease ends.
 */
export function outcomesWrite(
  database: Database,
  deliverer: Deliverer,
): GatheredWriteOptions<OutcomeRow, OutcomeResult> {
  return {
    name: 'outcomes',
    key: (row) => row.transactionId,
    merchant: (row) => row.merchantId,
    bytes: (row) => 300 + 50 * row.installments.length + 60 * row.shares.length,
    write: async (rows) => {
      const leases = leasesOf(rows, deliverer.leaseForNow());
      const changed = await database.query(COMMIT_OUTCOMES, outcomeColumns(rows, leases));
      sendSoon(deliverer, changed);
      const recorded = idsOf(changed);
      const missing = rows.filter((row) => !recorded.has(row.transactionId));
      const states = missing.length === 0 ? [] : await findStates(database, missing);
      const stateOf = new Map(states.map((row) => [row.transaction_id as string, row]));
      return new Map(
        rows.map(({ transactionId, state, fence }) => {
          const present = stateOf.get(transactionId);
          const isOurs = present !== undefined && present.state === state && present.fence === fence;
          return [transactionId, { isRecorded: recorded.has(transactionId) || isOurs }];
        }),
      );
    },
  };
}

/** Of a statement: more would wait here for their turn while the work has room elsewhere. */
const MOST_LEASED = 64;

/** Milliseconds for which each row's deliveries are leased; 0 for those that would be too many. */
function leasesOf(rows: readonly OutcomeRow[], milliseconds: number): number[] {
  let room = MOST_LEASED;
  return rows.map(({ installments }) => {
    // One for each movement and one for the callback.
    room -= installments.length + 1;
    return room >= 0 ? milliseconds : 0;
  });
}

/** After those who wait for their payment have been answered. */
function sendSoon(deliverer: Deliverer, changed: readonly Row[]): void {
  const leased = changed.filter((row) => row.delivery_number !== null).map(parseDeliveryToSend);
  const isWaiting = changed.some((row) => row.is_waiting);
  if (leased.length === 0 && !isWaiting) return;
  setImmediate(() => {
    if (leased.length > 0) deliverer.sendNow(leased);
    if (isWaiting) deliverer.ring();
  });
}

function outcomeColumns(rows: readonly OutcomeRow[], leases: readonly number[]): unknown[][] {
  const parts = rows.flatMap((row) =>
    row.installments.map((amount, index) => ({ id: row.transactionId, number: index + 1, amount })),
  );
  const shares = rows.flatMap(({ transactionId, shares: own }) =>
    own.map((share) => ({ ...share, id: transactionId })),
  );
  return [
    rows.map((row) => row.merchantId),
    rows.map((row) => row.transactionId),
    rows.map((row) => row.fence),
    rows.map((row) => row.state),
    rows.map((row) => row.authorizationCode),
    rows.map((row) => row.nsu),
    rows.map((row) => row.networkTransactionId),
    rows.map((row) => row.responseCode),
    rows.map((row) => row.adviceCode),
    rows.map((row) => row.unknownReason),
    rows.map((row) => textOf(row.moment)),
    parts.map((part) => part.id),
    parts.map((part) => part.number),
    parts.map((part) => part.amount),
    shares.map((share) => share.id),
    shares.map((share) => share.installmentNumber),
    shares.map((share) => share.position),
    shares.map((share) => share.beneficiary),
    shares.map((share) => share.amount),
    rows.map((row) => saoPauloOffsetText(row.moment)),
    [...leases],
  ];
}

function findStates(
  database: Database,
  rows: readonly { merchantId: string; transactionId: string }[],
): Promise<Row[]> {
  return database.query(FIND_STATES, [
    rows.map((row) => row.merchantId),
    rows.map((row) => row.transactionId),
  ]);
}

function idsOf(rows: readonly Row[]): Set<unknown> {
  return new Set(rows.map((row) => row.transaction_id));
}

function textOf(moment: Instant): string {
  return new Date(moment).toISOString();
}
