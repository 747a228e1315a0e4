import assert from 'node:assert/strict';
import type { Day } from '../src/day.ts';
import type { Remittance, RemittanceBank, RemittanceOrder } from '../src/remittances/remittance.ts';
import { remittanceBankNamed, writeRemittance } from '../src/remittances/remittance-banks.ts';

export const COMPANY = { companyName: 'Loja São João Ltda', companyDocument: '11222333000181' };

export const bankOf = (code: string, layout?: string) => {
  const bank = remittanceBankNamed(code, layout);
  assert.ok(typeof bank !== 'string');
  return bank;
};

export const day = (text: string) => text as Day;

export const ORDER: RemittanceOrder = {
  kind: 'register',
  companyUse: '10000000001',
  bankNumber: '00000001',
  amount: 14_990,
  issuedOn: day('2026-11-29'),
  dueOn: day('2026-12-10'),
  daysAfterDue: 30,
  payer: {
    name: 'Inês Conceição d’Ávila',
    documentNumber: '52998224725',
    street: 'Rua das Flores, 100 - apto 2',
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  },
  finePortion: 200,
  interestPortion: 100,
  discount: { amount: 1_000, until: day('2026-12-05') },
};

export function written(
  bank: string | RemittanceBank,
  agreement: Remittance['agreement'],
  orders: readonly RemittanceOrder[],
) {
  const of = typeof bank === 'string' ? bankOf(bank) : bank;
  const bytes = writeRemittance(of, { agreement, number: 7, madeOn: day('2026-11-29'), orders });
  const lines = Buffer.from(bytes).toString('latin1').split('\r\n');
  assert.equal(lines.pop(), '');
  const length = lines[0]?.length;
  lines.forEach((line, index) => {
    assert.equal(line.length, length);
    if (length === 400) assert.equal(line.slice(394), String(index + 1).padStart(6, '0'));
  });
  const at = (line: number, from: number, to: number) => lines[line]?.slice(from - 1, to);
  return { lines, at };
}
