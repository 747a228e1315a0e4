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
  /** Its code authorizes too (Pix Automático): the merchant's calendar holds. */
  readonly isRecurring?: true;
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

/** The standard lets a record leave the code out. `codeFault`: why there is none that may be shown. */
type FoundCode = RegisteredPix | { readonly pixEmv: null; readonly codeFault: string };

/** `notFound` does not prove absence: a request may still be on its way. */
export type FoundPix =
  /**
   * `isOver`: by its own terms nobody can pay it any more, beyond any doubt about clocks and holidays.
   * `endsAt`: when its time is over, as the bank has it; null: it has a due day, or the record does not say.
   */
  | ({ readonly kind: 'waiting'; readonly isOver: boolean; readonly endsAt: Instant | null } & FoundCode)
  /** `receipts`: what arrived for it, as far as its record says. */
  | ({ readonly kind: 'paid'; readonly receipts: readonly PixReceipt[] } & FoundCode)
  | { readonly kind: 'removed' }
  | { readonly kind: 'notFound' }
  | BankUnknown
  | BankNotConnected;

/** Repeating a removal is harmless: a charge that is removed is answered as `removed`. */
export type PixRemoveAnswer =
  | { readonly kind: 'removed' }
  /** The bank takes away none whose time is over, and nobody has paid it. */
  | { readonly kind: 'over' }
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

/**
 * What the bank has under the id of a refund that it refuses. `recorded`: that one, not made. `nothing`:
 * an earlier try may still be on its way there. `conflict`: nothing, though it says that there is one.
 */
type RefusedUnder = 'recorded' | 'nothing' | 'conflict';

export type PixRefundAnswer =
  | { readonly kind: 'refunded' }
  /** The bank has accepted it, and carries it out within seconds or days. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'refused'; readonly reason: string; readonly under: RefusedUnder }
  | BankUnknown
  | BankNotConnected;

/** `notFound` does not prove absence: a request may still be on its way. */
export type FoundPixRefund = PixRefundAnswer | { readonly kind: 'notFound' };

/** What arrived for a charge. */
export type PixReceipt = {
  readonly txid: string;
  /** Unique for ever in the country. */
  readonly endToEndId: string;
  readonly amount: Cents;
  /** Real time, of the bank. */
  readonly receivedAt: Instant;
  /** It is not what arrived, but what left again: `id` is that of the devolution, ours or another's. */
  readonly returned: PixReturn | null;
};

/** `receiver`: by whoever may act at the account, also at the bank's own site. The others are the bank's. */
export const RETURN_NATURES = ['receiver', 'fraud', 'operational', 'automatic'] as const;
export type PixReturn = { readonly id: string; readonly nature: (typeof RETURN_NATURES)[number] };

export const MOST_RECEIPTS = 500;

export type PixReceiptsAnswer = FeedPage<PixReceipt> | BankUnknown;

/** Days after its payment on which the scheme lets a Pix be given back. */
export const PIX_RETURN_DAYS = 90;
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
  /** Null: it has a due day, or the record does not say. */
  readonly expiresInSeconds: number | null;
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
  /** The bank's record, checked against the request like an answer of `issue`, which alone needs a code. */
  find(name: PixName, timeoutMilliseconds: number): Promise<FoundPix>;
  remove(name: PixName, timeoutMilliseconds: number): Promise<PixRemoveAnswer>;
  refund(request: PixRefundRequest, timeoutMilliseconds: number): Promise<PixRefundAnswer>;
  /** The bank's record of a refund. Sends nothing. */
  findRefund(request: PixRefundRequest, timeoutMilliseconds: number): Promise<FoundPixRefund>;
  /** What arrived since the cursor. Windows overlap, so that the same receipt may come twice. */
  receivedSince(request: FeedRequest, timeoutMilliseconds: number): Promise<PixReceiptsAnswer>;
  /** The same of the days on which Pix can be given back, of those alone of which something left. */
  returnedSince(request: FeedRequest, timeoutMilliseconds: number): Promise<PixReceiptsAnswer>;
  /** The charges that were made in a window. `isDue`: those with a due day. */
  listCharges(window: PixWindow, isDue: boolean, timeoutMilliseconds: number): Promise<PixList<ListedPix>>;
  /** What arrived in a window and was given back, whole or in part. */
  listReturned(window: PixWindow, timeoutMilliseconds: number): Promise<PixList<ReturnedPix>>;
  close(): Promise<unknown>;
};
