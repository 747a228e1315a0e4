import type { Charge } from '../../simulators/acquirer/charges.ts';
import { bankDayFrom } from '../../simulators/kit/bank-days.ts';
import { saoPauloDayOf } from '../../simulators/kit/days.ts';
import type { Auditor } from '../../test/kit/service.ts';
import type { Month } from './month.ts';

export type ExplainedMonth = {
  readonly paid: number;
  readonly paidNet: number;
  /** Of installments whose payout the files say otherwise than the acquirer's ledger, or not at all. */
  readonly otherThanLedger: number;
  /** Of sales of which files take back otherwise than the ledger, in cancels or in chargebacks. */
  readonly takenOtherwise: number;
  /** By class and state, and with what it is explained. */
  readonly exceptions: readonly ExceptionRow[];
  /** Cents of all open exceptions, whatever their sign. */
  readonly open: number;
  /** Cents in which books and files differ on an installment that has no exception. */
  readonly unnoticed: number;
};

export type ExceptionRow = {
  readonly class: string;
  readonly state: string;
  readonly explanation: string | null;
  readonly count: number;
  readonly cents: number;
};

const EXCEPTIONS = `select class, state, explanation, count(*)::int as count, sum(abs(amount))::float8 as cents
  from reconciliation_exceptions group by 1, 2, 3 order by 1, 2, 3`;

/** An anticipation costs what the file says, and takes nothing off the fee. */
const UNNOTICED = `select coalesce(sum(abs(r.expected_net - r.filed_net - coalesce(r.filed_anticipation, 0))), 0)::float8 as cents
  from receivables r
  where r.filed_bank_on is not null and r.expected_net <> r.filed_net + coalesce(r.filed_anticipation, 0)
    and r.expected_fee + r.expected_net = r.filed_fee + r.filed_net + coalesce(r.filed_anticipation, 0)
    and not exists (
      select from reconciliation_exceptions e where e.merchant_id = r.merchant_id
        and e.transaction_id = r.transaction_id and e.installment_number = r.installment_number
    )`;

const TAKEN = `select merchant_id, transaction_id::text as reference, kind, sum(-gross)::float8 as cents
  from settlement_matches where kind in ('cancel', 'chargeback') group by 1, 2, 3`;

const FILED = `select merchant_id, transaction_id::text as reference, installment_number as number, filed_fee, filed_net,
    coalesce(filed_anticipation, 0) as filed_anticipation, to_char(filed_bank_on, 'YYYY-MM-DD') as filed_on
  from receivables where (merchant_id, transaction_id, installment_number) > ($1, $2::uuid, $3)
  order by 1, 2, 3 limit 50000`;

/**
 * Holds every payout of the ledger against what the files said, to the cent: of each installment, and
 * where a file pays by batch, of the batch's.
 */
export async function explainMonth(
  auditor: Auditor,
  month: Month,
  batchedMerchant: string,
): Promise<ExplainedMonth> {
  const settled = month.charges.changesOf(null).filter(({ type }) => type === 'settled');
  const left = new Map<string, Money>();
  for (const { charge, installmentNumber, payout, at } of settled) {
    if (payout === undefined || installmentNumber === null) continue;
    const bankOn = bankDayFrom(saoPauloDayOf(at));
    const place = placeOf(charge, installmentNumber, bankOn, batchedMerchant);
    take(left, place, [payout.fee, payout.anticipationFee ?? 0, payout.net], 1);
  }
  let after = ['', '00000000-0000-0000-0000-000000000000', 0] as (string | number)[];
  for (;;) {
    const rows = await auditor.query(FILED, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) {
      const charge = month.charges.charge(row.merchant_id as string, row.reference as string);
      if (charge === undefined || row.filed_on === null) continue;
      const place = placeOf(charge, row.number as number, row.filed_on as string, batchedMerchant);
      const filed = [row.filed_fee, row.filed_anticipation, row.filed_net].map((cents) => Number(cents ?? 0));
      take(left, place, filed, -1);
    }
    after = [last.merchant_id as string, last.reference as string, last.number as number];
  }
  const otherThanLedger = [...left.values()].flat().reduce((sum, cents) => sum + Math.abs(cents), 0);
  const exceptions = (await auditor.query(EXCEPTIONS)) as ExceptionRow[];
  const open = exceptions.filter(({ state }) => state === 'open').reduce((sum, { cents }) => sum + cents, 0);
  const [unnoticed] = await auditor.query(UNNOTICED);
  const paidNet = settled.reduce((sum, { payout }) => sum + (payout?.net ?? 0), 0);
  const takenOtherwise = await readTakenOtherwise(auditor, month);
  const found = { paid: settled.length, paidNet, otherThanLedger, takenOtherwise, exceptions, open };
  return { ...found, unnoticed: Number(unnoticed?.cents ?? 0) };
}

async function readTakenOtherwise(auditor: Auditor, { charges }: Month): Promise<number> {
  const left = new Map<string, Money>();
  for (const { type, charge, amount } of charges.changesOf(null)) {
    if (type !== 'canceled' && type !== 'chargeback') continue;
    const kind = type === 'canceled' ? 'cancel' : 'chargeback';
    take(left, [charge.merchantId, charge.reference, kind].join(' '), [amount ?? 0, 0, 0], 1);
  }
  for (const row of await auditor.query(TAKEN))
    take(left, [row.merchant_id, row.reference, row.kind].join(' '), [Number(row.cents), 0, 0], -1);
  return [...left.values()].flat().reduce((sum, cents) => sum + Math.abs(cents), 0);
}

/** Fee, fee of an anticipation, and net. */
type Money = number[];

function take(left: Map<string, Money>, place: string, money: Money, sign: 1 | -1): void {
  const before = left.get(place) ?? [0, 0, 0];
  left.set(
    place,
    before.map((cents, index) => cents + sign * (money[index] ?? 0)),
  );
}

function placeOf(charge: Charge, number: number, bankOn: string, batchedMerchant: string): string {
  const { merchantId, reference, cardMark, installments, soldAt } = charge;
  if (merchantId !== batchedMerchant) return [merchantId, reference, number, bankOn].join(' ');
  return [merchantId, saoPauloDayOf(soldAt), cardMark.slice(15), installments, number, bankOn].join(' ');
}
