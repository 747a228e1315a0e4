import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { channelUrlFault } from '../../platform/channels/channel-url.ts';
import type { FeedPage, FeedRequest } from '../../platform/feeds/feed.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';

/** The payer of a boleto: mandatory in every registration. */
export type BoletoPayer = {
  readonly name: string;
  /** CPF or CNPJ, digits only. */
  readonly documentNumber: string;
  readonly email: string | null;
  readonly address: {
    readonly street: string;
    readonly number: string;
    readonly complement: string | null;
    readonly district: string;
    readonly city: string;
    readonly state: string;
    /** Eight digits. */
    readonly zipCode: string;
  };
};

export type BoletoRequest = {
  readonly merchantId: string;
  /**
   * Ours, unique for ever: eleven digits. The bank registers at most one boleto under it, and a
   * repetition gets the registered one again.
   */
  readonly ourNumber: string;
  readonly amount: Cents;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  /** The last day on which the bank takes a payment. */
  readonly payableUntil: Day;
  readonly payer: BoletoPayer;
  /** Up to four lines of up to 80 characters. */
  readonly instructions: readonly string[];
  /** Hundredths of a percent, once after the due day; null: none. */
  readonly finePortion: number | null;
  /** Hundredths of a percent a month, by days after the due day; null: none. */
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
};

/** What the bank has registered. */
export type RegisteredBoleto = {
  /** 44 digits, checked against what was asked for. */
  readonly barCode: string;
  /** BR Code of a Pix that pays the same boleto; null where the bank gives none. */
  readonly pixEmv: string | null;
};

/**
 * Why there is no clear answer. `unusable`: one came, and nothing may be made of it. `silent`: none
 * came, or the bridge says that it has none. `notAsked`: it was our own doing, and nothing is known
 * of the bank.
 */
export type UnclearCause = 'unusable' | 'silent' | 'notAsked';
type Unclear = { readonly cause: UnclearCause; readonly reason: string };
/** Never a refusal: silence, a broken connection, garbage, another boleto than was asked for. */
export type BankUnknown = { readonly kind: 'unknown' } & Unclear;
/** No byte of the request was sent, so nothing was asked. */
export type BankNotConnected = { readonly kind: 'notConnected' } & Unclear;

export const ISSUE_REFUSAL_REASONS = ['payerRefused', 'termsRefused', 'amountRefused'] as const;
export type IssueAnswer =
  | ({ readonly kind: 'issued' } & RegisteredBoleto)
  | { readonly kind: 'refused'; readonly reason: (typeof ISSUE_REFUSAL_REASONS)[number] }
  | BankUnknown
  | BankNotConnected;

export const BOLETO_CANCEL_REFUSAL_REASONS = ['unknownBoleto', 'paid'] as const;
/** Repeating it is harmless: what is canceled or written off is answered `canceled`. */
export type BoletoCancelAnswer =
  | { readonly kind: 'canceled' }
  | { readonly kind: 'refused'; readonly reason: (typeof BOLETO_CANCEL_REFUSAL_REASONS)[number] }
  | BankUnknown
  | BankNotConnected;

/** `notFound` is no proof of absence: a registration may still be on its way. */
export type FoundBoleto =
  | ({ readonly kind: 'issued' } & RegisteredBoleto)
  | ({ readonly kind: 'paid' } & RegisteredBoleto)
  | { readonly kind: 'canceled' }
  /** The bank wrote it off after its last day. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'notFound' }
  | BankUnknown;

/** Of `expired`: the bank wrote it off by itself after the last day. */
export const BANK_EVENTS = ['paid', 'canceled', 'expired'] as const;

export type BankChange = {
  /** The bank's, unique for ever within the merchant; another bank may have the same. */
  readonly changeId: string;
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly event: (typeof BANK_EVENTS)[number];
  /** Of `paid`: what the payer paid, which need not be the value; else null. */
  readonly amount: Cents | null;
  /** Of `paid`: the day of the payment, and when the money is in the account (null: not reported). */
  readonly paidOn: Day | null;
  readonly creditedOn: Day | null;
  /** What the bank keeps for it; null: not reported. */
  readonly fee: Cents | null;
  /** Business time. */
  readonly happenedAt: Instant;
};

/** A cursor of another bank counts as none. */
export type BankChangesRequest = FeedRequest;

export const MOST_BANK_CHANGES = 500;

/** A cursor begins with the code of its bank. */
export function cursorOf(bankCode: string, own: string): string {
  return `${bankCode}:${own}`;
}

/** The bank's own cursor; null: it is of another bank. */
export function ownCursor(bankCode: string, cursor: string | null): string | null {
  const prefix = cursorOf(bankCode, '');
  return cursor?.startsWith(prefix) ? cursor.slice(prefix.length) : null;
}

export type BankChangesAnswer = FeedPage<BankChange> | BankUnknown;

/**
 * The port to the bank that registers boletos. No function throws: without a clear answer it is
 * `unknown`. Every call ends within its timeout.
 */
export type Bank = {
  readonly name: string;
  /** Three digits, as in the bar codes. */
  readonly bankCode: string;
  /** Asks which bank it is, until it has said so once; gives its code, empty until then. */
  learnCode(timeoutMilliseconds: number): Promise<string>;
  /** Registers a boleto. Repeating our number never registers a second one. */
  issue(request: BoletoRequest, timeoutMilliseconds: number): Promise<IssueAnswer>;
  cancel(
    merchantId: string,
    ourNumber: string,
    requestedAt: Instant,
    timeoutMilliseconds: number,
  ): Promise<BoletoCancelAnswer>;
  /** The bank's record. It is compared with what was asked for, as an answer of `issue` is. */
  find(
    request: Pick<BoletoRequest, 'merchantId' | 'ourNumber' | 'amount' | 'dueOn'>,
    timeoutMilliseconds: number,
  ): Promise<FoundBoleto>;
  /** The changes since the cursor, oldest first. A request changes nothing in the next answer. */
  changesSince(request: BankChangesRequest, timeoutMilliseconds: number): Promise<BankChangesAnswer>;
  close(): Promise<unknown>;
};

export type BankSettings = {
  /** Null: none is named. */
  readonly url: string | null;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
  /** Between two questions about payments. */
  readonly changesSeconds: number;
};

/** Null: none is named, or it is no address to send payers' data to, which is added to `faults`. */
export function readBankUrl(text: (name: string) => string, faults: string[]): string | null {
  const url = text('PARCELA_BANK_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_BANK_URL', url, 'names and documents of payers');
  if (fault === null) return url;
  faults.push(fault);
  return null;
}
