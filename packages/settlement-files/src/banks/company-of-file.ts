import { BANK_OF_400, is240, is400 } from './return-header.ts';

/**
 * The CPF or CNPJ that a line names as the company's, 14 signs; null: none. In CNAB 240 and at Sicredi the
 * header has it, in CNAB 400 the lines of most banks.
 */
export function companyOf(line: string): string | null {
  const document = documentIn(line);
  return /^[0-9A-Z]{12}\d{2}$/.test(document) && !/^0+$/.test(document) ? document : null;
}

function documentIn(line: string): string {
  if (is240(line)) return line.slice(18, 32);
  if (is400(line)) return line.slice(...BANK_OF_400) === '748' ? line.slice(31, 45) : '';
  return /^[17]0[12]/.test(line) ? line.slice(3, 17) : '';
}

/** Of a group all its establishments: banks let the header name another one than the lines. */
export function isCompany(found: string, known: string): boolean {
  const isRoot = known.length === 14 && found.slice(0, 8) === known.slice(0, 8);
  return isRoot || found === known.padStart(14, '0');
}
