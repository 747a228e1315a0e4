import type { Brand } from '../kit/cards/decline-codes.ts';
import { TRANSACTION_LINK } from '../kit/cards/transaction-link.ts';
import type { CardOnPaper } from '../kit/sales/entries.ts';
import { cardOnPaper } from '../kit/sales/house.ts';
import type { KeptCard } from './card-tokens.ts';
import { capitalized, type Fields, fieldsOf, isTrue, textOf, wholeOf } from './fields.ts';
import { type Plan, readPlan } from './recurrences.ts';

export type Check = {
  readonly card: CardOnPaper;
  /** Of the card as it was sent: the sandbox decides by it, and the ledger does not have it. */
  readonly number: string;
  readonly notes: Notes;
};
export type Sale = Check & {
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  readonly isCaptured: boolean;
  /** The holder has to be authenticated first, at an address that is answered. */
  readonly wantsHolder: boolean;
  /** Null: it is no first of several. */
  readonly plan: Plan | null;
  /** What the answer has again, as it was sent. */
  readonly echo: Echo;
};
export type Echo = { readonly customer: unknown; readonly payment: Fields };
/** The card that a token stands for. */
export type OfToken = (token: string) => KeptCard | null;

type Notes = Record<string, string>;

const LONGEST_ORDER = 50;
const LONGEST_PROOF = 28;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LARGEST_AMOUNT = 999_999_999_999;
const MOST_INSTALLMENTS = 36;
/** As requests name them, in small letters. */
const TYPES: Readonly<Record<string, 'CreditCard' | 'DebitCard'>> = {
  creditcard: 'CreditCard',
  debitcard: 'DebitCard',
};
const BRANDS: Readonly<Record<string, Brand>> = {
  visa: 'visa',
  master: 'mastercard',
  mastercard: 'mastercard',
  amex: 'amex',
  elo: 'elo',
  hipercard: 'hipercard',
};
/** They are brands too, and behave as Visa does. */
const OTHER_BRANDS: Readonly<Record<string, string>> = {
  aura: 'Aura',
  jcb: 'JCB',
  diners: 'Diners',
  discover: 'Discover',
};

/** What is asked for, or the code of what is wrong with it. */
export function readSale(json: unknown, ofToken: OfToken): Sale | number {
  if (json === null) return 184;
  const fields = fieldsOf(capitalized(json));
  const reference = textOf(fields.MerchantOrderId);
  if (reference === '') return 122;
  if (!/^[^\p{Cc}]+$/u.test(reference) || reference.length > LONGEST_ORDER) return 107;
  if (fields.Payment == null) return 119;
  const payment = fieldsOf(fields.Payment);
  if (textOf(payment.Type) === '') return 102;
  const type = TYPES[textOf(payment.Type).toLowerCase()];
  if (type === undefined) return 173;
  const isDebit = type === 'DebitCard';
  const amount = wholeOf(payment.Amount, LARGEST_AMOUNT);
  if (amount === null || amount === 0) return 108;
  const installments = wholeOf(payment.Installments ?? 1, MOST_INSTALLMENTS);
  if (installments === null || installments === 0) return 123;
  const isRecurrent = isTrue(payment.Recurrent);
  if ((isRecurrent || isDebit) && installments > 1) return 186;
  const plan = readPlan(payment.RecurrentPayment, installments);
  if (typeof plan === 'number') return plan;
  if (isDebit && plan !== null) return 186;
  if (payment[type] == null) return 124;
  const card = readCard(fieldsOf(payment[type]), ofToken);
  if (typeof card === 'number') return card;
  if (!isAuthenticationSound(payment)) return 186;
  const wantsHolder = isDebit && payment.ExternalAuthentication == null;
  if (wantsHolder && !isTrue(payment.Authenticate)) return 186;
  if (wantsHolder && textOf(payment.ReturnUrl) === '') return 163;
  const notes = notesOf(payment, card.notes);
  note(notes, 'customer', fieldsOf(fields.Customer).Name);
  if (isRecurrent) notes.recurrent = 'true';
  if (notes.transactionLinkId !== undefined && !TRANSACTION_LINK.test(notes.transactionLinkId)) return 186;
  // Mastercard wants to be told who began the use of a stored card.
  if (card.card.brand === 'mastercard' && notes.usage !== undefined && notes.category === undefined)
    return 186;
  if (isDebit) notes.type = type;
  const isCaptured = isDebit || isTrue(payment.Capture);
  const sold = { reference, amount, installments, isCaptured, wantsHolder, plan };
  return { ...sold, ...card, notes, echo: { customer: fields.Customer, payment } };
}

/** What another one authenticated. Of version 2 it has its id, of version 1 an XID. */
function isAuthenticationSound(payment: Fields): boolean {
  if (payment.ExternalAuthentication == null) return true;
  const fields = fieldsOf(payment.ExternalAuthentication);
  const [eci, cavv, xid] = [textOf(fields.Eci), textOf(fields.Cavv), textOf(fields.Xid)];
  const version = textOf(fields.Version);
  const id = textOf(fields.ReferenceId ?? fields.ReferenceID);
  if (!/^\d$/.test(eci) || !/^[12]?$/.test(version)) return false;
  if (cavv.length > LONGEST_PROOF || xid.length > LONGEST_PROOF) return false;
  if (cavv === '') return true;
  return version === '2' ? UUID.test(id) : xid !== '';
}

/** Of a card that is only looked at; null: a brand that cannot be. */
export function readCheck(json: unknown, ofToken: OfToken): Check | number | null {
  if (json === null) return 184;
  const fields = fieldsOf(capitalized(json));
  const card = readCard(fieldsOf(fields.Card ?? fields), ofToken);
  if (typeof card === 'number') return card;
  const isKnown = ['visa', 'mastercard', 'elo'].includes(card.card.brand) && card.notes.brand === undefined;
  return isKnown ? card : null;
}

/** A card to be kept. */
export function readKeptCard(json: unknown, merchantId: string): KeptCard | number {
  if (json === null) return 184;
  const card = readCard(fieldsOf(capitalized(json)), () => null);
  return typeof card === 'number' ? card : keptCardOf(card, merchantId);
}

export function keptCardOf({ card, number, notes }: Check, merchantId: string): KeptCard {
  const { holder, expiration, brand } = card;
  return { merchantId, number, holder, expiration, brand: (notes.brand ?? brand).toLowerCase() };
}

function readCard(sent: Fields, ofToken: OfToken): Check | number {
  const token = textOf(sent.CardToken);
  const kept = token === '' ? null : ofToken(token);
  if (token !== '' && kept === null) return 130;
  const number = kept?.number ?? textOf(sent.CardNumber);
  if (number === '') return 118;
  if (number.length > 19) return 128;
  if (!/^\d{13,19}$/.test(number)) return 213;
  const holder = kept?.holder ?? textOf(sent.Holder);
  if (holder === '') return 117;
  const expiration = kept?.expiration ?? textOf(sent.ExpirationDate);
  if (expiration === '') return 125;
  if (!/^(0[1-9]|1[0-2])\/20\d\d$/.test(expiration)) return 126;
  if (!/^(\d{3,4})?$/.test(textOf(sent.SecurityCode))) return 146;
  const named = (textOf(sent.Brand) || (kept?.brand ?? '')).toLowerCase();
  const other = OTHER_BRANDS[named];
  const brand = BRANDS[named] ?? (other === undefined ? undefined : 'visa');
  if (brand === undefined) return 185;
  const onFile = fieldsOf(sent.CardOnFile);
  const notes: Notes = {};
  note(notes, 'usage', onFile.Usage);
  note(notes, 'reason', onFile.Reason);
  note(notes, 'brand', other);
  note(notes, 'cardToken', token);
  return { card: cardOnPaper({ number, brand, expiration, holder: holder.slice(0, 255) }), number, notes };
}

/** What says how a stored card is used, and by whom the holder was authenticated. */
function notesOf(payment: Fields, ofCard: Notes): Notes {
  const notes: Notes = { ...ofCard };
  const indicator = fieldsOf(payment.InitiatedTransactionIndicator);
  note(notes, 'softDescriptor', payment.SoftDescriptor);
  note(notes, 'issuerTransactionId', payment.IssuerTransactionId);
  note(notes, 'transactionLinkId', payment.TransactionLinkId);
  note(notes, 'category', indicator.Category);
  note(notes, 'subcategory', indicator.Subcategory ?? indicator.SubCategory);
  note(notes, 'eci', fieldsOf(payment.ExternalAuthentication).Eci);
  return notes;
}

function note(notes: Notes, name: string, value: unknown): void {
  if (textOf(value) !== '') notes[name] = textOf(value).slice(0, 64);
}
