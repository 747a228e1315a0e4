import { BRADESCO_400 } from './bradesco.ts';
import { ITAU_400 } from './itau.ts';
import type { Agreement, Remittance, RemittanceBank } from './remittance.ts';

/** Banks whose files are written, all in CNAB 400. */
export const REMITTANCE_BANKS: readonly RemittanceBank[] = [BRADESCO_400, ITAU_400];

export function remittanceBankNamed(code: string): RemittanceBank | undefined {
  return REMITTANCE_BANKS.find((bank) => bank.code === code);
}

/** What is wrong with an agreement, as a sentence; null: nothing. */
export function agreementFault(bank: RemittanceBank, agreement: Agreement): string | null {
  for (const [name, { pattern, meaning }] of Object.entries(bank.agreement)) {
    const value = agreement[name];
    if (value === undefined) return `${name} is missing: ${meaning}`;
    if (!pattern.test(value)) return `${name}=${value} is not ${meaning}`;
  }
  return bank.agreementFault(agreement);
}

/** A whole file. Throws RangeError for what does not fit. */
export function writeRemittance(bank: RemittanceBank, remittance: Remittance): Uint8Array {
  return Buffer.from(
    bank
      .lines(remittance)
      .map((line) => `${line}\r\n`)
      .join(''),
    'latin1',
  );
}
