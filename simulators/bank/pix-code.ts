import { createHash } from 'node:crypto';
import amounts from './trigger-amounts.json' with { type: 'json' };

const ISSUER = 'br.gov.bcb.pix';
const HOST = 'pix.bank.invalid/qr/v2';

type Printed = { readonly merchantId: string; readonly ourNumber: string; readonly amount: number };

/** The BR Code of a dynamic Pix that pays the boleto; null: the amount is not one that gets one. */
export function pixCodeOf({ merchantId, ourNumber, amount }: Printed): string | null {
  if (amount % 100 !== amounts.pixEnding) return null;
  const id = createHash('sha256').update(`${merchantId} ${ourNumber}`).digest('hex').slice(0, 32);
  const body = [
    field('00', '01'),
    field('01', '12'),
    field('26', field('00', ISSUER) + field('25', `${HOST}/${id}`)),
    field('52', '0000'),
    field('53', '986'),
    field('54', (amount / 100).toFixed(2)),
    field('58', 'BR'),
    field('59', 'PARCELA SIMULADA'),
    field('60', 'SAO PAULO'),
    field('62', field('05', '***')),
    '6304',
  ].join('');
  return body + checkSum(body);
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** CRC-16/CCITT-FALSE. */
function checkSum(text: string): string {
  const sum = [...text].reduce((before, character) => {
    let crc = before ^ (character.charCodeAt(0) * 256);
    for (let bit = 0; bit < 8; bit += 1) crc = crc >= 0x8000 ? (crc * 2) ^ 0x11021 : crc * 2;
    return crc;
  }, 0xffff);
  return sum.toString(16).toUpperCase().padStart(4, '0');
}
