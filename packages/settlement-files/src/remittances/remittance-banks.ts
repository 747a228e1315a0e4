import { AILOS_240 } from './ailos.ts';
import { BANCO_DO_BRASIL_240, BANCO_DO_BRASIL_400 } from './banco-do-brasil.ts';
import { BRADESCO_240, BRADESCO_400 } from './bradesco.ts';
import { BTG_240 } from './btg.ts';
import { CAIXA_240, CAIXA_400 } from './caixa.ts';
import { INTER_400 } from './inter.ts';
import { ITAU_240, ITAU_400 } from './itau.ts';
import type { Agreement, Remittance, RemittanceBank } from './remittance.ts';
import { SANTANDER_240, SANTANDER_400 } from './santander.ts';
import { SICOOB_240, SICOOB_400 } from './sicoob.ts';
import { SICREDI_240, SICREDI_400 } from './sicredi.ts';

/** Banks whose files are written. Of a bank with two layouts the first is taken where none is named. */
export const REMITTANCE_BANKS: readonly RemittanceBank[] = [
  AILOS_240,
  BANCO_DO_BRASIL_240,
  BANCO_DO_BRASIL_400,
  BRADESCO_400,
  BRADESCO_240,
  BTG_240,
  CAIXA_240,
  CAIXA_400,
  INTER_400,
  ITAU_400,
  ITAU_240,
  SANTANDER_240,
  SANTANDER_400,
  SICOOB_240,
  SICOOB_400,
  SICREDI_240,
  SICREDI_400,
];

/** A sentence if the bank is not written, or not in this layout. */
export function remittanceBankNamed(code: string, layout?: string): RemittanceBank | string {
  const ofBank = REMITTANCE_BANKS.filter((bank) => bank.code === code);
  const found = ofBank.find((bank) => bank.layout === (layout ?? bank.layout));
  if (found !== undefined) return found;
  const [first] = ofBank;
  if (first === undefined) return `bank=${code} is no bank whose files are written`;
  const written = ofBank.map((bank) => bank.layout).join(' or ');
  return `layout=${layout} is not written for bank ${code} (${first.name}): it is ${written}`;
}

/** A sentence; null: nothing is wrong. */
export function agreementFault(bank: RemittanceBank, agreement: Agreement): string | null {
  for (const [name, { pattern, meaning }] of Object.entries(bank.agreement)) {
    const value = agreement[name];
    if (value === undefined) return `${name} is missing: ${meaning}`;
    if (!pattern.test(value)) return `${name}=${value} is not ${meaning}`;
  }
  return bank.agreementFault(agreement);
}

/** Throws RangeError for what does not fit, for another number, and for a boleto of nothing. */
export function writeRemittance(bank: RemittanceBank, remittance: Remittance): Uint8Array {
  for (const { kind, amount, bankNumber, daysAfterDue } of remittance.orders) {
    if (amount < 1) throw new RangeError(`boleto ${bankNumber} has no amount`);
    if (kind === 'register' && daysAfterDue > (bank.mostDaysAfterDue ?? daysAfterDue))
      throw new RangeError(`bank ${bank.code} takes no payment ${daysAfterDue} days after the due day`);
    if (bankNumber.length !== bank.numberLength)
      throw new RangeError(`boleto ${bankNumber} has not ${bank.numberLength} digits`);
  }
  return Buffer.from(
    bank
      .lines(remittance)
      .map((line) => `${line}\r\n`)
      .join(''),
    'latin1',
  );
}
