import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { InstallmentState } from '../../transactions/transaction.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { ExceptionClass } from '../exceptions/exception.ts';
import { JUDGED, parseJudged, parsePart } from '../judging/judged.sql.ts';
import type { JudgedInstallment } from '../judging/judged-installment.ts';
import type { MatchedPart } from '../judging/matched-part.ts';
import type { ComparedInstallment, SaidPayout } from './truth.ts';
import type { ComparedPlace, TruthRun } from './truth-run.ts';

const PLACE = '($3::date, $4::uuid, $5::smallint)';
const ORDER = 'order by payment_on, transaction_id, installment_number limit $6';

/** What is open, or differed before, is compared however old it is. */
const FIND = statement(
  'truth.find_installments',
  `select payment_on::text as payment_day, transaction_id, installment_number from (
     (select payment_on, transaction_id, installment_number from receivables
      where merchant_id = $1 and payment_on >= $2::date
        and (payment_on, transaction_id, installment_number) > ${PLACE}
      ${ORDER})
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

/** The next installments of a run. */
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
  return rows.map((row) => ({
    paymentOn: row.payment_day as Day,
    transactionId: row.transaction_id as string,
    installmentNumber: row.installment_number as number,
  }));
}

type Place = Pick<ComparedPlace, 'transactionId' | 'installmentNumber'>;

const KEYS = inputRows<Place>(
  {
    transaction_id: ['uuid', (key) => key.transactionId],
    installment_number: ['smallint', (key) => key.installmentNumber],
  },
  { as: 'k', after: 1 },
);

/**
 * One statement, so that all copies are of one moment. What the states were moved by is a change that
 * was applied; what the acquirer reported by itself is none of a file.
 */
const READ = statement(
  'truth.read_installments',
  `select r.transaction_id, r.installment_number, ${JUDGED.columns}, r.reported_fee, r.reported_net,
     r.reported_bank_on::text as reported_bank_on, r.filed_fee, r.filed_net, r.filed_anticipation,
     r.filed_bank_on::text as filed_bank_on,
     i.amount as book_gross, i.canceled_amount as book_canceled, i.state as book_state, i.fee as book_fee, i.net as book_net,
     i.bank_on::text as book_bank_on, t.sold_at as sale_sold_at, t.amount as sale_amount, t.canceled_amount as sale_canceled,
     s.gross as sum_gross, s.canceled as sum_canceled, c.gross as carried_gross, c.canceled as carried_canceled,
     c.count as carried_count, c.first_number, a.change_id as applied_id, a.fee as applied_fee, a.net as applied_net,
     a.bank_on::text as applied_bank_on, w.change_id as reported_id, w.fee as said_fee, w.net as said_net,
     w.bank_on::text as said_bank_on, x.resolved, x.open, coalesce(m.parts, '[]') as parts, v.moved_from, v.moved_to,
     exists (
       select from truth_differences
       where merchant_id = $1 and transaction_id = k.transaction_id and ended_at is null
     ) as is_noted
   from ${KEYS.sql} cross join lateral (
     select * from receivables
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number limit 1
   ) r cross join lateral (
     select * from installments
     where merchant_id = $1 and transaction_id = k.transaction_id and installment_number = k.installment_number limit 1
   ) i cross join lateral (
     select amount, canceled_amount, sold_at from transactions where merchant_id = $1 and transaction_id = k.transaction_id limit 1
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
  /** When the acquirer was first asked for its sale: business time. */
  readonly soldAt: Instant;
  /** The exceptions that stand. */
  readonly open: readonly ExceptionClass[];
  /** Something of its sale differed when it was compared last. */
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
  return {
    transactionId: row.transaction_id as string,
    soldAt: row.sale_sold_at as Instant,
    installmentNumber: row.installment_number as number,
    carried: {
      ...parseJudged(row),
      payout: payoutOf(row, 'reported'),
      filed: { ...payoutOf(row, 'filed'), anticipation: row.filed_anticipation as number | null },
    },
    books: {
      gross: row.book_gross as number,
      canceled: row.book_canceled as number,
      state: row.book_state as JudgedInstallment['state'],
      payout: payoutOf(row, 'book'),
    },
    moves: ((row.moved_to ?? []) as InstallmentState[]).map((to, index) => ({
      from: ((row.moved_from as (InstallmentState | null)[])[index] ?? null) as InstallmentState | null,
      to,
    })),
    sale: {
      amount: row.sale_amount as number,
      canceled: row.sale_canceled as number,
      ofInstallments: { gross: row.sum_gross as number, canceled: row.sum_canceled as number },
      ofReceivables: {
        gross: row.carried_gross as number,
        canceled: row.carried_canceled as number,
        count: row.carried_count as number,
        firstNumber: row.first_number as number,
      },
    },
    applied: row.applied_id === null ? null : payoutOf(row, 'applied'),
    reported: row.reported_id === null ? null : payoutOf(row, 'said'),
    parts: (row.parts as Row[]).map(parsePart) satisfies MatchedPart[],
    resolved: (row.resolved ?? []) as ExceptionClass[],
    open: (row.open ?? []) as ExceptionClass[],
    isNoted: row.is_noted as boolean,
  };
}

function payoutOf(row: Row, of: 'reported' | 'filed' | 'book' | 'applied' | 'said'): SaidPayout {
  return {
    fee: row[`${of}_fee`] as number | null,
    net: row[`${of}_net`] as number | null,
    bankOn: row[`${of}_bank_on`] as Day | null,
  };
}
