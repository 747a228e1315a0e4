import type { FeedPage, FeedRequest } from '../../platform/feeds/feed.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { BankNotConnected, BankUnknown } from '../banks/bank.ts';
import type { RecurringPix, RecurringTerms } from './recurring-pix.ts';

export type PixPayer = {
  readonly name: string;
  /** CPF or CNPJ, without mask. */
  readonly documentNumber: string;
};

export type PixDueTerms = {
  readonly dueOn: Day;
  /** Calendar days after the due day on which it can still be paid. */
  readonly daysToExpire: number;
  /** Hundredths of a percent, once after the due day; null for no fine. */
  readonly finePortion: number | null;
  /** Hundredths of a percent a month, by days after the due day; null for no interest. */
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
};

export type PixRequest = {
  readonly merchantId: string;
  /** Ours, unique for ever at the bank. A repetition is the charge that is there. */
  readonly txid: string;
  readonly amount: Cents;
  /** Null if it has a due day. */
  readonly expiresInSeconds: number | null;
  /** Null if it is to be paid at once. */
  readonly due: PixDueTerms | null;
  /** Mandatory with a due day. */
  readonly payer: PixPayer | null;
  /** Shown to the payer. Up to 140 characters. */
  readonly description: string | null;
};

/** What names a charge at the bank, and what its record is checked against. */
export type PixName = Pick<PixRequest, 'merchantId' | 'txid' | 'amount'> & {
  /** Charges with a due day have a resource of their own. */
  readonly hasDueDay: boolean;
};

export type RegisteredPix = {
  /** The text of the QR code ("copia e cola"), checked against the request. */
  readonly pixEmv: string;
};

export const PIX_ISSUE_REFUSALS = ['payerRefused', 'termsRefused', 'amountRefused'] as const;
export type PixIssueRefusal = (typeof PIX_ISSUE_REFUSALS)[number];

export type PixIssueAnswer =
  | ({ readonly kind: 'issued' } & RegisteredPix)
  /** The bank surely has no charge under this txid. */
  | { readonly kind: 'refused'; readonly reason: PixIssueRefusal }
  | BankUnknown
  | BankNotConnected;

/** `notFound` does not prove absence: a request may still be on its way. */
export type FoundPix =
  | ({ readonly kind: 'waiting' } & RegisteredPix)
  /** `receipts`: what arrived for it, as far as its record says. */
  | ({ readonly kind: 'paid'; readonly receipts: readonly PixReceipt[] } & RegisteredPix)
  | { readonly kind: 'removed' }
  | { readonly kind: 'notFound' }
  | BankUnknown
  | BankNotConnected;

/** Repeating a removal is harmless: a charge that is removed is answered as `removed`. */
export type PixRemoveAnswer =
  | { readonly kind: 'removed' }
  | { readonly kind: 'refused'; readonly reason: 'unknownPix' }
  | { readonly kind: 'refused'; readonly reason: 'paid'; readonly receipts: readonly PixReceipt[] }
  | BankUnknown
  | BankNotConnected;

export type PixRefundRequest = {
  readonly merchantId: string;
  readonly endToEndId: string;
  /** Ours, unique for the end-to-end id. A repetition gives nothing back a second time. */
  readonly refundId: string;
  readonly amount: Cents;
};

export type PixRefundAnswer =
  | { readonly kind: 'refunded' }
  /** The bank has accepted it, and carries it out within seconds or days. */
  | { readonly kind: 'pending' }
  /** Nothing was given back, and nothing will be under this id. */
  | { readonly kind: 'refused'; readonly reason: string }
  | BankUnknown
  | BankNotConnected;

/** What arrived for a charge. */
export type PixReceipt = {
  readonly txid: string;
  /** Unique for ever in the country. */
  readonly endToEndId: string;
  readonly amount: Cents;
  /** Real time, of the bank. */
  readonly receivedAt: Instant;
};

export const MOST_RECEIPTS = 500;

export type PixReceiptsAnswer = FeedPage<PixReceipt> | BankUnknown;

/** Banks bound the length of a question. */
export const LONGEST_PIX_WINDOW_DAYS = 4;

/** Both ends included; `page` counts from 0. */
export type PixWindow = { readonly from: Instant; readonly to: Instant; readonly page: number };

/** `amount` is null if the record has none that can be read. */
export type ListedPix = {
  readonly txid: string;
  readonly state: 'waiting' | 'paid' | 'removed';
  readonly amount: Cents | null;
  /** Real time, of the bank. */
  readonly createdAt: Instant;
};

export type ListedRefund = {
  readonly refundId: string;
  readonly amount: Cents;
  readonly state: 'refunded' | 'pending';
  /** Real time, of the bank. */
  readonly requestedAt: Instant;
};

/** What arrived, and what was given back of it. */
export type ReturnedPix = { readonly receipt: PixReceipt; readonly refunds: readonly ListedRefund[] };

export type PixList<Item> =
  | { readonly kind: 'listed'; readonly items: readonly Item[]; readonly hasMore: boolean }
  | BankUnknown;

/** The port to a bank of Pix. Never throws: an unclear answer is `unknown`. Ends within the timeout. */
export type PixBank = RecurringPix & {
  readonly name: string;
  /** Null: Pix Automático is not switched on for it. */
  readonly recurring: RecurringTerms | null;
  /** Repeating a txid never makes a second charge. */
  issue(request: PixRequest, timeoutMilliseconds: number): Promise<PixIssueAnswer>;
  /** The bank's record, checked against the request like an answer of `issue`. */
  find(name: PixName, timeoutMilliseconds: number): Promise<FoundPix>;
  remove(name: PixName, timeoutMilliseconds: number): Promise<PixRemoveAnswer>;
  refund(request: PixRefundRequest, timeoutMilliseconds: number): Promise<PixRefundAnswer>;
  /** Asks for a refund that was sent before, and sends it again where the bank has none. */
  settleRefund(request: PixRefundRequest, timeoutMilliseconds: number): Promise<PixRefundAnswer>;
  /** What arrived since the cursor. Windows overlap, so that the same receipt may come twice. */
  receivedSince(request: FeedRequest, timeoutMilliseconds: number): Promise<PixReceiptsAnswer>;
  /** The charges that were made in a window. `isDue`: those with a due day. */
  listCharges(window: PixWindow, isDue: boolean, timeoutMilliseconds: number): Promise<PixList<ListedPix>>;
  /** What arrived in a window and was given back, whole or in part. */
  listReturned(window: PixWindow, timeoutMilliseconds: number): Promise<PixList<ReturnedPix>>;
  close(): Promise<unknown>;
};
