import { isUuid } from '../values/ids.ts';

export type LedgerCharge = {
  readonly reference: string | null;
  readonly paymentId: string;
  readonly nsu: string | null;
  readonly authorizationCode: string | null;
  /** Cents; null for a void of a reference never seen. */
  readonly amount: number | null;
  /** Cents of it that were canceled. */
  readonly canceledAmount: number;
  readonly status: 'preauthorized' | 'approved' | 'declined' | 'undone' | 'canceled';
};

const MOST_CHARGES = 100;
const TIMEOUT_MILLISECONDS = 5_000;

/** Throws when the simulator does not answer. */
export async function readAcquirerLedger(
  simulatorUrl: string,
  merchantId: string,
  filter: { readonly reference?: string; readonly paymentId?: string },
): Promise<LedgerCharge[]> {
  // The simulator refuses what is no reference of ours; to the merchant it is a payment that does
  // not exist.
  if (filter.paymentId !== undefined && !isUuid(filter.paymentId)) return [];
  const url = new URL('/ledger', simulatorUrl);
  url.searchParams.set('merchantId', merchantId);
  url.searchParams.set('limit', String(MOST_CHARGES));
  if (filter.reference !== undefined) url.searchParams.set('merchantReference', filter.reference);
  if (filter.paymentId !== undefined) url.searchParams.set('reference', filter.paymentId);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (!response.ok) throw new Error(`the simulator answered ${response.status}`);
  const { items } = (await response.json()) as { items: LedgerCharge[] };
  return items.map(({ reference, paymentId, nsu, authorizationCode, amount, canceledAmount, status }) => ({
    reference,
    paymentId,
    nsu,
    authorizationCode,
    amount,
    canceledAmount,
    status,
  }));
}
