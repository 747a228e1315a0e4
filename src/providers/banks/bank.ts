import type { ChannelFiles } from '../../platform/channels/channel-files.ts';
import { channelUrlFault } from '../../platform/channels/channel-url.ts';
import type { UnclearCause } from '../../platform/channels/unclear.ts';
import type { FeedPage, FeedRequest } from '../../platform/feeds/feed.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';

/** Mandatory in every registration. */
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
  /** Ours, unique for ever: eleven digits. A repetition returns the boleto registered under it. */
  readonly ourNumber: string;
  readonly amount: Cents;
  readonly issuedOn: Day;
  readonly dueOn: Day;
  /** The last day on which the bank accepts a payment. */
  readonly payableUntil: Day;
  readonly payer: BoletoPayer;
  /** Up to four lines of up to 80 characters. */
  readonly instructions: readonly string[];
  /** Hundredths of a percent, once after the due day; null for no fine. */
  readonly finePortion: number | null;
  /** Hundredths of a percent a month, by days after the due day; null for no interest. */
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
};

export type RegisteredBoleto = {
  /** 44 digits, checked against the request. */
  readonly barCode: string;
  /** The BR Code of a Pix that pays the same boleto; null if the bank provides none. */
  readonly pixEmv: string | null;
};

type Unclear = { readonly cause: UnclearCause; readonly reason: string };
/** A timeout, a broken connection, garbage, or another boleto than the requested one. Never a refusal. */
export type BankUnknown = { readonly kind: 'unknown' } & Unclear;
/** No byte of the request was sent, so it can have no effect. */
export type BankNotConnected = { readonly kind: 'notConnected' } & Unclear;

/** What a call that is not made answers; `unknown` requests are repeated later. */
export const UNSENT = {
  notConnected: (reason: string): BankNotConnected => ({ kind: 'notConnected', cause: 'notAsked', reason }),
  unknown: (reason: string): BankUnknown => ({
    kind: 'unknown',
    cause: 'notAsked',
    reason: `not sent: ${reason}`,
  }),
};

export const ISSUE_REFUSAL_REASONS = ['payerRefused', 'termsRefused', 'amountRefused'] as const;
export type IssueAnswer =
  | ({ readonly kind: 'issued' } & RegisteredBoleto)
  | { readonly kind: 'refused'; readonly reason: (typeof ISSUE_REFUSAL_REASONS)[number] }
  | BankUnknown
  | BankNotConnected;

/** `notAllowed`: the bank keeps it open, such as one in protest. */
export const BOLETO_CANCEL_REFUSAL_REASONS = ['unknownBoleto', 'paid', 'notAllowed'] as const;
export type BoletoCancelRefusal = (typeof BOLETO_CANCEL_REFUSAL_REASONS)[number];
/** Repeating a cancel is harmless: a boleto that is canceled or written off gets `canceled`. */
export type BoletoCancelAnswer =
  | { readonly kind: 'canceled' }
  | { readonly kind: 'refused'; readonly reason: BoletoCancelRefusal }
  | BankUnknown
  | BankNotConnected;

/** `notOffered`: this bank, or its bridge, changes no due days. */
export const DUE_DAY_REFUSAL_REASONS = [...BOLETO_CANCEL_REFUSAL_REASONS, 'notOffered'] as const;
export type DueDayRefusal = (typeof DUE_DAY_REFUSAL_REASONS)[number];
/** Repeating a change is harmless: a boleto that has the day already gets `changed`. */
export type DueDayAnswer =
  | ({ readonly kind: 'changed' } & RegisteredBoleto)
  | { readonly kind: 'refused'; readonly reason: DueDayRefusal }
  | BankUnknown
  | BankNotConnected;

type Days = Pick<BoletoRequest, 'dueOn' | 'payableUntil'>;
export type DueDayRequest = Pick<BoletoRequest, 'merchantId' | 'ourNumber' | 'amount'> & {
  /** Counts the changes of this boleto, so that a repetition is known. */
  readonly number: number;
  readonly before: Days;
  readonly wanted: Days;
  readonly requestedAt: Instant;
};

/** `notFound` does not prove absence: a registration may still be on its way. */
export type FoundBoleto =
  /**
   * `dueOn`: of its bar code, perhaps not the day that was asked for. `awaitedDueOn`: that of a change which
   * the bank has not answered; none at a bank that answers at once.
   */
  | ({
      readonly kind: 'issued' | 'paid';
      readonly dueOn: Day;
      readonly awaitedDueOn?: Day | null;
    } & RegisteredBoleto)
  | { readonly kind: 'canceled' }
  /** The bank wrote it off after its last day. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'notFound' }
  | BankUnknown;

/** `expired`: the bank wrote the boleto off after its last day. */
export const BANK_EVENTS = ['paid', 'canceled', 'expired'] as const;

export type BankChange = {
  /** The bank's id, unique for ever within the merchant. Another bank may use the same one. */
  readonly changeId: string;
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly event: (typeof BANK_EVENTS)[number];
  /** Of `paid`: the amount that was paid, which may differ from the boleto's; otherwise null. */
  readonly amount: Cents | null;
  /** Of `paid`: the days of the payment and of the credit. `creditedOn` is null if not reported. */
  readonly paidOn: Day | null;
  readonly creditedOn: Day | null;
  /** The amount that the bank keeps; null if not reported. */
  readonly fee: Cents | null;
  /** Business time. */
  readonly happenedAt: Instant;
};

/** A cursor of another bank is ignored. */
export type BankChangesRequest = FeedRequest;

export const MOST_BANK_CHANGES = 500;

/** A cursor begins with the code of its bank. */
export function cursorOf(bankCode: string, own: string): string {
  return `${bankCode}:${own}`;
}

/** The bank's own cursor; null if it belongs to another bank. */
export function ownCursor(bankCode: string, cursor: string | null): string | null {
  const prefix = cursorOf(bankCode, '');
  return cursor?.startsWith(prefix) ? cursor.slice(prefix.length) : null;
}

export type BankChangesAnswer = FeedPage<BankChange> | BankUnknown;

/** The port to the bank of boletos. Never throws: an unclear answer is `unknown`. Ends within the timeout. */
export type Bank = {
  readonly name: string;
  /** The first three digits of its bar codes. */
  readonly bankCode: string;
  /** Asks for the bank's code until it is known once. Returns the code, or an empty text. */
  learnCode(timeoutMilliseconds: number): Promise<string>;
  /** Repeating our number never registers a second boleto. */
  issue(request: BoletoRequest, timeoutMilliseconds: number): Promise<IssueAnswer>;
  cancel(
    merchantId: string,
    ourNumber: string,
    requestedAt: Instant,
    timeoutMilliseconds: number,
  ): Promise<BoletoCancelAnswer>;
  changeDueDay(request: DueDayRequest, timeoutMilliseconds: number): Promise<DueDayAnswer>;
  /** The bank's record, checked against the request like an answer of `issue`, but for its due day. */
  find(
    request: Pick<BoletoRequest, 'merchantId' | 'ourNumber' | 'amount' | 'dueOn'>,
    timeoutMilliseconds: number,
  ): Promise<FoundBoleto>;
  /** The changes since the cursor, oldest first. Asking does not change the next answer. */
  changesSince(request: BankChangesRequest, timeoutMilliseconds: number): Promise<BankChangesAnswer>;
  close(): Promise<unknown>;
};

export type BankSettings = {
  /** null if no bank is set. */
  readonly url: string | null;
  readonly channel: ChannelFiles;
  readonly timeoutMilliseconds: number;
  /** The pause between two requests for changes. */
  readonly changesSeconds: number;
};

/** null if none is set, or if payers' data must not be sent to it; the fault is added to `faults`. */
export function readBankUrl(text: (name: string) => string, faults: string[]): string | null {
  const url = text('PARCELA_BANK_URL');
  if (url === '') return null;
  const fault = channelUrlFault('PARCELA_BANK_URL', url, 'names and documents of payers');
  if (fault === null) return url;
  faults.push(fault);
  return null;
}
