import type { Finding } from '../judge/finding.ts';
import type { Books } from '../judge/ledger-view.ts';
import { type BookedSale, BRIDGE } from './sales-books.ts';

/** The state of a payment whose charge may be live. */
const LIVE: Readonly<Record<string, string>> = { captured: 'approved', authorized: 'preauthorized' };

/** What is live at an acquirer and must not be: why. Null: it is as it should be. */
function whyUnwanted({ acquirer, sale, payment }: BookedSale): string | null {
  if (sale.liveAmount === 0) return null;
  if (payment === null) return 'no payment has its reference';
  if (payment.acquirer !== acquirer) return `the payment is at ${payment.acquirer}`;
  if (LIVE[sale.state] !== payment.state) return `the payment is ${payment.state}`;
  return null;
}

/** Payments of which something is live that must not be, or more than once. */
export function unwantedPayments(sales: readonly BookedSale[]): string[] {
  const unwanted = sales.filter((sale) => whyUnwanted(sale) !== null);
  const all = [...unwanted, ...liveTwice(sales).flat()];
  return [...new Set(all.flatMap(({ payment }) => payment?.transactionId ?? []))];
}

/** Of one request of a merchant, or of one billing, over all acquirers. */
function liveTwice(sales: readonly BookedSale[]): BookedSale[][] {
  const live = sales.filter(({ sale }) => sale.liveAmount > 0);
  const orders = Map.groupBy(live, ({ sale, payment }) =>
    payment === null ? sale.reference : `${payment.merchantId} ${payment.reference}`,
  );
  return [...orders.values()].filter((group) => group.length > 1);
}

/** A sale that was approved once, whatever became of it. */
const MADE = ['captured', 'authorized', 'refunded', 'voided', 'lapsed'];

/** What the ledgers and the database show without any answer, when nothing is under way. */
export function checkSales(sales: readonly BookedSale[]): Finding[] {
  const findings: Finding[] = [];
  const complain = (invariant: string, { sale, payment }: BookedSale, text: string) =>
    findings.push({ invariant, reference: payment?.reference ?? sale.reference, text });
  for (const booked of sales) {
    const { acquirer, sale, payment } = booked;
    const why = whyUnwanted(booked);
    if (why !== null)
      complain(
        'what is live at an acquirer is a payment that has it there',
        booked,
        `${sale.state} at ${acquirer}: ${why}`,
      );
    if (payment?.hasNext === true && MADE.includes(sale.state))
      complain(
        'what went on to another acquirer was not made at the first',
        booked,
        `${sale.state} at ${acquirer}`,
      );
  }
  for (const group of liveTwice(sales)) {
    const [first] = group;
    const places = group.map(({ acquirer, sale }) => `${sale.state} at ${acquirer}`).join(', ');
    if (first !== undefined) complain('a charge is live once, over all acquirers', first, places);
  }
  return findings;
}

/** Each cancel that was done is one refund of its own amount, and no other refund was done. */
export function checkRefunds(books: Books, sales: readonly BookedSale[]): Finding[] {
  const cancelsOf = Map.groupBy(
    books.cancels.filter(({ state }) => state === 'canceled'),
    ({ transactionId }) => transactionId,
  );
  return sales.flatMap(({ acquirer, sale, payment }) => {
    const isJudged = payment?.state === 'approved' && payment.acquirer === acquirer && acquirer !== BRIDGE;
    // Twins are voided whole.
    if (!isJudged || !books.transactionById.has(payment.transactionId) || sale.nsu !== Number(payment.nsu))
      return [];
    const here = (cancelsOf.get(payment.transactionId) ?? []).map(({ amount }) => amount).toSorted(byAmount);
    const there = sale.refunds
      .filter(({ status }) => status === 'done')
      .map(({ amount }) => amount)
      .toSorted(byAmount);
    if (here.join() === there.join()) return [];
    const text = `given back [${there}] at ${acquirer}, by cancels of [${here}]`;
    return [
      { invariant: 'a cancel is given back once, by its own amount', reference: payment.reference, text },
    ];
  });
}

const byAmount = (one: number, other: number): number => one - other;
