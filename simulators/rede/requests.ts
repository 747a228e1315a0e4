import { TRANSACTION_LINK } from '../kit/cards/transaction-link.ts';
import type { CardOnPaper } from '../kit/sales/entries.ts';
import { brandOfNumber, cardOnPaper } from '../kit/sales/house.ts';

export type Sale = {
  /** The holder has to be authenticated here first. */
  readonly wantsHolder: boolean;
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  readonly isCaptured: boolean;
  readonly card: CardOnPaper;
  /** Of the card as it was sent: trigger cards are known by it, and it is not kept. */
  readonly number: string;
  readonly notes: Readonly<Record<string, string>>;
};
export type Refund = { readonly amount: number | null; readonly isDelayed: boolean };

type Fields = Readonly<Record<string, unknown>>;

const LARGEST_AMOUNT = 9_999_999_999;
const MOST_INSTALLMENTS = 12;
const LONGEST_REFERENCE = 50;
const LONGEST_NUMBER = 19;
const LONGEST_CODE = 4;
const LONGEST_HOLDER = 30;
const LONGEST_DESCRIPTOR = 18;
const LONGEST_PROOF = 32;
const LONGEST_XID = 28;
const LONGEST_DIRECTORY_ID = 36;

/** What is asked for, or the code of what is wrong with it. Numbers may be texts, and truths too. */
export function readSale(json: unknown): Sale | string {
  const fields = fieldsOf(json);
  const kind = textOf(fields.kind ?? 'credit').toLowerCase();
  if (kind !== 'credit' && kind !== 'debit') return kind === 'pix' ? '51' : '76';
  const reference = textOf(fields.reference);
  if (reference === '') return '41';
  if (reference.length > LONGEST_REFERENCE) return '39';
  if (!/^[\w-]+$/.test(reference)) return '40';
  if (textOf(fields.orderId).length > LONGEST_REFERENCE) return '3086';
  if (textOf(fields.amount) === '') return '73';
  if (/^\d{11,}$/.test(textOf(fields.amount))) return '70';
  const amount = wholeOf(fields.amount, LARGEST_AMOUNT);
  if (amount === null) return '71';
  const installments = wholeOf(fields.installments ?? 1, 99);
  if (installments === null) return '50';
  if (installments > MOST_INSTALLMENTS) return '151';
  const card = readCard(fields);
  if (typeof card === 'string') return card;
  const wantsHolder = isAuthenticatedHere(fields.threeDSecure, kind);
  const fault =
    faultOfAuthentication(fields.threeDSecure, card.brand) ??
    faultOfStorage(fields, card.brand) ??
    (wantsHolder && fields.threeDSecure != null && !Array.isArray(fields.urls) ? '259' : null) ??
    (amount === 0 ? faultOfCheck(fields, card.brand) : null);
  if (fault !== null) return fault;
  if (textOf(fields.softDescriptor).length > LONGEST_DESCRIPTOR) return '31';
  const isCaptured = textOf(fields.capture ?? true) === 'true' || amount === 0;
  const sold = { wantsHolder, reference, amount, installments: Math.max(1, installments) } as const;
  const notes = { ...notesOf(fields), ...(kind === 'debit' ? { kind } : {}) };
  return { ...sold, isCaptured, card, number: textOf(fields.cardNumber), notes };
}

/** Of a debit always, unless another one than Rede authenticated. */
function isAuthenticatedHere(json: unknown, kind: 'credit' | 'debit'): boolean {
  const isAsked = kind === 'debit' || (json !== undefined && json !== null);
  return isAsked && textOf(fieldsOf(json).embedded ?? true) === 'true';
}

/** Mastercard wants to be told why a card is stored. A link has no code of its own that is known. */
function faultOfStorage(fields: Fields, brand: string): string | null {
  const link = textOf(fields.transactionLinkId);
  if (link !== '' && !TRANSACTION_LINK.test(link)) return '56';
  const id = textOf(fieldsOf(fields.transactionCredentials).credentialId);
  if (id === '') return brand === 'mastercard' && /^[12]$/.test(textOf(fields.storageCard)) ? '3068' : null;
  if (id.length > 2) return '3070';
  return /^(0[1-9]|1[0-2])$/.test(id) ? null : '3069';
}

/** Of a sale of nothing. */
function faultOfCheck(fields: Fields, brand: string): string | null {
  if (brand === 'hipercard') return '170';
  if (textOf(fields.securityCode) === '') return '172';
  return textOf(fields.subscription) === 'true' ? '175' : null;
}

/** Of what another one than Rede authenticated; null: nothing is wrong. */
function faultOfAuthentication(json: unknown, brand: string): string | null {
  if (json === undefined || json === null) return null;
  const fields = fieldsOf(json);
  const embedded = textOf(fields.embedded ?? true);
  if (embedded !== 'true' && embedded !== 'false') return '154';
  if (embedded === 'true') return null;
  const [eci, cavv, xid] = [textOf(fields.eci), textOf(fields.cavv), textOf(fields.xid)];
  if (!['', '1', '2'].includes(textOf(fields.threeDIndicator))) return '133';
  if (eci === '') return '155';
  if (eci.length > 2) return '156';
  if (!/^0?[0-7]$/.test(eci)) return '20';
  if (cavv === '' && /^0?[1256]$/.test(eci)) return '157';
  if (cavv.length > LONGEST_PROOF) return '04';
  if (xid.length > LONGEST_XID) return '19';
  const inDirectory = textOf(fields.DirectoryServerTransactionId ?? fields.directoryServerTransactionId);
  if (inDirectory.length > LONGEST_DIRECTORY_ID) return '132';
  return brand === 'visa' && cavv !== '' && xid === '' && inDirectory === '' ? '21' : null;
}

function readCard(fields: Fields): CardOnPaper | string {
  const number = textOf(fields.cardNumber);
  if (number === '') return '38';
  if (number.length > LONGEST_NUMBER) return '36';
  if (!/^\d{13,19}$/.test(number)) return '37';
  if (textOf(fields.expirationMonth) === '') return '35';
  const month = wholeOf(fields.expirationMonth, 12);
  if (month === null || month === 0) return '33';
  const year = textOf(fields.expirationYear);
  if (year === '') return '03';
  if (!/^(\d\d)?\d\d$/.test(year)) return '02';
  const securityCode = textOf(fields.securityCode);
  if (securityCode.length > LONGEST_CODE) return '15';
  if (!/^(\d{3,4})?$/.test(securityCode)) return '16';
  const holder = textOf(fields.cardHolderName ?? fields.cardholderName);
  if (holder.length > LONGEST_HOLDER) return '55';
  const expiration = `${String(month).padStart(2, '0')}/${year.length === 2 ? '20' : ''}${year}`;
  return cardOnPaper({ number, brand: brandOfNumber(number), expiration, holder });
}

export function readRefund(json: unknown): Refund | string {
  const fields = fieldsOf(json);
  const amount = readAmount(fields);
  if (typeof amount === 'string') return amount;
  return { ...amount, isDelayed: textOf(fields.delayRefunds) === 'true' };
}

export function readCapture(json: unknown): { readonly amount: number | null } | string {
  return readAmount(fieldsOf(json));
}

/** Null: all of it. */
function readAmount(fields: Fields): { readonly amount: number | null } | string {
  if (fields.amount === undefined || fields.amount === null) return { amount: null };
  const amount = wholeOf(fields.amount, LARGEST_AMOUNT);
  return amount === null || amount === 0 ? '71' : { amount };
}

const NOTED = [
  ...['softDescriptor', 'storageCard', 'subscription', 'brandTid', 'transactionLinkId', 'origin', 'orderId'],
];

/** What says how a stored card is used, and by whom the holder was authenticated. */
function notesOf(fields: Fields): Record<string, string> {
  const notes: Record<string, string> = {};
  for (const name of NOTED) {
    const value = textOf(fields[name]);
    if (value !== '') notes[name] = value.slice(0, 64);
  }
  const credentialId = textOf(fieldsOf(fields.transactionCredentials).credentialId);
  if (credentialId !== '') notes.credentialId = credentialId.slice(0, 64);
  const eci = textOf(fieldsOf(fields.threeDSecure).eci);
  if (eci !== '') notes.eci = eci.slice(0, 64);
  return notes;
}

function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function wholeOf(value: unknown, most: number): number | null {
  const text = textOf(value);
  return /^\d{1,12}$/.test(text) && Number(text) <= most ? Number(text) : null;
}
