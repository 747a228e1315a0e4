import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import type { Page, WantedPage } from '../../platform/pages.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import {
  LINK_MOVES,
  LINK_STATES,
  type Link,
  type LinkKey,
  MOST_BOLETO_TRIES,
  MOST_CARD_TRIES,
  MOST_TRIES,
  type ShownState,
  TRY_METHODS,
  type TryMethod,
} from './link.ts';

const LINK = rowCodec<Link>(
  {
    merchantId: column.text(),
    linkId: column.text(),
    accountNumber: column.text(),
    pageKey: column.text(),
    description: column.text(),
    amount: column.money(),
    mostInstallments: column.whole(),
    expiresAt: column.instant(),
    callbackUrl: column.nullable(column.text()),
    returnUrl: column.nullable(column.text()),
    referenceTransaction: column.nullable(column.text()),
    softDescriptor: column.nullable(column.text()),
    state: column.oneOf(LINK_STATES),
    disableReason: column.nullable(column.text()),
    tries: column.whole(),
    cardTries: column.whole(),
    boletoTries: column.whole(),
    tryMethod: column.nullable(column.oneOf(TRY_METHODS)),
    paymentId: column.nullable(column.text()),
    receivedAmount: column.money(),
    receivedId: column.nullable(column.text()),
    removals: column.whole(),
    removalAt: column.nullable(column.instant()),
    isRemovalRested: column.boolean('coalesce(l.removal_at <= now(), true)'),
    createdBy: column.text(),
    createdAt: column.instant(),
    triedMilliseconds: column.real('coalesce((extract(epoch from now() - l.tried_at) * 1000)::float8, 0)'),
  },
  'l',
);

export type NewLink = { readonly link: Link; readonly request: KeyedRequest | null };
/** `keyUsed`: the key made another link; nothing was written. */
export type CreateLinkResult = 'written' | 'keyUsed';

/**
 * Each caller brings a new id: a link that has it already was written by its own try, whose connection was
 * lost.
 */
const INSERT = statement(
  'payment_links.insert',
  `with written as (
     insert into payment_links (merchant_id, link_id, account_number, page_key, description, amount, most_installments,
       expires_at, callback_url, return_url, reference_transaction, soft_descriptor, state, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'open', $13, $14)
     on conflict do nothing
     returning merchant_id, link_id
   ), keyed as (
     select $15::bytea as key_hash, $16::bytea as body_fingerprint,
       $17::integer as body_fingerprint_key_id, merchant_id, link_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select link_id from written`,
);

/** One by one: links are few. */
const LIMITS = { statementsInFlight: 2, waitingCallers: 200 };

export function linksWrite(database: Database): BatchedWriteOptions<NewLink, CreateLinkResult> {
  return oneByOne({
    name: 'paymentLinks',
    isRefusal: () => false,
    key: ({ link }) => link.linkId,
    merchant: ({ link }) => link.merchantId,
    limits: LIMITS,
    write: (row) => insertLink(database, row),
  });
}

export async function insertLink(
  database: Reader | Tx,
  { link, request }: NewLink,
): Promise<CreateLinkResult> {
  const { merchantId, linkId, accountNumber, pageKey, description, amount, mostInstallments } = link;
  const { callbackUrl, returnUrl, referenceTransaction, softDescriptor, createdBy } = link;
  try {
    await database.query(INSERT, [
      ...[merchantId, linkId, accountNumber, pageKey, description, amount, mostInstallments],
      ...[utcText(link.expiresAt), callbackUrl, returnUrl, referenceTransaction, softDescriptor, createdBy],
      utcText(link.createdAt),
      ...keyValues(request),
    ]);
    return 'written';
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

const FIND = statement(
  'payment_links.find',
  `select ${LINK.columns} from payment_links l where l.merchant_id = $1 and l.link_id = $2`,
);

export async function findLink(database: Reader, { merchantId, linkId }: LinkKey): Promise<Link | null> {
  const [row] = await database.query(FIND, [merchantId, linkId]);
  return row === undefined ? null : LINK.parse(row);
}

export type LinkOfPage = Link & {
  readonly beneficiary: { readonly name: string; readonly documentNumber: string };
};

const BENEFICIARY = rowCodec({ name: column.text('m.legal_name'), documentNumber: column.text('m.cnpj') });

const FIND_OF_PAGE = statement(
  'payment_links.find_of_page',
  `select ${LINK.columns}, ${BENEFICIARY.columns}
   from payment_links l join merchants m using (merchant_id) where l.page_key = $1 and m.disabled_at is null`,
);

/** A disabled merchant has no page. */
export async function findLinkOfPage(database: Reader, pageKey: string): Promise<LinkOfPage | null> {
  const [row] = await database.query(FIND_OF_PAGE, [pageKey]);
  return row === undefined ? null : { ...LINK.parse(row), beneficiary: BENEFICIARY.parse(row) };
}

/** For the request of a try, which usually ends within 15 seconds. */
const REQUEST_SECONDS = 20;

/** Only one of many concurrent callers succeeds: the row is locked, and then no longer open. */
const BEGIN = statement(
  'payment_links.begin',
  `update payment_links l set state = 'paying', tries = l.tries + 1, try_method = $6,
     card_tries = l.card_tries + case when $6 = 'card' then 1 else 0 end,
     boleto_tries = l.boleto_tries + case when $6 = 'boleto' then 1 else 0 end,
     tried_at = now(), look_at = now() + $4 * interval '1 second'
   where l.merchant_id = $1 and l.link_id = $2 and l.state in (${fromStates(LINK_MOVES, 'begin')})
     and l.received_amount = 0 and l.expires_at > $3::timestamptz and l.tries < $5 and ($6 <> 'card' or l.card_tries < $7)
     and ($6 <> 'boleto' or l.boleto_tries < $8)
   returning ${LINK.columns}`,
);

/** Gives the link with the number of its new try; null: none may begin. `now`: business time. */
export async function beginTry(
  database: Database,
  { merchantId, linkId }: LinkKey,
  method: TryMethod,
  now: Instant,
): Promise<Link | null> {
  const [row] = await database.query(BEGIN, [
    ...[merchantId, linkId, utcText(now)],
    ...[REQUEST_SECONDS, MOST_TRIES, method, MOST_CARD_TRIES, MOST_BOLETO_TRIES],
  ]);
  return row === undefined ? null : LINK.parse(row);
}

/**
 * A link with its try as it was read. Money that has come since then keeps the try from ending, until it was
 * looked at.
 */
export type Try = LinkKey & Pick<Link, 'tries' | 'receivedAmount'>;

/** Not where another bill has brought money meanwhile: the next look takes that bill. */
const PAY = statement(
  'payment_links.pay',
  `update payment_links set state = 'paid', payment_id = $4, look_at = null
   where merchant_id = $1 and link_id = $2 and tries = $3 and state in (${fromStates(LINK_MOVES, 'pay')})
     and (try_method = 'card' or received_id is null or received_id = $4::uuid)`,
);

export async function recordPaid(
  database: Database,
  { merchantId, linkId, tries }: Pick<Link, 'merchantId' | 'linkId' | 'tries'>,
  paymentId: string,
): Promise<void> {
  await database.query(PAY, [merchantId, linkId, tries, paymentId]);
}

const IS_AS_READ = 'merchant_id = $1 and link_id = $2 and tries = $3 and received_amount = $4';

/** `$5`: no provider was asked for its payment, so no card was tested and no boleto registered. */
const FAIL = statement(
  'payment_links.fail',
  `update payment_links set state = 'open', look_at = null,
     card_tries = card_tries - case when $5 and state = 'paying' and try_method = 'card' then 1 else 0 end,
     boleto_tries = boleto_tries - case when $5 and state = 'paying' and try_method = 'boleto' then 1 else 0 end
   where ${IS_AS_READ} and state in (${fromStates(LINK_MOVES, 'fail')})`,
);

/** The try was not paid: the next one may begin. */
export async function recordFailed(
  database: Database,
  { merchantId, linkId, tries, receivedAmount }: Try,
  isUnasked: boolean,
): Promise<void> {
  await database.query(FAIL, [merchantId, linkId, tries, receivedAmount, isUnasked]);
}

/**
 * Puts the next look at a try off by a sixth of the try's age: from two seconds to a minute, or to a quarter
 * of an hour for a boleto, which is paid in days.
 */
const PUT_OFF = statement(
  'payment_links.put_off',
  `update payment_links set look_at = now() + least(greatest((now() - tried_at) / 6, interval '2 seconds'),
     case when try_method = 'boleto' then interval '15 minutes' else interval '1 minute' end)
   where ${IS_AS_READ} and look_at is not null`,
);

export async function putOff(
  database: Database,
  { merchantId, linkId, tries, receivedAmount }: Try,
): Promise<void> {
  await database.query(PUT_OFF, [merchantId, linkId, tries, receivedAmount]);
}

const REMOVAL = statement(
  'payment_links.record_removal',
  `update payment_links set removals = removals + 1,
     removal_at = now() + least(interval '1 minute' * power(2, least(removals, 11)), interval '1 day')
   where merchant_id = $1 and link_id = $2 and tries = $3 and removals = $4 and look_at is not null
   returning removals`,
);

/** Written before the bank is asked to take away the try's bill. Gives whether nobody else asks now. */
export async function recordRemoval(
  database: Database,
  { merchantId, linkId, tries, removals }: Pick<Link, 'merchantId' | 'linkId' | 'tries' | 'removals'>,
): Promise<boolean> {
  return (await database.query(REMOVAL, [merchantId, linkId, tries, removals])).length === 1;
}

const DUE_TRY = rowCodec<Try>(
  {
    merchantId: column.text(),
    linkId: column.text(),
    tries: column.whole(),
    receivedAmount: column.money(),
  },
  'l',
);

export type DueTry = Try & { readonly read: () => Link };

const LIST_DUE = statement(
  'payment_links.list_due',
  `select ${LINK.columns} from payment_links l where l.look_at <= now() order by l.look_at limit $1`,
);

/** Each row is read by itself: an unreadable one holds up no other. */
export async function listDueTries(database: Database, limit: number): Promise<DueTry[]> {
  return (await database.query(LIST_DUE, [limit])).map((row) => ({
    ...DUE_TRY.parse(row),
    read: () => LINK.parse(row),
  }));
}

/** Milliseconds until a try is due to be looked at; null: none is under way. */
export const EARLIEST_LOOK = statement(
  'payment_links.earliest_look',
  `select greatest(0, extract(epoch from look_at - now()) * 1000)::float8 as milliseconds
   from payment_links where look_at is not null order by look_at limit 1`,
);

const DISABLE = statement(
  'payment_links.disable',
  `update payment_links l set state = 'disabled', disable_reason = $3, look_at = null
   where l.merchant_id = $1 and l.link_id = $2 and l.received_amount = 0
     and l.state in (${fromStates(LINK_MOVES, 'disable')})
   returning ${LINK.columns}`,
);

/** Null: it was not open, or money came for it. */
export async function disableLinkRow(
  database: Reader | Tx,
  { merchantId, linkId }: LinkKey,
  reason: string,
): Promise<Link | null> {
  const [row] = await database.query(DISABLE, [merchantId, linkId, reason]);
  return row === undefined ? null : LINK.parse(row);
}

const DROP = statement(
  'payment_links.drop',
  `update payment_links l set state = 'disabled', disable_reason = $5, look_at = null
   where ${IS_AS_READ} and state in (${fromStates(LINK_MOVES, 'drop')})
   returning ${LINK.columns}`,
);

/** Ends the link with its unpaid try. Null: the try has ended, or more money came. */
export async function dropLinkRow(
  database: Database,
  { merchantId, linkId, tries, receivedAmount }: Try,
  reason: string,
): Promise<Link | null> {
  const [row] = await database.query(DROP, [merchantId, linkId, tries, receivedAmount, reason]);
  return row === undefined ? null : LINK.parse(row);
}

const CLOSED = rowCodec({ closed: column.whole('count(*)') });

const CLOSE_RESTORED = statement(
  'payment_links.close_restored',
  `with closed as (
     update payment_links set state = 'disabled', disable_reason = 'The database was restored: it may be paid already',
       look_at = null
     where state in (${fromStates(LINK_MOVES, 'close')})
     returning link_id
   )
   select ${CLOSED.columns} from closed`,
);

/** For all merchants: links paid in the lost time are open again here. Gives how many. */
export async function closeRestoredLinks(tx: Tx): Promise<number> {
  const [row] = await tx.query(CLOSE_RESTORED, []);
  return CLOSED.parse(row as Row).closed;
}

export const LINK_ORDERS = ['createdDate'] as const;
export type LinkOrder = (typeof LINK_ORDERS)[number];

/** In step with `seenOutcome` and `shownState`. `$4`: the state that is shown, or null; `$5`: now. */
const MATCHES = `($4::text is null or $4 = case
     when l.received_id is not null and (l.state = 'open' or (l.state = 'paying' and l.try_method <> 'card')) then 'paid'
     when l.received_amount > 0 and l.state = 'open' then 'disabled'
     when l.state = 'open' and l.expires_at <= $5::timestamptz then 'expired' else l.state end)`;

const LIST = pageOf({
  name: 'payment_links.list',
  before: `counted as (select count(*) as total from (
     select from payment_links l where l.merchant_id = $1 and ${MATCHES} {counted}) matching)`,
  keys: `(select l.link_id, l.created_at from payment_links l where l.merchant_id = $1 and ${MATCHES}
     order by {order} limit $2::bigint + $3::bigint)`,
  key: 'link_id',
  order: ['created_at', 'link_id'],
  shown: `${LINK.columns} from page g cross join lateral (
       select * from payment_links where merchant_id = $1 and link_id = g.link_id limit 1
     ) l`,
});

export async function listLinkPage(
  database: Reader,
  merchantId: string,
  state: ShownState | null,
  now: Instant,
  wanted: WantedPage<LinkOrder>,
): Promise<Page<Link>> {
  const { rows, total } = await readPageOf(database, LIST, merchantId, wanted, [state, utcText(now)]);
  return { items: rows.map(LINK.parse), total };
}
