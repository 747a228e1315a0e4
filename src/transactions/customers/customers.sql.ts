import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { type PersonFilter, personalData } from '../../platform/postgres/personal-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../transaction.ts';
import { DECIDED, type TransactionKey, UNDER_WAY } from '../transaction-queries.sql.ts';
import { type Buyer, buyerOf } from './buyer.ts';

export type CustomerPlace = TransactionKey & {
  /** The moment of the sale as PostgreSQL writes it, so that it is exact. */
  readonly soldAtText: string;
};

const PAYMENT = rowCodec(
  {
    merchantId: column.text(),
    transactionId: column.text(),
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

export const FIRST_PLACE: CustomerPlace = {
  merchantId: '',
  soldAtText: '-infinity',
  transactionId: '00000000-0000-0000-0000-000000000000',
};

export async function listCustomerPayments(
  database: Database,
  { document, merchantId }: PersonFilter,
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

/** A payment of a customer. `vaultId`: the stored card that paid; null: none did. */
export type PaidOnce = RowOf<typeof PAID>;

const OWN_OF_DOCUMENT = `select * from transactions t
  where t.customer ->> 'documentNumber' is not null and ${DOCUMENT} = d.document and t.merchant_id = $1`;
const NEWEST_FIRST = 'order by t.sold_at desc, t.transaction_id desc limit $3';
const NEWEST_OF_DOCUMENT = `(${OWN_OF_DOCUMENT} and ${DECIDED} ${NEWEST_FIRST})
  union all (${OWN_OF_DOCUMENT} and ${UNDER_WAY} ${NEWEST_FIRST})`;

/** Reads the index transactions_by_customer_day: of each document no more than the newest payments. */
const FIND_NEWEST = statement(
  'customers.find_newest_payments',
  `select ${PAID.columns} from unnest($2::text[]) d (document) cross join lateral (${NEWEST_OF_DOCUMENT}) t`,
);

/**
 * Finds the newest payments of each document, up to `limit` decided ones and as many under way, in no order.
 */
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

/** Buyers by transaction. Transactions that name nobody are left out. */
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

/** A payment under way is skipped. */
export const CUSTOMERS = personalData({
  table: 'transactions',
  id: 'transactionId',
  erasable: 'customer is not null and due_at is null',
  erased: 'customer = null, customer_erased_at = now()',
  since: 'created_at',
});
