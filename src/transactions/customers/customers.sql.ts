import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../transaction.ts';
import { DECIDED, type TransactionKey, UNDER_WAY } from '../transaction-queries.sql.ts';
import { type Buyer, buyerOf } from './buyer.ts';

export type CustomerPlace = TransactionKey & {
  /** As PostgreSQL writes it, so that it is exact. */
  readonly soldAtText: string;
};

const KEY = rowCodec<TransactionKey>({ merchantId: column.text(), transactionId: column.text() });

const PAYMENT = rowCodec(
  {
    ...KEY.fields,
    accountNumber: column.text(),
    state: column.oneOf(TRANSACTION_STATES),
    isUnderWay: column.boolean('t.due_at is not null'),
    amount: column.money(),
    /** Business time. */
    soldAt: column.instant(),
    referenceTransaction: column.nullable(column.text()),
    callbackUrl: column.nullable(column.text()),
    nsu: column.nullable(column.text()),
    authorizationCode: column.nullable(column.text()),
    /** Null if no stored card paid. */
    vaultId: column.nullable(column.text()),
    customer: column.parsedBy((customer) =>
      typeof customer === 'object' && customer !== null
        ? (customer as Readonly<Record<string, unknown>>)
        : undefined,
    ),
    soldAtText: column.text('t.sold_at::text'),
  },
  't',
);

const CARD = rowCodec(
  {
    brand: column.text('t.card_brand'),
    firstSix: column.text('t.card_first_six'),
    lastFour: column.text('t.card_last_four'),
  },
  't',
);

export type CustomerPayment = Readonly<RowOf<typeof PAYMENT>> & {
  readonly card: Readonly<RowOf<typeof CARD>>;
};

/** Written as in the index: the document without punctuation. */
const DOCUMENT = `upper(regexp_replace(t.customer ->> 'documentNumber', '[^0-9A-Za-z]', '', 'g'))`;

const ALL_OF_DOCUMENT = `select * from transactions t
  where t.customer ->> 'documentNumber' is not null and ${DOCUMENT} = $1
  and ($2::text is null or t.merchant_id = $2)
  and (t.merchant_id, t.sold_at, t.transaction_id) > ($3, $4::timestamptz, $5::uuid)`;
const BY_MERCHANT = 'order by t.merchant_id, t.sold_at, t.transaction_id limit $6';
const OF_DOCUMENT = `(${ALL_OF_DOCUMENT} and ${DECIDED} ${BY_MERCHANT})
  union all (${ALL_OF_DOCUMENT} and ${UNDER_WAY} ${BY_MERCHANT})`;

const LIST = statement(
  'customers.list_payments',
  `select ${PAYMENT.columns}, ${CARD.columns}
   from (${OF_DOCUMENT}) t
   order by t.merchant_id, t.sold_at, t.transaction_id limit $6`,
);

export type CustomerFilter = {
  /** CPF or CNPJ without mask, letters upper case. */
  readonly document: string;
  /** Null: of all merchants. */
  readonly merchantId: string | null;
};

export const FIRST_PLACE: CustomerPlace = {
  merchantId: '',
  soldAtText: '-infinity',
  transactionId: '00000000-0000-0000-0000-000000000000',
};

export async function listCustomerPayments(
  database: Database,
  { document, merchantId }: CustomerFilter,
  behind: CustomerPlace,
  limit: number,
): Promise<CustomerPayment[]> {
  const place = [behind.merchantId, behind.soldAtText, behind.transactionId];
  const values = [document, merchantId, ...place, limit];
  const rows = await database.query(LIST, values);
  return rows.map((row) => ({ ...PAYMENT.parse(row), card: CARD.parse(row) }));
}

const PAID = rowCodec({
  paymentId: column.text('t.transaction_id'),
  soldAt: column.instant('t.sold_at'),
  vaultId: column.nullable(column.text('t.vault_id')),
});

/** What a stored card paid has its `vaultId`. */
export type PaidOnce = RowOf<typeof PAID>;

const OWN_OF_DOCUMENT = `select * from transactions t
  where t.customer ->> 'documentNumber' is not null and ${DOCUMENT} = d.document and t.merchant_id = $1`;
const NEWEST_FIRST = 'order by t.sold_at desc, t.transaction_id desc limit $3';
const NEWEST_OF_DOCUMENT = `(${OWN_OF_DOCUMENT} and ${DECIDED} ${NEWEST_FIRST})
  union all (${OWN_OF_DOCUMENT} and ${UNDER_WAY} ${NEWEST_FIRST})`;

/** Along transactions_by_customer_day: no more of a document is read than is shown. */
const FIND_NEWEST = statement(
  'customers.find_newest_payments',
  `select ${PAID.columns} from unnest($2::text[]) d (document) cross join lateral (${NEWEST_OF_DOCUMENT}) t`,
);

/** Of each document as many, in no order. */
export async function findNewestCustomerPayments(
  database: Reader,
  { documents, merchantId }: { readonly documents: readonly string[]; readonly merchantId: string },
  limit: number,
): Promise<PaidOnce[]> {
  return (await database.query(FIND_NEWEST, [merchantId, documents, limit])).map(PAID.parse);
}

const NAMED = rowCodec({ transactionId: column.text(), buyer: column.parsedBy(buyerOf, 't.customer') }, 't');

const FIND_BUYERS = statement(
  'customers.find_buyers',
  `select ${NAMED.columns} from transactions t
   where t.merchant_id = $1 and t.transaction_id = any ($2::uuid[]) and t.customer is not null`,
);

/** By transaction; those that name nobody are left out. */
export async function findBuyers(
  database: Reader,
  merchantId: string,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, Buyer>> {
  if (transactionIds.length === 0) return new Map();
  const rows = (await database.query(FIND_BUYERS, [merchantId, transactionIds])).map(NAMED.parse);
  return new Map(
    rows.flatMap(({ transactionId, buyer }) => (buyer === null ? [] : [[transactionId, buyer]])),
  );
}

const KEYS = inputRows<TransactionKey>({
  merchant_id: ['text', (key) => key.merchantId],
  transaction_id: ['uuid', (key) => key.transactionId],
});

/** Skips locked rows, so that a payment never waits for an erasure. */
const ERASE = statement(
  'customers.erase',
  `with held as materialized (
     select o.place from ${KEYS.sql} cross join lateral (
       select ctid as place from transactions
       where merchant_id = i.merchant_id and transaction_id = i.transaction_id
         and customer is not null and due_at is null
       for no key update skip locked
     ) o
   )
   update transactions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null and due_at is null
   returning ${KEY.columns}`,
);

/** Skips payments under way. Returns the erased ones. */
export async function eraseCustomers(tx: Tx, keys: readonly TransactionKey[]): Promise<TransactionKey[]> {
  return (await tx.query(ERASE, KEYS.values(keys))).map(KEY.parse);
}

const ERASE_OLD = statement(
  'customers.erase_old',
  `with held as materialized (
     select ctid as place from transactions
     where customer is not null and due_at is null and created_at < now() - $2 * interval '1 day'
     order by created_at limit $1
     for no key update skip locked
   )
   update transactions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null and due_at is null
   returning 1`,
);

export async function eraseOldCustomers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
