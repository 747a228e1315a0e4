import {
  type Database,
  type Reader,
  type Statement,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import type { PersonFilter } from '../../platform/postgres/personal-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import type { NamedBuyers } from '../payments/sought.ts';
import type { WordRange } from './buyer-words.ts';

export const SOURCES = ['card', 'pix', 'boleto', 'subscription'] as const;
export type Source = (typeof SOURCES)[number];

/** The age from which on rows are complete: no row with an earlier moment can appear any more. */
const SETTLED = `interval '30 seconds'`;

export type Place = { readonly readTo: string; readonly readId: string };

const PLACE = rowCodec<Place>({ readTo: column.text('read_to::text'), readId: column.text() });

const LOCK = statement(
  'buyer_cursors.lock',
  `select ${PLACE.columns} from buyer_cursors where source = $1 for update skip locked`,
);

/** Locks the place up to which a source was read. Null: another process reads this source. */
export async function lockCursor(tx: Tx, source: Source): Promise<Place | null> {
  return firstOf(await tx.query(LOCK, [source]), PLACE.parse);
}

const MOVE = statement(
  'buyer_cursors.move',
  'update buyer_cursors set read_to = $2::timestamptz, read_id = $3::uuid where source = $1',
);

export async function moveCursor(tx: Tx, source: Source, { readTo, readId }: Place): Promise<void> {
  await tx.query(MOVE, [source, readTo, readId]);
}

const BOUGHT = rowCodec(
  {
    merchantId: column.text(),
    ...PLACE.fields,
    readTo: column.text('o.read_to::text'),
    seenOn: column.day('o.seen_at::date'),
    isSettled: column.boolean(`o.read_to < now() - ${SETTLED}`),
    buyer: column.parsedBy(buyerOf, 'o.named'),
  },
  'o',
);

export type Bought = RowOf<typeof BOUGHT> & { readonly buyer: Buyer | null };

const IN_ORDER = 'order by read_to, read_id limit $3::bigint';
const SHOWN_IN_ORDER = 'o order by o.read_to, o.read_id limit $3::bigint';
const MADE = 'created_at >= $1::timestamptz and (created_at';
const CARDS = `select merchant_id, created_at as read_to, created_at as seen_at, transaction_id as read_id, customer as named from transactions
  where customer is not null and ${MADE}, transaction_id) > ($1::timestamptz, $2::uuid)`;

/**
 * The purchases behind a place, by the indexes that retention uses. Of cards, those with `due_at` are under
 * way, and few.
 */
const READS = {
  card: statement(
    'buyer_words.read_cards',
    `select ${BOUGHT.columns} from (
       (${CARDS} and due_at is null ${IN_ORDER}) union all (${CARDS} and due_at is not null ${IN_ORDER})
     ) ${SHOWN_IN_ORDER}`,
  ),
  pix: statement(
    'buyer_words.read_pix',
    `select ${BOUGHT.columns} from (
       select merchant_id, created_at as read_to, created_at as seen_at, pix_id as read_id, payer as named from pix_charges
       where payer is not null and ${MADE}, pix_id) > ($1::timestamptz, $2::uuid) ${IN_ORDER}
     ) ${SHOWN_IN_ORDER}`,
  ),
  boleto: statement(
    'buyer_words.read_boletos',
    `select ${BOUGHT.columns} from (
       select merchant_id, created_at as read_to, created_at as seen_at, boleto_id as read_id, payer as named from boletos
       where payer is not null and ${MADE}, boleto_id) > ($1::timestamptz, $2::uuid) ${IN_ORDER}
     ) ${SHOWN_IN_ORDER}`,
  ),
  subscription: statement(
    'buyer_words.read_subscriptions',
    `select ${BOUGHT.columns} from (
       select merchant_id, customer_written_at as read_to, case when state in ('canceled', 'completed', 'rejected', 'expired')
           then least(customer_written_at, state_since) else customer_written_at end as seen_at,
         subscription_id as read_id, customer as named
       from subscriptions where customer is not null and customer_written_at >= $1::timestamptz
         and (customer_written_at, subscription_id) > ($1::timestamptz, $2::uuid) ${IN_ORDER}
     ) ${SHOWN_IN_ORDER}`,
  ),
} as const satisfies Record<Source, Statement>;

export async function readBought(tx: Tx, source: Source, place: Place, limit: number): Promise<Bought[]> {
  return (await tx.query(READS[source], [place.readTo, place.readId, limit])).map(BOUGHT.parse);
}

/**
 * 0 if any source has a purchase behind its cursor, else null. Costs one step along an index for each source.
 */
export const BUYERS_UNREAD = statement(
  'buyer_words.unread',
  `select case when exists (select from buyer_cursors c cross join lateral (
         select from transactions where customer is not null and due_at is null
           and created_at >= c.read_to and (created_at, transaction_id) > (c.read_to, c.read_id) limit 1
       ) o where c.source = 'card')
     or exists (select from buyer_cursors c cross join lateral (
         select from pix_charges where payer is not null
           and created_at >= c.read_to and (created_at, pix_id) > (c.read_to, c.read_id) limit 1
       ) o where c.source = 'pix')
     or exists (select from buyer_cursors c cross join lateral (
         select from boletos where payer is not null
           and created_at >= c.read_to and (created_at, boleto_id) > (c.read_to, c.read_id) limit 1
       ) o where c.source = 'boleto')
     or exists (select from buyer_cursors c cross join lateral (
         select from subscriptions where customer is not null
           and customer_written_at >= c.read_to and (customer_written_at, subscription_id) > (c.read_to, c.read_id) limit 1
       ) o where c.source = 'subscription')
     then 0 end`,
);

export type BuyerWord = {
  readonly merchantId: string;
  readonly word: string;
  readonly buyer: string;
  readonly seenOn: string;
};

const WORDS = inputRows<BuyerWord>({
  ...own({ merchantId: 'text', word: 'text', buyer: 'text', seenOn: 'date' }),
});

/**
 * Writes each word of a buyer once, in the order of the key. Known words are looked up first, so that they
 * are neither locked nor written. $5: days after which a returning buyer is written again.
 */
const KEEP = statement(
  'buyer_words.keep',
  `insert into buyer_words (merchant_id, word, buyer, seen_on)
   select i.merchant_id, i.word, i.buyer, max(i.seen_on) from ${WORDS.sql}
   where not exists (
     select from buyer_words w where w.merchant_id = i.merchant_id and w.word = i.word and w.buyer = i.buyer
       and w.seen_on >= i.seen_on - $5::integer
   )
   group by i.merchant_id, i.word, i.buyer order by i.merchant_id, i.word collate "C", i.buyer
   on conflict (merchant_id, word, buyer) do update set seen_on = excluded.seen_on
   where buyer_words.seen_on < excluded.seen_on`,
);

export async function keepWords(tx: Tx, words: readonly BuyerWord[], daysBetween: number): Promise<void> {
  if (words.length > 0) await tx.query(KEEP, [...WORDS.values(words), daysBetween]);
}

const FOUND = rowCodec({
  buyer: column.nullable(column.text('f.buyer')),
  isCut: column.boolean('c.is_cut'),
});

/**
 * $2, $3: the range of the word to search by, of which at most $6 rows are read. $4, $5: the ranges of the
 * other words, all of which the buyer must have.
 */
const FIND = statement(
  'buyer_words.find',
  `with read as materialized (
     select w.buyer, w.seen_on from buyer_words w
     where w.merchant_id = $1 and w.word >= $2 and w.word < $3
     order by w.merchant_id, w.word, w.buyer limit $6::bigint + 1
   )
   select ${FOUND.columns} from (select count(*) > $6::bigint as is_cut from read) c left join lateral (
     select r.buyer, max(r.seen_on) as seen_on from read r
     where not exists (
       select from unnest($4::text[], $5::text[]) o (first_word, last_word) where not exists (
         select from buyer_words x where x.merchant_id = $1 and x.buyer = r.buyer
           and x.word >= o.first_word and x.word < o.last_word
       )
     )
     group by r.buyer order by max(r.seen_on) desc, r.buyer limit $7::bigint
   ) f on true
   order by f.seen_on desc, f.buyer`,
);

/** The most rows of one word that are read. A common name (Maria) has more. */
const MOST_READ = 2_000;

/**
 * Searches by a word that is rare enough for all its buyers to be looked at, and who have the other words
 * too. If no word is, gives some of the buyers found by each word.
 */
export async function findBuyersByWords(
  database: Reader,
  merchantId: string,
  words: readonly WordRange[],
  limit: number,
): Promise<NamedBuyers> {
  const found = new Set<string>();
  for (const word of words) {
    const others = words.filter((one) => one !== word);
    const values = [
      ...[merchantId, word.from, word.before],
      ...[others.map(({ from }) => from), others.map(({ before }) => before)],
      ...[MOST_READ, limit],
    ];
    const rows = (await database.query(FIND, values)).map(FOUND.parse);
    const buyers = rows.flatMap(({ buyer }) => buyer ?? []);
    if (!rows.some(({ isCut }) => isCut)) return { buyers, isCut: false };
    for (const buyer of buyers) found.add(buyer);
  }
  return { buyers: [...found].slice(0, limit), isCut: words.length > 0 };
}

const LISTED = rowCodec({ merchantId: column.text(), word: column.text(), seenOn: column.day() });

const LIST = statement(
  'buyer_words.list_of_person',
  `select ${LISTED.columns} from buyer_words
   where buyer = any ($1::text[]) and ($2::text is null or merchant_id = $2)
   order by merchant_id, word, buyer limit $3`,
);

/**
 * A person's words: those under the document, and under ids of purchases made before the document was known.
 */
export async function listWords(
  database: Reader,
  { document, merchantId }: PersonFilter,
  ids: readonly string[],
  limit: number,
): Promise<RowOf<typeof LISTED>[]> {
  return (await database.query(LIST, [[document, ...ids], merchantId, limit])).map(LISTED.parse);
}

/**
 * Waits for processes that read purchases, each of which holds a cursor. So no words that were read before an
 * erasure are written after it.
 */
const HOLD = statement(
  'buyer_cursors.hold_all',
  'select source from buyer_cursors order by source for update',
);

const ERASE = statement(
  'buyer_words.erase',
  'delete from buyer_words where buyer = any ($1::text[]) and ($2::text is null or merchant_id = $2)',
);

/**
 * Runs `erase`, and in the same commit erases the search words of the document and of the ids that `idsOf`
 * gives: later nothing would tell whose ids these are. Whatever stays of a person is found by the document,
 * not by words.
 */
export async function eraseWithWords<Erased>(
  database: Database,
  { document, merchantId }: PersonFilter,
  erase: (tx: Tx) => Promise<Erased>,
  idsOf: (erased: Erased) => readonly string[] = () => [],
): Promise<Erased> {
  return database.transaction(async (tx) => {
    await tx.query(HOLD, []);
    const erased = await erase(tx);
    await tx.query(ERASE, [[document, ...idsOf(erased)], merchantId]);
    return erased;
  });
}

export const eraseOldWords = forgetting<[number]>({
  table: 'buyer_words',
  by: 'seen_on',
  over: 'seen_on <= current_date - $2::integer',
});
