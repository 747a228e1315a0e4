import type { BatchedReadOptions } from '../platform/postgres/batched-reads.ts';
import { type Database, type Statement, statement, type Tx } from '../platform/postgres/database.ts';
import { forgetting } from '../platform/postgres/forgetting.ts';
import { type InputColumns, inputRows, own } from '../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import type { CardBrand } from '../values/card-number.ts';
import type { VelocityEvent } from './anti-fraud.ts';
import { addCounts, type Counts, MOST_ATTEMPTS_COUNTED, type Subject } from './velocity.ts';

/** `print` null: the merchant itself. */
export type SubjectFingerprint = { readonly subject: Subject; readonly print: Buffer | null };

/** A sale's subjects. One subject may have several fingerprints, one of each key. */
export type CountsKey = { readonly merchantId: string; readonly prints: readonly SubjectFingerprint[] };

export type SaleCounts = Readonly<Partial<Record<Subject, Counts>>>;

const COUNTS = `select
    count(*) filter (where attempted_at > now() - interval '1 minute') as minute_attempts,
    count(*) filter (where attempted_at > now() - interval '1 minute' and is_declined) as minute_declines,
    count(*) filter (where attempted_at > now() - interval '1 hour') as hour_attempts,
    count(*) filter (where attempted_at > now() - interval '1 hour' and is_declined) as hour_declines,
    count(*) as day_attempts,
    count(*) filter (where is_declined) as day_declines`;

/** Counts different cards. Each window sorts them, which costs more than all other counts. */
const CARDS = `count(distinct card_fingerprint) filter (where attempted_at > now() - interval '1 minute') as minute_cards,
    count(distinct card_fingerprint) filter (where attempted_at > now() - interval '1 hour') as hour_cards,
    count(distinct card_fingerprint) as day_cards`;
const NO_CARDS = '0::bigint as minute_cards, 0::bigint as hour_cards, 0::bigint as day_cards';

const COUNTED = rowCodec({
  /** The place of the fingerprint in the input, from 1. */
  position: column.whole(),
  minuteAttempts: column.whole(),
  minuteDeclines: column.whole(),
  minuteCards: column.whole(),
  hourAttempts: column.whole(),
  hourDeclines: column.whole(),
  hourCards: column.whole(),
  dayAttempts: column.whole(),
  dayDeclines: column.whole(),
  dayCards: column.whole(),
});

type Counted = RowOf<typeof COUNTED>;

const NEWEST_OF_A_DAY = `a.attempted_at > now() - interval '1 day' order by a.attempted_at desc limit $4`;

const WANTED = inputRows<SubjectFingerprint & { readonly merchantId: string }>(
  {
    ...own({ merchantId: 'text', subject: 'text', print: 'bytea' }),
  },
  { place: 'position' },
);

/** One branch per subject, so that each uses its own index. */
const COUNT_OF_BUYERS = `with wanted as materialized (
     select merchant_id, subject, print, position
     from ${WANTED.sql}
   )
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${CARDS} from (
     select a.attempted_at, a.is_declined, a.card_fingerprint from velocity_events a
     where a.merchant_id = w.merchant_id and a.card_fingerprint = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'card'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${CARDS} from (
     select a.attempted_at, a.is_declined, a.card_fingerprint from velocity_events a
     where a.merchant_id = w.merchant_id and a.document_fingerprint = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'document'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${CARDS} from (
     select a.attempted_at, a.is_declined, a.card_fingerprint from velocity_events a
     where a.merchant_id = w.merchant_id and a.address_fingerprint = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'address'
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${CARDS} from (
     select a.attempted_at, a.is_declined, a.card_fingerprint from velocity_events a
     where a.merchant_id = w.merchant_id and a.device_fingerprint = w.print and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'device'`;

/**
 * The index of all of a merchant's tries has `merchant_id || ''`, so that the other branches leave it alone:
 * with it they would read a whole day.
 */
const TRIES_OF_MERCHANT = `from (
     select a.attempted_at, a.is_declined, a.card_fingerprint from velocity_events a
     where a.merchant_id = w.merchant_id and a.merchant_id || '' = w.merchant_id and ${NEWEST_OF_A_DAY}
   ) newest) c where w.subject = 'merchant'`;

const COUNT = statement(
  'antifraud.count_attempts',
  `${COUNT_OF_BUYERS}
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${CARDS} ${TRIES_OF_MERCHANT}`,
);

/**
 * Every sale reads up to 500 tries of its merchant. Different cards among them are counted only if a rule
 * asks for it.
 */
const COUNT_WITHOUT_MERCHANTS_CARDS = statement(
  'antifraud.count_but_merchants_cards',
  `${COUNT_OF_BUYERS}
   union all
   select w.position, c.* from wanted w, lateral (${COUNTS}, ${NO_CARDS} ${TRIES_OF_MERCHANT}`,
);

/**
 * Counts velocity events in sliding windows of real time. One key is a whole sale. All sales that wait share
 * one statement, and a subject that they have in common (mostly the merchant) is counted once. How many
 * different cards a merchant had is 0 unless `countsMerchantsCards`.
 */
export function countsRead(
  database: Database,
  countsMerchantsCards: boolean,
): BatchedReadOptions<CountsKey, SaleCounts> {
  const count = countsMerchantsCards ? COUNT : COUNT_WITHOUT_MERCHANTS_CARDS;
  return {
    name: 'anti-fraud counts',
    textOf: ({ merchantId, prints }) => prints.map((print) => printText(merchantId, print)).join(),
    async read(sales) {
      const wanted = new Map(
        sales.flatMap(({ merchantId, prints }) =>
          prints.map((print) => [printText(merchantId, print), { merchantId, ...print }] as const),
        ),
      );
      const counted = await countFingerprints(database, count, wanted);
      return new Map(
        sales.map(({ merchantId, prints }) => {
          const texts = prints.map((print) => printText(merchantId, print));
          return [
            texts.join(),
            addedUp(prints.map(({ subject }, at) => [subject, counted.get(texts[at] as string) as Counts])),
          ];
        }),
      );
    },
  };
}

async function countFingerprints(
  database: Database,
  count: Statement,
  wanted: ReadonlyMap<string, SubjectFingerprint & { readonly merchantId: string }>,
): Promise<Map<string, Counts>> {
  const texts = [...wanted.keys()];
  const rows = await database.query(count, [...WANTED.values([...wanted.values()]), MOST_ATTEMPTS_COUNTED]);
  return new Map(
    rows.map(COUNTED.parse).map((counted) => [texts[counted.position - 1] as string, countsOf(counted)]),
  );
}

/** Events from before a key rotation have the earlier key's fingerprint, so a subject may occur twice. */
function addedUp(counted: readonly (readonly [Subject, Counts])[]): SaleCounts {
  const counts: Partial<Record<Subject, Counts>> = {};
  for (const [subject, more] of counted) {
    const earlier = counts[subject];
    counts[subject] = earlier === undefined ? more : addCounts(earlier, more);
  }
  return counts;
}

function printText(merchantId: string, { subject, print }: SubjectFingerprint): string {
  return `${merchantId}|${subject}|${print?.toString('hex') ?? ''}`;
}

function countsOf(counted: Counted): Counts {
  const { minuteAttempts, minuteDeclines, minuteCards } = counted;
  const { hourAttempts, hourDeclines, hourCards } = counted;
  const { dayAttempts, dayDeclines, dayCards } = counted;
  return {
    minute: { attempts: minuteAttempts, declines: minuteDeclines, cards: minuteCards },
    hour: { attempts: hourAttempts, declines: hourDeclines, cards: hourCards },
    day: { attempts: dayAttempts, declines: dayDeclines, cards: dayCards },
  };
}

/** Counted columns of a sale's row; all null: nothing is counted. */
export const VELOCITY_COLUMNS = {
  velocity_card: ['bytea', ({ attempt }) => attempt?.cardFingerprint ?? null],
  velocity_document: ['bytea', ({ attempt }) => attempt?.documentFingerprint ?? null],
  velocity_address: ['bytea', ({ attempt }) => attempt?.addressFingerprint ?? null],
  velocity_device: ['bytea', ({ attempt }) => attempt?.deviceFingerprint ?? null],
  velocity_is_stored: ['boolean', ({ attempt }) => attempt?.isCardStored ?? null],
} as const satisfies InputColumns<{ readonly attempt: VelocityEvent | null }>;

/** CTE `counted`. Reads CTE `tried`: merchant_id, transaction_id and `VELOCITY_COLUMNS`. */
export const COUNT_TRIES = `counted as (
     insert into velocity_events (merchant_id, transaction_id, card_fingerprint, document_fingerprint, address_fingerprint,
       device_fingerprint, is_stored)
     select merchant_id, transaction_id, velocity_card, velocity_document, velocity_address, velocity_device,
       velocity_is_stored
     from tried where velocity_card is not null
     on conflict do nothing
   )`;

/**
 * Issuer codes of the classes `technical` and `invalid`. They say nothing about the card: an issuer that is
 * down declines good cards too. Copied from the issuer-code table, because a statement is constant text.
 */
export const CODES_OF_NO_CARD = `
  'visa 03', 'visa 12', 'visa 19', 'visa 13', 'visa 92', 'visa 94', 'visa 91', 'visa 96',
  'mastercard 03', 'mastercard 30', 'mastercard 13', 'mastercard 12', 'mastercard 92', 'mastercard 94', 'mastercard 91', 'mastercard 96',
  'amex 109', 'amex 181', 'amex 110', 'amex 115', 'amex 912', 'amex 911',
  'elo 58', 'elo 30', 'elo 19', 'elo 13', 'elo 23', 'elo 64', 'elo 04', 'elo 06', 'elo 91', 'elo 96',
  'hipercard 03', 'hipercard 30', 'hipercard 13', 'hipercard 12', 'hipercard 92', 'hipercard 94', 'hipercard 91', 'hipercard 96'`;

/** Reads CTE `given_back`: merchant_id, transaction_id, is_declined, card_brand and response_code. */
export const COUNT_DECLINES = `declined_tries as (
     update velocity_events a set is_declined = true,
       is_card_refused = g.card_brand || ' ' || coalesce(g.response_code, '') not in (${CODES_OF_NO_CARD})
     from given_back g
     where g.is_declined and a.merchant_id = g.merchant_id and a.transaction_id = g.transaction_id
   )`;

/** Deletes tries that were never sent to the acquirer. Reads CTE `given_back`. */
export const UNCOUNT_TRIES = `uncounted as (
     delete from velocity_events a using given_back g
     where a.merchant_id = g.merchant_id and a.transaction_id = g.transaction_id
   )`;

const WRITE_VERIFICATION = statement(
  'antifraud.write_verification',
  `insert into velocity_events (merchant_id, transaction_id, card_fingerprint, document_fingerprint,
     address_fingerprint, device_fingerprint, is_verification)
   values ($1, $2, $3, $4, $5, $6, true) on conflict do nothing`,
);

/** Records a verification as a try, under the stored card's future id, which no transaction has. */
export async function writeVerification(
  database: Database,
  event: VelocityEvent & { readonly merchantId: string; readonly verificationId: string },
): Promise<void> {
  const { merchantId, verificationId } = event;
  await database.query(WRITE_VERIFICATION, [
    merchantId,
    verificationId,
    event.cardFingerprint,
    event.documentFingerprint,
    event.addressFingerprint,
    event.deviceFingerprint,
  ]);
}

const DECLINE_VERIFICATION = statement(
  'antifraud.decline_verification',
  `with given_back as (
     select $1::text as merchant_id, $2::uuid as transaction_id, true as is_declined, $3::text as card_brand,
       $4::text as response_code
   ), ${COUNT_DECLINES} select 1`,
);

export type DeclinedTry = { readonly brand: CardBrand; readonly responseCode: string };

export async function declineVerification(
  tx: Tx,
  merchantId: string,
  verificationId: string,
  { brand, responseCode }: DeclinedTry,
): Promise<void> {
  await tx.query(DECLINE_VERIFICATION, [merchantId, verificationId, brand, responseCode]);
}

const ERASE_VERIFICATION = statement(
  'antifraud.erase_verification',
  'delete from velocity_events where merchant_id = $1 and transaction_id = $2',
);

/** For a verification that was refused or never sent to the acquirer. */
export async function eraseVerification(
  database: Database,
  merchantId: string,
  verificationId: string,
): Promise<void> {
  await database.query(ERASE_VERIFICATION, [merchantId, verificationId]);
}

/** No window reaches them any more. */
export const deleteOldVelocityEvents = forgetting({
  table: 'velocity_events',
  by: 'expires_at',
  over: 'expires_at < now()',
});
