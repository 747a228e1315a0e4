import type { Brand } from '../kit/cards/decline-codes.ts';
import type { CardOnPaper } from '../kit/sales/entries.ts';
import { cardOnPaper } from '../kit/sales/house.ts';

export type Sale = {
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  readonly isCaptured: boolean;
  readonly card: CardOnPaper;
  /** Of the card as it was sent: the sandbox decides by it, and it is not kept. */
  readonly number: string;
  readonly notes: Notes;
  /** What the answer has again, as it was sent. */
  readonly echo: Echo;
};
export type Echo = { readonly customer: unknown; readonly payment: Fields };
export type Check = Pick<Sale, 'card' | 'number' | 'notes'>;

type Notes = Record<string, string>;
type Fields = Readonly<Record<string, unknown>>;

const LONGEST_ORDER = 50;
const LARGEST_AMOUNT = 999_999_999_999;
const MOST_INSTALLMENTS = 99;
/** As requests and answers name them, in small letters. */
const BRANDS: Readonly<Record<string, Brand>> = {
  visa: 'visa',
  master: 'mastercard',
  mastercard: 'mastercard',
  amex: 'amex',
  elo: 'elo',
  hipercard: 'hipercard',
};
/** They are brands too, and behave as Visa does. */
const OTHER_BRANDS = ['aura', 'jcb', 'diners', 'discover'];

/** What is asked for, or the code of what is wrong with it. Truths may be texts. */
export function readSale(json: unknown): Sale | number {
  if (json === null) return 184;
  const fields = fieldsOf(json);
  const reference = textOf(fields.MerchantOrderId);
  if (reference === '') return 122;
  if (!/^[A-Za-z0-9]+$/.test(reference) || reference.length > LONGEST_ORDER) return 107;
  if (fields.Payment === undefined) return 119;
  const payment = fieldsOf(fields.Payment);
  if (textOf(payment.Type) === '') return 102;
  if (payment.Type !== 'CreditCard') return 173;
  const amount = wholeOf(payment.Amount, LARGEST_AMOUNT);
  if (amount === null || amount === 0) return 108;
  const installments = wholeOf(payment.Installments ?? 1, MOST_INSTALLMENTS);
  if (installments === null || installments === 0) return 123;
  const isRecurrent = isTrue(payment.Recurrent);
  if (isRecurrent && installments > 1) return 186;
  if (payment.CreditCard === undefined) return 124;
  const card = readCard(fieldsOf(payment.CreditCard));
  if (typeof card === 'number') return card;
  const notes = notesOf(payment, card.notes);
  note(notes, 'customer', fieldsOf(fields.Customer).Name);
  if (isRecurrent) notes.recurrent = 'true';
  // Mastercard wants to be told who began the use of a stored card.
  if (card.card.brand === 'mastercard' && notes.usage !== undefined && notes.category === undefined)
    return 186;
  const sold = { reference, amount, installments, isCaptured: isTrue(payment.Capture) };
  return { ...sold, ...card, notes, echo: { customer: fields.Customer, payment } };
}

/** Of a card that is only looked at; null: a brand that cannot be. */
export function readCheck(json: unknown): Check | number | null {
  if (json === null) return 184;
  const card = readCard(fieldsOf(fieldsOf(json).Card ?? json));
  if (typeof card === 'number') return card;
  return ['visa', 'mastercard', 'elo'].includes(card.card.brand) ? card : null;
}

function readCard(card: Fields): Check | number {
  if (textOf(card.CardToken) !== '') return 130;
  const number = textOf(card.CardNumber);
  if (number === '') return 118;
  if (number.length > 19) return 128;
  if (!/^\d{13,19}$/.test(number)) return 213;
  const holder = textOf(card.Holder);
  if (holder === '') return 117;
  const expiration = textOf(card.ExpirationDate);
  if (expiration === '') return 125;
  if (!/^(0[1-9]|1[0-2])\/20\d\d$/.test(expiration)) return 126;
  if (!/^(\d{3,4})?$/.test(textOf(card.SecurityCode))) return 146;
  const named = textOf(card.Brand).toLowerCase();
  const brand = BRANDS[named] ?? (OTHER_BRANDS.includes(named) ? 'visa' : undefined);
  if (brand === undefined) return 185;
  const onFile = fieldsOf(card.CardOnFile);
  const notes: Notes = {};
  note(notes, 'usage', onFile.Usage);
  note(notes, 'reason', onFile.Reason);
  return { card: cardOnPaper({ number, brand, expiration, holder: holder.slice(0, 255) }), number, notes };
}

/** What says how a stored card is used, and by whom the holder was authenticated. */
function notesOf(payment: Fields, ofCard: Notes): Notes {
  const notes: Notes = { ...ofCard };
  const indicator = fieldsOf(payment.InitiatedTransactionIndicator);
  note(notes, 'softDescriptor', payment.SoftDescriptor);
  note(notes, 'issuerTransactionId', payment.IssuerTransactionId);
  note(notes, 'category', indicator.Category);
  note(notes, 'subcategory', indicator.Subcategory ?? indicator.SubCategory);
  note(notes, 'eci', fieldsOf(payment.ExternalAuthentication).Eci);
  return notes;
}

function note(notes: Notes, name: string, value: unknown): void {
  if (textOf(value) !== '') notes[name] = textOf(value).slice(0, 64);
}

export function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

export function wholeOf(value: unknown, most: number): number | null {
  const text = textOf(value);
  return /^\d{1,15}$/.test(text) && Number(text) <= most ? Number(text) : null;
}
