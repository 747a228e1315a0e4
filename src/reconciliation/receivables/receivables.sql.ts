import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import type { CardBrand } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import type { Receivable } from './receivable.ts';

const COLUMNS = `r.transaction_id, r.installment_number, r.installment_count, r.account_number, r.reference_transaction, r.nsu,
     r.authorization_code, r.tid, r.brand, r.card_first_six, r.card_last_four, r.sold_at, r.sale_amount, r.gross, r.canceled,
     r.installment_state as state, r.fee_portion, r.expected_fee, r.expected_net, r.expected_on::text as expected_on, r.paid_on::text as paid_on,
     r.reported_fee, r.reported_net, r.reported_bank_on::text as reported_bank_on, r.filed_fee, r.filed_net,
     r.filed_anticipation, r.filed_bank_on::text as filed_bank_on, r.payment_on::text as payment_on, r.sold_at::text as sold_at_text`;

/** An acquirer may number anew after years; never as often as that. */
const FIND_BY_CODE = statement(
  'receivables.find_by_code',
  `select ${COLUMNS}
   from transactions t join receivables r on r.merchant_id = t.merchant_id and r.transaction_id = t.transaction_id
   where t.merchant_id = $1 and t.nsu = $2 and t.authorization_code = $3 and t.account_number = $4
   order by r.transaction_id, r.installment_number limit 1000`,
);

/** What was sold under the acquirer's number and the issuer's code, by installment. */
export async function findReceivablesByCode(
  database: Reader,
  merchantId: string,
  wanted: { readonly accountNumber: string; readonly nsu: string; readonly authorizationCode: string },
): Promise<Receivable[]> {
  const { accountNumber, nsu, authorizationCode } = wanted;
  const rows = await database.query(FIND_BY_CODE, [merchantId, nsu, authorizationCode, accountNumber]);
  return rows.map(parseReceivable);
}

/** Along its key; a sale has at most 99 installments. */
const LIST_OF_PAYMENT = statement(
  'receivables.list_of_payment',
  `select ${COLUMNS} from receivables r
   where r.merchant_id = $1 and r.transaction_id = $2 order by r.installment_number limit 99`,
);

/** What the acquirer owes for each installment of a payment; none while they are not followed yet. */
export async function listReceivablesOf(
  database: Reader,
  merchantId: string,
  transactionId: string,
): Promise<Receivable[]> {
  return (await database.query(LIST_OF_PAYMENT, [merchantId, transactionId])).map(parseReceivable);
}

/** What was sold in a stretch of time, as it is to be paid by installments. */
export type SoldSum = {
  readonly sales: number;
  readonly installments: number;
  readonly gross: Cents;
  readonly canceled: Cents;
  readonly expectedFee: Cents;
  readonly expectedNet: Cents;
  /** There are more, which are not in it. */
  readonly isCut: boolean;
};

/** Along receivables_by_sale; its rows lie as they were sold. */
const SUM_SOLD = statement(
  'receivables.sum_sold',
  `select count(*)::integer as installments, (count(*) filter (where installment_number = 1))::integer as sales,
     coalesce(sum(gross), 0)::bigint as gross, coalesce(sum(canceled), 0)::bigint as canceled,
     coalesce(sum(expected_fee), 0)::bigint as fee, coalesce(sum(expected_net), 0)::bigint as net
   from (
     select installment_number, gross, canceled, expected_fee, expected_net from receivables
     where merchant_id = $1 and account_number = $2 and sold_at >= $3::timestamptz and sold_at < $4::timestamptz
     order by sold_at limit $5
   ) r`,
);
const MOST_SOLD = 50_000;

export async function sumSold(
  database: Reader,
  merchantId: string,
  {
    accountNumber,
    from,
    before,
  }: { readonly accountNumber: string; readonly from: Instant; readonly before: Instant },
): Promise<SoldSum> {
  const values = [merchantId, accountNumber, utcText(from), utcText(before), MOST_SOLD];
  const [row] = (await database.query(SUM_SOLD, values)) as [Row];
  const installments = row.installments as number;
  return {
    sales: row.sales as number,
    installments,
    gross: row.gross as Cents,
    canceled: row.canceled as Cents,
    expectedFee: row.fee as Cents,
    expectedNet: row.net as Cents,
    isCut: installments === MOST_SOLD,
  };
}

/** Where the next page begins: behind this row of the order. */
export type ReceivablePlace = {
  /** As the database writes it: exact, whatever wrote the row. */
  readonly soldAtText: string;
  readonly paymentOn: Day;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

/** By the day of the sale, or by the day on which the money came or is expected. */
export const RECEIVABLE_ORDERS = ['sale', 'payment'] as const;
export type ReceivableOrder = (typeof RECEIVABLE_ORDERS)[number];

export type WantedReceivables = {
  readonly order: ReceivableOrder;
  readonly accountNumber: string;
  /** Both included. */
  readonly from: Day;
  readonly to: Day;
  /** Of both days in São Paulo: the first moment, and the first that is behind them. */
  readonly soldFrom: Instant;
  readonly soldBefore: Instant;
};

export type ListedReceivable = Receivable & { readonly place: ReceivablePlace };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const LIST_BY_SALE = statement(
  'receivables.list_by_sale',
  `select ${COLUMNS} from receivables r
   where r.merchant_id = $1 and r.account_number = $2 and r.sold_at < $3
     and (r.sold_at, r.transaction_id, r.installment_number) > ($4::timestamptz, $5::uuid, $6::smallint)
   order by r.sold_at, r.transaction_id, r.installment_number limit $7`,
);

const LIST_BY_PAYMENT = statement(
  'receivables.list_by_payment',
  `select ${COLUMNS} from receivables r
   where r.merchant_id = $1 and r.account_number = $2 and r.payment_on <= $3
     and (r.payment_on, r.transaction_id, r.installment_number) > ($4::date, $5::uuid, $6::smallint)
   order by r.payment_on, r.transaction_id, r.installment_number limit $7`,
);

/** The next ones of a period, in the order of its days; from its beginning where `after` is null. */
export async function listReceivables(
  database: Reader,
  merchantId: string,
  { order, accountNumber, from, to, soldFrom, soldBefore }: WantedReceivables,
  after: ReceivablePlace | null,
  limit: number,
): Promise<ListedReceivable[]> {
  const [id, number] = [after?.transactionId ?? FIRST_ID, after?.installmentNumber ?? 0];
  const rows =
    order === 'sale'
      ? await database.query(LIST_BY_SALE, [
          merchantId,
          accountNumber,
          utcText(soldBefore),
          after?.soldAtText ?? utcText(soldFrom),
          id,
          number,
          limit,
        ])
      : await database.query(LIST_BY_PAYMENT, [
          merchantId,
          accountNumber,
          to,
          after?.paymentOn ?? from,
          id,
          number,
          limit,
        ]);
  return rows.map((row) => {
    const receivable = parseReceivable(row);
    const { transactionId, installmentNumber } = receivable;
    const place = {
      soldAtText: row.sold_at_text as string,
      paymentOn: row.payment_on as Day,
      transactionId,
      installmentNumber,
    };
    return { ...receivable, place };
  });
}

function parseReceivable(row: Row): Receivable {
  return {
    transactionId: row.transaction_id as string,
    installmentNumber: row.installment_number as number,
    installmentCount: row.installment_count as number,
    accountNumber: row.account_number as string,
    referenceTransaction: row.reference_transaction as string | null,
    nsu: row.nsu as string,
    authorizationCode: row.authorization_code as string,
    tid: row.tid as string | null,
    brand: row.brand as CardBrand,
    cardFirstSix: row.card_first_six as string,
    cardLastFour: row.card_last_four as string,
    soldAt: row.sold_at as Instant,
    saleAmount: row.sale_amount as Cents,
    gross: row.gross as Cents,
    canceled: row.canceled as Cents,
    state: row.state as InstallmentState,
    feePortion: row.fee_portion as number,
    expected: {
      fee: row.expected_fee as Cents,
      net: row.expected_net as Cents,
      on: row.expected_on as Day,
    },
    paidOn: row.paid_on as Day | null,
    reported: {
      fee: row.reported_fee as Cents | null,
      net: row.reported_net as Cents | null,
      bankOn: row.reported_bank_on as Day | null,
    },
    filed: {
      fee: row.filed_fee as Cents | null,
      net: row.filed_net as Cents | null,
      anticipation: row.filed_anticipation as Cents | null,
      bankOn: row.filed_bank_on as Day | null,
    },
  };
}
