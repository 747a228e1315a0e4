import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { type Column, column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { Cents } from '../../values/cents.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import type { FollowedBefore, Receivable } from './receivable.ts';

/** Cents reported by the acquirer; may be negative. */
export function saidMoney(sql: string | null = null): Column<Cents | null> {
  return column.nullable(column.whole(sql)) as Column<Cents | null>;
}

export const FOLLOWED = rowCodec(
  {
    canceled: column.money(),
    state: column.oneOf(INSTALLMENT_STATES, 'r.installment_state'),
    feePortion: column.whole(),
    expectedFee: column.money(),
    expectedNet: column.money(),
    expectedOn: column.day(),
    paidOn: column.nullable(column.day()),
    reportedFee: saidMoney(),
    reportedNet: saidMoney(),
    reportedBankOn: column.nullable(column.day()),
  },
  'r',
);

export function parseFollowed(row: Row): FollowedBefore {
  const followed = FOLLOWED.parse(row);
  const { expectedFee, expectedNet, expectedOn, reportedFee, reportedNet, reportedBankOn, ...rest } =
    followed;
  return {
    ...rest,
    expected: { fee: expectedFee, net: expectedNet, on: expectedOn },
    reported: { fee: reportedFee, net: reportedNet, bankOn: reportedBankOn },
  };
}

const FILED = rowCodec(
  {
    filedFee: saidMoney(),
    filedNet: saidMoney(),
    filedAnticipation: saidMoney(),
    filedBankOn: column.nullable(column.day()),
  },
  'r',
);

const SOLD = rowCodec<Omit<Receivable, keyof FollowedBefore | 'filed'>>(
  {
    transactionId: column.text(),
    installmentNumber: column.whole(),
    installmentCount: column.whole(),
    accountNumber: column.text(),
    referenceTransaction: column.nullable(column.text()),
    nsu: column.text(),
    authorizationCode: column.text(),
    tid: column.nullable(column.text()),
    brand: column.oneOf(CARD_BRANDS),
    cardFirstSix: column.text(),
    cardLastFour: column.text(),
    soldAt: column.instant(),
    saleAmount: column.money(),
    gross: column.money(),
  },
  'r',
);

const PLACE = rowCodec({ soldAtText: column.text('r.sold_at::text'), paymentOn: column.day() }, 'r');

const COLUMNS = `${SOLD.columns}, ${FOLLOWED.columns}, ${FILED.columns}`;

function parseReceivable(row: Row): Receivable {
  const { filedFee, filedNet, filedAnticipation, filedBankOn } = FILED.parse(row);
  const filed = { fee: filedFee, net: filedNet, anticipation: filedAnticipation, bankOn: filedBankOn };
  return { ...SOLD.parse(row), ...parseFollowed(row), filed };
}

/** Acquirers may reuse numbers after years, but never as often as the limit. */
const FIND_BY_CODE = statement(
  'receivables.find_by_code',
  `select ${COLUMNS}
   from transactions t join receivables r on r.merchant_id = t.merchant_id and r.transaction_id = t.transaction_id
   where t.merchant_id = $1 and t.nsu = $2 and t.authorization_code = $3 and t.account_number = $4
   order by r.transaction_id, r.installment_number limit 1000`,
);

export async function findReceivablesByCode(
  database: Reader,
  merchantId: string,
  wanted: { readonly accountNumber: string; readonly nsu: string; readonly authorizationCode: string },
): Promise<Receivable[]> {
  const { accountNumber, nsu, authorizationCode } = wanted;
  const rows = await database.query(FIND_BY_CODE, [merchantId, nsu, authorizationCode, accountNumber]);
  return rows.map(parseReceivable);
}

const LIST_OF_PAYMENT = statement(
  'receivables.list_of_payment',
  `select ${COLUMNS} from receivables r
   where r.merchant_id = $1 and r.transaction_id = $2 order by r.installment_number limit 99`,
);

export async function listReceivablesOf(
  database: Reader,
  merchantId: string,
  transactionId: string,
): Promise<Receivable[]> {
  return (await database.query(LIST_OF_PAYMENT, [merchantId, transactionId])).map(parseReceivable);
}

/** Files take precedence over the feed, and both over what is expected, as in `receiptOf`. */
const MONEY = rowCodec({
  transactionId: column.text(),
  installmentNumber: column.whole(),
  canceled: column.money(),
  /** Includes the fee of an anticipation. */
  fee: saidMoney(`case when filed_bank_on is not null then coalesce(filed_fee, expected_fee) + coalesce(filed_anticipation, 0)
     when coalesce(reported_bank_on, paid_on) is not null then coalesce(reported_fee, expected_fee) else expected_fee end`),
  net: saidMoney(`case when filed_bank_on is not null then coalesce(filed_net, expected_net)
     when coalesce(reported_bank_on, paid_on) is not null then coalesce(reported_net, expected_net) else expected_net end`),
  hasCome: column.boolean('coalesce(filed_bank_on, reported_bank_on, paid_on) is not null'),
  /** null: nothing came, or nobody said how much. */
  received: saidMoney('case when filed_bank_on is not null then filed_net else reported_net end'),
});

export type InstallmentMoney = RowOf<typeof MONEY>;

/** `order by` keeps other indexes out of a plan that is made while the table is empty. */
const MONEY_OF_PAYMENTS = statement(
  'receivables.find_money_of_payments',
  `select ${MONEY.columns} from unnest($2::uuid[]) as w (id) cross join lateral (
     select * from receivables where merchant_id = $1 and transaction_id = w.id order by installment_number limit 99
   ) r`,
);

export async function findMoneyOfPayments(
  database: Reader,
  merchantId: string,
  transactionIds: readonly string[],
): Promise<InstallmentMoney[]> {
  if (transactionIds.length === 0) return [];
  return (await database.query(MONEY_OF_PAYMENTS, [merchantId, transactionIds])).map(MONEY.parse);
}

const SOLD_SUM = rowCodec({
  sales: column.whole('(count(*) filter (where installment_number = 1))::integer'),
  installments: column.whole('count(*)::integer'),
  gross: column.money('coalesce(sum(gross), 0)::bigint'),
  canceled: column.money('coalesce(sum(canceled), 0)::bigint'),
  expectedFee: column.money('coalesce(sum(expected_fee), 0)::bigint'),
  expectedNet: column.money('coalesce(sum(expected_net), 0)::bigint'),
  /** Net of installments that are not paid yet, by the same rule as in the kept sums of days. */
  openNet: column.money(
    'coalesce(sum(expected_net) filter (where num_nonnulls(filed_net, reported_bank_on, paid_on) = 0), 0)::bigint',
  ),
});

export type SoldSum = RowOf<typeof SOLD_SUM> & {
  readonly isCut: boolean;
};

/** Reads index receivables_by_sale, in the order of the rows on disk. */
const SUM_SOLD = statement(
  'receivables.sum_sold',
  `select ${SOLD_SUM.columns}
   from (
     select installment_number, gross, canceled, expected_fee, expected_net, filed_net, reported_bank_on, paid_on
     from receivables
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
  const sum = SOLD_SUM.parse(row);
  return { ...sum, isCut: sum.installments === MOST_SOLD };
}

const DUE_SUM = rowCodec({
  read: column.whole('count(*)::integer'),
  gross: column.money('coalesce(sum(gross), 0)::bigint'),
  expectedFee: column.money('coalesce(sum(expected_fee), 0)::bigint'),
  expectedNet: column.money('coalesce(sum(expected_net), 0)::bigint'),
});

export type DueSum = Omit<RowOf<typeof DUE_SUM>, 'read'> & { readonly isCut: boolean };

/** Reads the two indexes by expected day: of receivables without a payout in a file, and with one. */
const SUM_DUE = statement(
  'receivables.sum_due',
  `select ${DUE_SUM.columns}
   from (
     (select gross, expected_fee, expected_net from receivables
      where merchant_id = $1 and expected_on = $3 and filed_bank_on is null and account_number = $2 limit $4)
     union all
     (select gross, expected_fee, expected_net from receivables
      where merchant_id = $1 and expected_on = $3 and filed_bank_on is not null and account_number = $2 limit $4)
   ) r`,
);

/** Few, because a page that refreshes itself asks for them, and each row has its own place on disk. */
const MOST_DUE = 5_000;

/** Sums over the installments expected on a day. `isCut`: there may be more than were read. */
export async function sumDue(
  database: Reader,
  merchantId: string,
  { accountNumber, day }: { readonly accountNumber: string; readonly day: Day },
): Promise<DueSum> {
  const [row] = (await database.query(SUM_DUE, [merchantId, accountNumber, day, MOST_DUE])) as [Row];
  const { read, ...sum } = DUE_SUM.parse(row);
  return { ...sum, isCut: read >= MOST_DUE };
}

export type ReceivablePlace = {
  /** The time of the sale as PostgreSQL's text, which is exact to the microsecond. */
  readonly soldAtText: string;
  readonly paymentOn: Day;
  readonly transactionId: string;
  readonly installmentNumber: number;
};

export const RECEIVABLE_ORDERS = ['sale', 'payment'] as const;
export type ReceivableOrder = (typeof RECEIVABLE_ORDERS)[number];

export type WantedReceivables = {
  readonly order: ReceivableOrder;
  readonly accountNumber: string;
  readonly from: Day;
  readonly to: Day;
  /** The first moment of `from` in São Paulo, and the first after `to`. */
  readonly soldFrom: Instant;
  readonly soldBefore: Instant;
};

export type ListedReceivable = Receivable & { readonly place: ReceivablePlace };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const LIST_BY_SALE = statement(
  'receivables.list_by_sale',
  `select ${COLUMNS}, ${PLACE.columns} from receivables r
   where r.merchant_id = $1 and r.account_number = $2 and r.sold_at < $3
     and (r.sold_at, r.transaction_id, r.installment_number) > ($4::timestamptz, $5::uuid, $6::smallint)
   order by r.sold_at, r.transaction_id, r.installment_number limit $7`,
);

const LIST_BY_PAYMENT = statement(
  'receivables.list_by_payment',
  `select ${COLUMNS}, ${PLACE.columns} from receivables r
   where r.merchant_id = $1 and r.account_number = $2 and r.payment_on <= $3
     and (r.payment_on, r.transaction_id, r.installment_number) > ($4::date, $5::uuid, $6::smallint)
   order by r.payment_on, r.transaction_id, r.installment_number limit $7`,
);

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
    return { ...receivable, place: { ...PLACE.parse(row), transactionId, installmentNumber } };
  });
}
