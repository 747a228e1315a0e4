import type { BankPaper, LedgerBoleto } from './bank-paper.ts';

const MOST_BOLETOS = 100;
const TIMEOUT_MILLISECONDS = 5_000;

/** The merchant's newest boletos in the books of the bank's simulator. Throws when it does not answer. */
export async function readBankLedger(
  bankUrl: string | null,
  merchantId: string,
  { ourNumber }: { readonly ourNumber?: string },
): Promise<BankPaper<readonly LedgerBoleto[]>> {
  if (bankUrl === null) return { kind: 'refused', refusal: 'noSimulator' };
  // The simulator refuses what is no number of ours; to the merchant it is a boleto that does not exist.
  if (ourNumber !== undefined && !/^\d{11}$/.test(ourNumber)) return { kind: 'read', paper: [] };
  const url = new URL('/ledger', bankUrl);
  url.searchParams.set('merchantId', merchantId);
  url.searchParams.set('limit', String(MOST_BOLETOS));
  if (ourNumber !== undefined) url.searchParams.set('ourNumber', ourNumber);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
  if (!response.ok) throw new Error(`the simulator of the bank answered ${response.status}`);
  const { items } = (await response.json()) as { items: LedgerBoleto[] };
  return { kind: 'read', paper: items.map(shownBoleto) };
}

function shownBoleto(boleto: LedgerBoleto): LedgerBoleto {
  const { ourNumber, status, amount, issuedOn, dueOn, payableUntil, barCode, digitableLine } = boleto;
  const payments = boleto.payments.map(({ amount, paidOn }) => ({ amount, paidOn }));
  return { ourNumber, status, amount, issuedOn, dueOn, payableUntil, barCode, digitableLine, payments };
}
