const ISSUER = 'br.gov.bcb.pix';
const LONGEST_NAME = 25;
const LONGEST_CITY = 15;

/** What the text of a QR code is made of. */
export type CodeParts = {
  /** Address of a charge, or key of the receiver; null: there is an authorization alone. */
  readonly account: { readonly url: string } | { readonly key: string } | null;
  /** Address of a recurring authorization. */
  readonly recurrenceUrl?: string;
  /** Reais with two decimals, where the code says it. */
  readonly amount?: string;
  /** Of a code with a key. */
  readonly txid?: string;
  readonly name: string;
  readonly city: string;
};

/** The text of a QR code ("BR Code"): fields of id, length and value. */
export function writeBrCode({ account, recurrenceUrl, amount, txid, name, city }: CodeParts): string {
  const isDynamic = account !== null && 'url' in account;
  const place =
    account === null ? '' : 'url' in account ? field('25', account.url) : field('01', account.key);
  const body = [
    field('00', '01'),
    isDynamic ? field('01', '12') : '',
    field('26', field('00', ISSUER) + place),
    field('52', '0000'),
    field('53', '986'),
    amount === undefined ? '' : field('54', amount),
    field('58', 'BR'),
    field('59', plain(name, LONGEST_NAME)),
    field('60', plain(city, LONGEST_CITY)),
    field('62', field('05', isDynamic ? '***' : (txid ?? '***'))),
    recurrenceUrl === undefined ? '' : field('80', field('00', ISSUER) + field('25', recurrenceUrl)),
    '6304',
  ].join('');
  return body + checkSum(body);
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** Without accents, as every reader takes it. */
function plain(text: string, longest: number): string {
  const letters = text.normalize('NFD').replace(/[^\x20-\x7e]/g, '');
  return letters.slice(0, longest).trim() || '-';
}

/** CRC-16/CCITT-FALSE of bytes of ASCII. */
export function checkSum(text: string): string {
  const sum = [...text].reduce((before, character) => {
    let crc = before ^ (character.charCodeAt(0) * 256);
    for (let bit = 0; bit < 8; bit += 1) crc = crc >= 0x8000 ? (crc * 2) ^ 0x11021 : crc * 2;
    return crc;
  }, 0xffff);
  return sum.toString(16).toUpperCase().padStart(4, '0');
}

/** The address of the charge and that of the authorization in a text that this bank wrote. */
export function addressesIn(code: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < code.length; ) {
    const length = Number(code.slice(at + 2, at + 4));
    const value = code.slice(at + 4, at + 4 + length);
    if (value.startsWith(`0014${ISSUER}25`)) found.push(value.slice(22));
    if (Number.isNaN(length)) return [];
    at += 4 + length;
  }
  return found;
}
