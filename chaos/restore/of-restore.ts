import type { Sale } from './restored-till.ts';

/** A charge in the acquirer's ledger: `reference` is the merchant's. */
export type LedgerCharge = {
  readonly reference: string | null;
  readonly paymentId: string;
  readonly amount: number;
  readonly canceledAmount: number;
  readonly status: 'preauthorized' | 'approved' | 'declined' | 'undone' | 'canceled';
};

/** A transaction in the books. */
export type BookedCharge = {
  readonly id: string;
  readonly state: string;
  readonly amount: number;
  readonly canceledAmount: number;
};

export type RestoredBooks = {
  readonly sales: readonly Sale[];
  readonly ledger: readonly LedgerCharge[];
  readonly booked: readonly BookedCharge[];
  /** Of the charges: those that still wait for a person. */
  readonly undecided: readonly string[];
  /** Ids of billings, and their states. */
  readonly billings: readonly { readonly id: string; readonly state: string }[];
};

const isLive = ({ status }: LedgerCharge) =>
  status === 'approved' || status === 'preauthorized' || status === 'canceled';

/** What may not be after a restore: each finding names its charge, order or billing. */
export function judgeRestore(books: RestoredBooks): string[] {
  return [...ofLedger(books), ...ofBooks(books), ...ofSales(books), ...ofBillings(books)];
}

/** Every live charge is in the books, as it is there; none is there twice. */
function ofLedger({ ledger, booked, undecided }: RestoredBooks): string[] {
  const byId = new Map(booked.map((row) => [row.id, row]));
  const live = ledger.filter(isLive);
  const references = live.flatMap(({ reference }) => (reference === null ? [] : [reference]));
  const twice = references.filter((reference, index) => references.indexOf(reference) !== index);
  const missing = live.flatMap((charge) => {
    if (undecided.includes(charge.paymentId)) return [];
    const row = byId.get(charge.paymentId);
    if (row === undefined) return [`live at the acquirer and not in the books: ${charge.paymentId}`];
    const state = charge.status === 'preauthorized' ? 'preauthorized' : 'approved';
    const isSame =
      row.state === state && row.amount === charge.amount && row.canceledAmount === charge.canceledAmount;
    return isSame ? [] : [`differs: ${JSON.stringify(charge)} there, ${JSON.stringify(row)} here`];
  });
  return [...twice.map((reference) => `charged twice: ${reference}`), ...missing];
}

/** Nothing in the books is unknown, or charged without being so at the acquirer. */
function ofBooks({ ledger, booked }: RestoredBooks): string[] {
  const live = new Set(ledger.filter(isLive).map(({ paymentId }) => paymentId));
  return booked.flatMap(({ id, state }) => {
    if (['charging', 'unresolved', 'capturing'].includes(state)) return [`still unknown: ${id} is ${state}`];
    const isCharged = state === 'approved' || state === 'preauthorized';
    return isCharged && !live.has(id) ? [`in the books and not live at the acquirer: ${id}`] : [];
  });
}

/** What the merchant was answered holds: paid is charged, and what was not paid is not. */
function ofSales({ sales, ledger, undecided }: RestoredBooks): string[] {
  const byOrder = new Map(ledger.filter(isLive).map((charge) => [charge.reference, charge]));
  return sales.flatMap((sale) => {
    const charge = byOrder.get(sale.order);
    if (charge !== undefined && undecided.includes(charge.paymentId)) return [];
    if (sale.paymentId === null)
      return charge === undefined ? [] : [`answered no payment, and charged: ${sale.order}`];
    if (sale.isInDoubt) return [];
    if (sale.gaveBack !== undefined && charge !== undefined && charge.canceledAmount !== sale.gaveBack)
      return [`gave back ${sale.gaveBack} once, and ${charge.canceledAmount} is given back: ${sale.order}`];
    if (sale.released) return charge === undefined ? [] : [`released, and held or charged: ${sale.order}`];
    if (charge === undefined) return [`answered as paid, and not charged: ${sale.order}`];
    if (sale.captured !== null && charge.amount !== sale.captured)
      return [`captured ${sale.captured}, and charged ${charge.amount}: ${sale.order}`];
    return [];
  });
}

/** Each billing was collected once. */
function ofBillings({ ledger, billings }: RestoredBooks): string[] {
  return billings.flatMap(({ id, state }) => {
    const charges = ledger.filter((charge) => charge.reference === id && isLive(charge));
    if (charges.length > 1) return [`a billing charged ${charges.length} times: ${id}`];
    return (state === 'paid') === (charges.length === 1)
      ? []
      : [`a billing that is ${state} has ${charges.length} charges: ${id}`];
  });
}
