import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import type { ChaosAcquirer, ChaosBench } from '../chaos-bench.ts';
import type { Finding } from '../judge/finding.ts';
import type { BookedCharge } from '../judge/ledger-view.ts';
import { again } from '../recurrence/patience.ts';

/** The merchant's number at both. */
export const ESTABLISHMENT = '12345678-1234-1234-1234-123456789012';

/** A sale as the ledger of a simulated acquirer shows it. */
type Sale = {
  readonly id: string;
  readonly reference: string;
  readonly nsu: number;
  readonly state: string;
  readonly amount: number;
  readonly capturedAmount: number;
  readonly refundedAmount: number;
  readonly liveAmount: number;
  readonly decision: { readonly authorizationCode?: string };
};

type Payment = {
  readonly transactionId: string;
  readonly merchantId: string;
  readonly reference: string;
  readonly state: string;
  readonly acquirer: string;
  readonly nsu: string | null;
};

export type BookedSale = { readonly acquirer: string; readonly sale: Sale; readonly payment: Payment | null };

const PAGE = 10_000;

const PAYMENTS = `select transaction_id as "transactionId", merchant_id as "merchantId", state, acquirer, nsu,
  reference_transaction as reference from transactions`;

/** Every sale of both acquirers, beside the payment whose id its reference was made from. */
export async function readSales(bench: ChaosBench): Promise<BookedSale[]> {
  const rows = (await bench.query(PAYMENTS)) as unknown as Payment[];
  const payments = new Map(rows.map((row) => [shortReference(row.transactionId), row]));
  const ledgers = await Promise.all(
    bench.acquirers.map(async (acquirer) => {
      const sales = await readLedgerOf(acquirer);
      return sales.map((sale) => ({
        acquirer: acquirer.name,
        sale,
        payment: payments.get(sale.reference) ?? null,
      }));
    }),
  );
  return ledgers.flat();
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

/** These acquirers void a charge by giving all of it back: which of the two it was is told by us. */
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

/** The states of a payment whose charge may be live. */
const LIVE: Readonly<Record<string, readonly string[]>> = {
  captured: ['approved'],
  authorized: ['preauthorized'],
};

/** What the ledgers and the database show without any answer, when nothing is under way. */
export function checkSales(sales: readonly BookedSale[]): Finding[] {
  const findings: Finding[] = [];
  const live = sales.filter(({ sale }) => sale.liveAmount > 0);
  for (const { acquirer, sale, payment } of live) {
    const complain = (text: string) =>
      findings.push({
        invariant: 'what is live at an acquirer is a payment that has it there',
        reference: payment?.reference ?? sale.reference,
        text: `${sale.state} at ${acquirer}: ${text}`,
      });
    if (payment === null) complain('no payment has its reference');
    else if (payment.acquirer !== acquirer) complain(`the payment is at ${payment.acquirer}`);
    else if (!LIVE[sale.state]?.includes(payment.state)) complain(`the payment is ${payment.state}`);
  }
  const ofOrders = Map.groupBy(live, ({ sale, payment }) => payment?.transactionId ?? sale.reference);
  for (const sales of ofOrders.values()) {
    const first = sales[0];
    if (sales.length > 1 && first !== undefined)
      findings.push({
        invariant: 'a charge is live once',
        reference: first.payment?.reference ?? first.sale.reference,
        text: `${sales.length} are live`,
      });
  }
  return findings;
}
