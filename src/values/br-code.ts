import { type Cents, cents } from './cents.ts';

/** What a Pix QR code says. Name and city are as the bank wrote them. */
export type BrCode = {
  /** Where a payer's bank reads the charge, without a scheme; null: none. */
  readonly url: string | null;
  /** Where a payer's bank reads a recurring authorization, without a scheme; null: none. */
  readonly recurrenceUrl: string | null;
  /** The receiver's key in a code that any number of payers may use; null in a code with an address. */
  readonly key: string | null;
  /** null: the payer or the charge behind the address says it. */
  readonly amount: Cents | null;
  /** null: only the charge behind the address has one. */
  readonly txid: string | null;
  /** The code says that it is paid once; codes with an address may leave that out. */
  readonly isOneTime: boolean;
  readonly receiverName: string;
  readonly receiverCity: string;
};

/**
 * `notText`: characters that a code cannot have. `fields`: lengths do not add up, or a field occurs twice.
 * `format`: not version 01. `noPix`: neither key nor address of Pix. Others: the field of that name.
 */
export type BrCodeFault =
  | 'notText'
  | 'tooLong'
  | 'fields'
  | 'checkSum'
  | 'format'
  | 'noPix'
  | 'currency'
  | 'country'
  | 'amount'
  | 'receiver';

export type BrCodeReading =
  | ({ readonly kind: 'brCode' } & BrCode)
  | { readonly kind: 'fault'; readonly fault: BrCodeFault };

type Fields = ReadonlyMap<string, string>;

/** EMV's limit for the text of a QR code. */
export const LONGEST_BR_CODE = 512;
const FORM = /^[^\p{Cc}\p{Cs}]*$/u;
const CHECK_SUM_START = '6304';
const CHECK_SUM_LENGTH = 4;
const HEAD = /^(\d\d)(\d\d)$/;
const PIX = 'br.gov.bcb.pix';
/** Ids of templates for merchant accounts. One of them is that of Pix, known by the name in it. */
const FIRST_ACCOUNT = 26;
const LAST_ACCOUNT = 51;
const FIRST_OTHER = 80;
const LAST_OTHER = 99;
const REAIS = '986';
const AMOUNT = /^\d{1,10}(\.\d{0,2})?$/;
const NO_TXID = '***';
const ONE_TIME = '12';

/** Reads the text of a QR code ("copia e cola"); lengths count characters. */
export function readBrCode(text: string): BrCodeReading {
  const body = text.slice(0, -CHECK_SUM_LENGTH);
  if (text.length > LONGEST_BR_CODE) return faulty('tooLong');
  if (!FORM.test(text)) return faulty('notText');
  const fields = fieldsOf(text);
  if (fields === null || !body.endsWith(CHECK_SUM_START)) return faulty('fields');
  if (fields.get('63')?.toUpperCase() !== brCodeCheckSum(body)) return faulty('checkSum');
  if (fields.get('00') !== '01') return faulty('format');
  if (fields.get('53') !== REAIS) return faulty('currency');
  if (fields.get('58') !== 'BR') return faulty('country');
  return readPix(fields);
}

/** CRC-16/CCITT-FALSE of everything before the four digits, the `6304` included. */
export function brCodeCheckSum(body: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(body)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function readPix(fields: Fields): BrCodeReading {
  const account = pixTemplate(fields, FIRST_ACCOUNT, LAST_ACCOUNT);
  const recurrence = pixTemplate(fields, FIRST_OTHER, LAST_OTHER);
  const additional = fieldsOf(fields.get('62') ?? '');
  if (account === 'broken' || recurrence === 'broken' || additional === null) return faulty('fields');
  const url = account?.get('25') ?? null;
  const key = account?.get('01') ?? null;
  const recurrenceUrl = recurrence?.get('25') ?? null;
  if (url === null && key === null && recurrenceUrl === null) return faulty('noPix');
  const given = fields.get('54') ?? null;
  if (given !== null && !AMOUNT.test(given)) return faulty('amount');
  const receiverName = fields.get('59');
  const receiverCity = fields.get('60');
  if (receiverName === undefined || receiverCity === undefined) return faulty('receiver');
  const txid = additional.get('05') ?? NO_TXID;
  return {
    kind: 'brCode',
    ...{ url, key, recurrenceUrl, receiverName, receiverCity },
    amount: given === null ? null : centsOf(given),
    txid: txid === NO_TXID ? null : txid,
    isOneTime: fields.get('01') === ONE_TIME,
  };
}

/** The fields of the Pix template with an id from `first` to `last`; null: none of these is of Pix. */
function pixTemplate(fields: Fields, first: number, last: number): Fields | 'broken' | null {
  for (const [id, value] of fields) {
    if (Number(id) < first || Number(id) > last) continue;
    const template = fieldsOf(value);
    if (template === null) return 'broken';
    if (template.get('00')?.toLowerCase() === PIX) return template;
  }
  return null;
}

/** The fields of a text by id; null: they do not fill the text, or an id occurs twice. */
function fieldsOf(text: string): Fields | null {
  const characters = [...text];
  const fields = new Map<string, string>();
  for (let at = 0; at < characters.length; ) {
    const [, id = '', length = ''] = HEAD.exec(characters.slice(at, at + 4).join('')) ?? [];
    const end = at + 4 + Number(length);
    if (id === '' || Number(length) === 0 || end > characters.length || fields.has(id)) return null;
    fields.set(id, characters.slice(at + 4, end).join(''));
    at = end;
  }
  return fields;
}

function centsOf(amount: string): Cents {
  const [reais = '', rest = ''] = amount.split('.');
  return cents(Number(reais) * 100 + Number(rest.padEnd(2, '0')));
}

function faulty(fault: BrCodeFault): BrCodeReading {
  return { kind: 'fault', fault };
}
