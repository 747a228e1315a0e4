import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { INSTALLMENT_STATES } from '../../transactions/transaction.ts';
import type { Instant } from '../../values/instant.ts';
import { EXCEPTION_CLASSES, type ExceptionClass } from '../exceptions/exception.ts';
import { JUDGED, parseJudged, parsePart } from '../judging/judged.sql.ts';
import type { ComparedInstallment } from './truth.ts';
import type { ComparedPlace, TruthRun } from './truth-run.ts';

const PLACE = '($3::date, $4::uuid, $5::smallint)';
const ORDER = 'order by payment_on, transaction_id, installment_number limit $6';

const PLACED = rowCodec<ComparedPlace>({
  paymentOn: column.day(),
  transactionId: column.text(),
  installmentNumber: column.whole(),
});

/**
 * Installments whose payment day is `$2` or later, and at any age open ones and those with an open
 * difference.
 */
const FIND = statement(
  'truth.find_installments',
  `select ${PLACED.columns} from (
     (select k.* from accounts a cross join lateral (
        select payment_on, transaction_id, installment_number from receivables
        where merchant_id = $1 and account_number = a.account_number and payment_on >= $2::date
          and (payment_on, transaction_id, installment_number) > ${PLACE}
        ${ORDER}
      ) k where a.merchant_id = $1 ${ORDER})
     union
     (select payment_on, transaction_id, installment_number from receivables
      where merchant_id = $1 and payment_on < $2::date and installment_state in ('authorized', 'blocked')
        and (payment_on, transaction_id, installment_number) > ${PLACE}
      ${ORDER})
     union
     (select r.payment_on, r.transaction_id, r.installment_number
      from truth_differences d join receivables r on r.merchant_id = d.merchant_id
        and r.transaction_id = d.transaction_id and r.installment_number = d.installment_number
      where d.merchant_id = $1 and d.ended_at is null and r.payment_on < $2::date
        and (r.payment_on, r.transaction_id, r.installment_number) > ${PLACE}
      order by r.payment_on, r.transaction_id, r.installment_number limit $6)
   ) k
   ${ORDER}`,
);

export async function findInstallmentsToCompare(
  database: Database,
  { merchantId, fromOn, after }: Pick<TruthRun, 'merchantId' | 'fromOn' | 'after'>,
  limit: number,
): Promise<ComparedPlace[]> {
  const { paymentOn, transactionId, installmentNumber } = after;
  const rows = await database.query(FIND, [
    merchantId,
    fromOn,
    paymentOn,
    transactionId,
    installmentNumber,
    limit,
  ]);
  return rows.map(PLACED.parse);
}

type Place = Pick<ComparedPlace, 'transactionId' | 'installmentNumber'>;

const KEYS = inputRows<Place>(
  {
    transaction_id: ['uuid', (key) => key.transactionId],
    installment_number: ['smallint', (key) => key.installmentNumber],
  },
  { as: 'k', after: 1 },
);

const READ_INSTALLMENT = rowCodec({
  transactionId: column.text('r.transaction_id'),
  installmentNumber: column.whole('r.installment_number'),
  reportedFee: column.nullable(column.whole('r.reported_fee')),
  reportedNet: column.nullable(column.whole('r.reported_net')),
  reportedBankOn: column.nullable(column.day('r.reported_bank_on')),
  filedFee: column.nullable(column.whole('r.filed_fee')),
  filedNet: column.nullable(column.whole('r.filed_net')),
  filedAnticipation: column.nullable(column.whole('r.filed_anticipation')),
  filedBankOn: column.nullable(column.day('r.filed_bank_on')),
  bookGross: column.whole('i.amount'),
  bookCanceled: column.whole('i.canceled_amount'),
  bookState: column.oneOf(INSTALLMENT_STATES, 'i.state'),
  bookFee: column.nullable(column.whole('i.fee')),
  bookNet: column.nullable(column.whole('i.net')),
  bookBankOn: column.nullable(column.day('i.bank_on')),
  soldAt: column.instant('t.sold_at'),
  acquirer: column.text('t.acquirer'),
  saleAmount: column.whole('t.amount'),
  saleCanceled: column.whole('t.canceled_amount'),
  sumGross: column.whole('s.gross'),
  sumCanceled: column.whole('s.canceled'),
  carriedGross: column.whole('c.gross'),
  carriedCanceled: column.whole('c.canceled'),
  carriedCount: column.whole('c.count'),
  firstNumber: column.whole('c.first_number'),
  appliedId: column.nullable(column.text('a.change_id')),
  appliedFee: column.nullable(column.whole('a.fee')),
  appliedNet: column.nullable(column.whole('a.net')),
  appliedBankOn: column.nullable(column.day('a.bank_on')),
  saidId: column.nullable(column.text('w.change_id')),
  saidFee: column.nullable(column.whole('w.fee')),
  saidNet: column.nullable(column.whole('w.net')),
  saidBankOn: column.nullable(column.day('w.bank_on')),
  resolved: column.listOf(column.oneOf(EXCEPTION_CLASSES, "coalesce(x.resolved, '{}')")),
  open: column.listOf(column.oneOf(EXCEPTION_CLASSES, "coalesce(x.open, '{}')")),
  parts: column.parsedBy(
    (value) => (Array.isArray(value) ? (value as Row[]) : undefined),
    "coalesce(m.parts, '[]')",
  ),
  movedFrom: column.listOf(column.nullable(column.oneOf(INSTALLMENT_STATES, "coalesce(v.moved_from, '{}')"))),
  movedTo: column.listOf(column.oneOf(INSTALLMENT_STATES, "coalesce(v.moved_to, '{}')")),
  isNoted: column.boolean(`exists (
       select from truth_differences
       where merchant_id = $1 and transaction_id = k.transaction_id and ended_at is null
     )`),
});

/**
 * One statement, so that all copies are from one snapshot. `said…` columns are of the newest payout that the
 * feed reported, `applied…` columns of the newest that was applied, whatever its source.
 */
const READ = statement(
  'truth.read_installments',
  `select ${READ_INSTALLMENT.columns}, ${JUDGED.columns}
   from ${KEYS.sql} cross join lateral (
     select * from receivables
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number limit 1
   ) r cross join lateral (
     select * from installments
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number limit 1
   ) i cross join lateral (
     select amount, canceled_amount, sold_at, acquirer from transactions where merchant_id = $1 and transaction_id = k.transaction_id limit 1
   ) t cross join lateral (
     select sum(amount)::bigint as gross, sum(canceled_amount)::bigint as canceled from installments
     where merchant_id = $1 and transaction_id = k.transaction_id
   ) s cross join lateral (
     select sum(gross)::bigint as gross, sum(canceled)::bigint as canceled, count(*)::integer as count,
       min(installment_number) as first_number
     from receivables where merchant_id = $1 and transaction_id = k.transaction_id
   ) c cross join lateral (
     select array_agg(old_state order by movement_id) as moved_from, array_agg(new_state order by movement_id) as moved_to
     from movements
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number
   ) v left join lateral (
     select change_id, fee, net, bank_on from acquirer_changes
     where merchant_id = $1 and reference = k.transaction_id::text and installment_number = k.installment_number
       and event = 'settle' and state = 'applied' order by change_number desc limit 1
   ) a on true left join lateral (
     select change_id, fee, net, bank_on from acquirer_changes e
     where merchant_id = $1 and reference = k.transaction_id::text and installment_number = k.installment_number
       and event = 'settle' and e.source = 'feed' order by change_number desc limit 1
   ) w on true left join lateral (
     select array_agg(class) filter (where state = 'resolved') as resolved,
       array_agg(class) filter (where state = 'open') as open
     from reconciliation_exceptions
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number
   ) x on true left join lateral (
     select json_agg(json_build_object('kind', l.kind, 'rule', l.rule, 'file_number', l.file_number,
       'line_number', l.line_number, 'gross', l.gross, 'fee', l.fee, 'net', l.net,
       'anticipation_fee', l.anticipation_fee, 'bank_day', l.bank_on::text, 'document', l.document, 'change_id', l.change_id,
       'change_state', l.change_state)
       order by l.file_number, l.line_number) as parts
     from (
       select p.*, (select state from acquirer_changes where merchant_id = $1 and change_id = p.change_id) as change_state
       from settlement_matches p
       where p.merchant_id = $1 and p.transaction_id = k.transaction_id and p.installment_number = k.installment_number
       order by p.file_number, p.line_number limit 50
     ) l
   ) m on true
   order by r.transaction_id, r.installment_number`,
);

export type ReadComparedInstallment = ComparedInstallment & {
  readonly transactionId: string;
  readonly soldAt: Instant;
  readonly acquirer: string;
  readonly open: readonly ExceptionClass[];
  readonly isNoted: boolean;
};

export async function readComparedInstallments(
  database: Database,
  merchantId: string,
  places: readonly Place[],
): Promise<ReadComparedInstallment[]> {
  if (places.length === 0) return [];
  return (await database.query(READ, [merchantId, ...KEYS.values(places)])).map(parseInstallment);
}

function parseInstallment(row: Row): ReadComparedInstallment {
  const read = READ_INSTALLMENT.parse(row);
  const { transactionId, installmentNumber, soldAt, acquirer, resolved, open, isNoted } = read;
  const reported = { fee: read.reportedFee, net: read.reportedNet, bankOn: read.reportedBankOn };
  const filed = { fee: read.filedFee, net: read.filedNet, bankOn: read.filedBankOn };
  const applied = { fee: read.appliedFee, net: read.appliedNet, bankOn: read.appliedBankOn };
  const said = { fee: read.saidFee, net: read.saidNet, bankOn: read.saidBankOn };
  return {
    ...{ transactionId, installmentNumber, soldAt, acquirer, resolved, open, isNoted },
    carried: {
      ...parseJudged(row),
      payout: reported,
      filed: { ...filed, anticipation: read.filedAnticipation },
    },
    books: {
      gross: read.bookGross,
      canceled: read.bookCanceled,
      state: read.bookState,
      payout: { fee: read.bookFee, net: read.bookNet, bankOn: read.bookBankOn },
    },
    moves: read.movedTo.map((to, index) => ({ from: read.movedFrom[index] ?? null, to })),
    sale: {
      amount: read.saleAmount,
      canceled: read.saleCanceled,
      ofInstallments: { gross: read.sumGross, canceled: read.sumCanceled },
      ofReceivables: {
        gross: read.carriedGross,
        canceled: read.carriedCanceled,
        count: read.carriedCount,
        firstNumber: read.firstNumber,
      },
    },
    applied: read.appliedId === null ? null : applied,
    reported: read.saidId === null ? null : said,
    parts: read.parts.map(parsePart),
  };
}
