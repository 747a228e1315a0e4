import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { ChaosAcquirer } from '../chaos-simulators.ts';
import { type BookedCharge, ledgerPages } from '../judge/ledger-view.ts';
import { again } from '../recurrence/patience.ts';

/** The merchant's number at both. */
export const ESTABLISHMENT = '12345678-1234-1234-1234-123456789012';
/** The acquirer of the settings, behind the bridge protocol. */
export const BRIDGE = 'default';

type Refund = { readonly amount: number; readonly status: 'pending' | 'done' | 'failed' };

/** A sale as the ledger of a simulated acquirer shows it. */
type Sale = {
  readonly reference: string;
  readonly nsu: number;
  readonly state: string;
  readonly amount: number;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly liveAmount: number;
  readonly refunds: readonly Refund[];
  readonly decision: { readonly authorizationCode?: string };
};

type Payment = {
  readonly transactionId: string;
  readonly merchantId: string;
  /** The merchant's own; of a billing its id. */
  readonly reference: string;
  readonly state: string;
  readonly acquirer: string;
  readonly nsu: string | null;
  /** Another acquirer was asked after it. */
  readonly hasNext: boolean;
};

/** `payment`: the one whose id its reference was made from; null: none was. */
export type BookedSale = { readonly acquirer: string; readonly sale: Sale; readonly payment: Payment | null };

const PAGE = 10_000;

const PAYMENTS = `select transaction_id as "transactionId", merchant_id as "merchantId", state, acquirer, nsu,
  reference_transaction as reference, next_attempt_id is not null as "hasNext" from transactions`;

/** Every sale at every acquirer, beside its payment. */
export async function readSales(bench: ChaosBench): Promise<BookedSale[]> {
  const [ledgers, ofBridge] = await Promise.all([
    Promise.all(
      bench.acquirers.map(async (acquirer) => {
        const sales = await readLedgerOf(acquirer);
        return sales.map((sale) => ({ acquirer: acquirer.name, key: sale.reference, sale }));
      }),
    ),
    again(() => readBridge(bench)),
  ]);
  // The payments last: every sale has one that was written down before.
  const rows = (await bench.query(PAYMENTS)) as unknown as Payment[];
  const payments = new Map(rows.map((row) => [row.transactionId, row]));
  for (const row of rows) payments.set(shortReference(row.transactionId), row);
  return [...ledgers.flat(), ...ofBridge].map(({ acquirer, key, sale }) => ({
    ...{ acquirer, sale },
    payment: payments.get(key) ?? null,
  }));
}

async function readLedgerOf(acquirer: ChaosAcquirer): Promise<Sale[]> {
  const found: Sale[] = [];
  for (;;) {
    const path = `/simulator/ledger?after=${found.length}&limit=${PAGE}`;
    const { items } = (await again(() => ask(acquirer, path))) as { items: Sale[] };
    found.push(...items);
    if (items.length < PAGE) return found;
  }
}

async function ask({ url, name }: ChaosAcquirer, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  if (answer.status !== 200) throw new Error(`${name} answered ${path} with ${answer.status}`);
  return answer.json();
}

async function readBridge(bench: ChaosBench) {
  const found: { acquirer: string; key: string; sale: Sale }[] = [];
  for await (const page of ledgerPages(bench, { after: 0 }))
    for (const charge of page) found.push({ acquirer: BRIDGE, key: charge.paymentId, sale: saleOf(charge) });
  return found;
}

const STATES_AT_BRIDGE: Readonly<Record<string, string>> = {
  approved: 'captured',
  canceled: 'refunded',
  preauthorized: 'authorized',
  undone: 'voided',
};

function saleOf({ paymentId, nsu, amount, canceledAmount, status, authorizationCode }: BookedCharge): Sale {
  const isCaptured = status === 'approved' || status === 'canceled';
  const isLive = isCaptured || status === 'preauthorized';
  return {
    ...{ reference: paymentId, nsu: Number(nsu), state: STATES_AT_BRIDGE[status] ?? status, amount },
    ...{ capturedAmount: isCaptured ? amount : 0, refundedAmount: canceledAmount, refunds: [] },
    liveAmount: isLive ? amount - canceledAmount : 0,
    decision: authorizationCode === null ? {} : { authorizationCode },
  };
}

/** The sales of the rounds as the judge of payments reads charges; what stands comes last. */
export function chargesOf(sales: readonly BookedSale[], rounds: string): BookedCharge[] {
  return sales
    .flatMap(({ sale, payment }) =>
      payment?.reference.startsWith(rounds) && sale.state !== 'checked' ? [chargeOf(sale, payment)] : [],
    )
    .toSorted((left, right) => Number(isStanding(left)) - Number(isStanding(right)));
}

function isStanding({ status }: BookedCharge): boolean {
  return status !== 'declined' && status !== 'undone';
}

function chargeOf(sale: Sale, payment: Payment): BookedCharge {
  const status = statusOf(sale, payment);
  return {
    merchantId: payment.merchantId,
    reference: payment.reference,
    paymentId: payment.transactionId,
    // An acquirer may fill it up with zeros.
    nsu: Number(payment.nsu) === sale.nsu ? payment.nsu : String(sale.nsu),
    authorizationCode: sale.decision.authorizationCode ?? null,
    amount: sale.capturedAmount > 0 ? sale.capturedAmount : sale.amount,
    canceledAmount: status === 'undone' ? 0 : sale.refundedAmount,
    status,
  };
}

/** Rede and Cielo void a charge by giving all of it back: which of the two it was is told by us. */
function statusOf({ state, liveAmount }: Sale, payment: Payment): string {
  switch (state) {
    case 'declined':
      return 'declined';
    case 'authorized':
      return 'preauthorized';
    case 'doubtful':
      return liveAmount > 0 ? 'approved' : 'undone';
    case 'captured':
      return 'approved';
    case 'refunded':
    case 'voided':
      return payment.state === 'approved' ? 'canceled' : 'undone';
    default:
      return 'undone';
  }
}
