import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { BankNotConnected, BankUnknown } from '../banks/bank.ts';
import type { PixPayer } from './pix-bank.ts';

/** Pix Automático: what a receiver's bank offers for it. Null of a bank: it is not switched on there. */
export type RecurringTerms = {
  /** Days before its due day on which a charge is sent to the bank. */
  readonly leadDays: number;
};

const DAYS_OF_A_WEEK = 7;

/** A week or more ahead no weekly charge is in time: the one before it is not over. */
export function isWeeklyInTime({ leadDays }: RecurringTerms): boolean {
  return leadDays < DAYS_OF_A_WEEK;
}

/** As the bank has them now; while it is not there, as they were when its payer was asked. */
export function leadDaysAt(
  { recurring }: { readonly recurring: RecurringTerms | null },
  agreed: Pick<RecurringTerms, 'leadDays'>,
): number {
  return recurring?.leadDays ?? agreed.leadDays;
}

export const PIX_PERIODS = ['weekly', 'monthly', 'quarterly', 'semesterly', 'yearly'] as const;
export type PixPeriod = (typeof PIX_PERIODS)[number];

/** Where a payer is asked by his own bank (journey 1). */
export type PayerAccount = {
  /** Eight characters: the payer's institution. */
  readonly ispb: string;
  readonly branch: string | null;
  readonly account: string;
};

export type AuthorizationRequest = {
  readonly merchantId: string;
  /** Ours, unique for ever: an authorization that was made before is found by it. */
  readonly contract: string;
  readonly payer: PixPayer;
  /** What the payer reads it is for: up to 35 characters. */
  readonly subject: string;
  readonly period: PixPeriod;
  /** The first day on which something may be charged. */
  readonly startsOn: Day;
  /** Fixed; null: each charge has its own, and the payer may set a ceiling, not below `leastAmount`. */
  readonly amount: Cents | null;
  readonly leastAmount: Cents | null;
  readonly mayRetry: boolean;
  /** A charge whose QR code authorizes too (journey 3). `expiresInSeconds`: from now on. */
  readonly first: (FirstCharge & { readonly expiresInSeconds: number }) | null;
  readonly payerAccount: PayerAccount | null;
  /** Business time: when it was asked for first, and until when the payer may agree. */
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
};

export type AuthorizationAnswer =
  | { readonly kind: 'made'; readonly recId: string; readonly pixEmv: string }
  /** The bank surely makes none like this. */
  | { readonly kind: 'refused'; readonly reason: string }
  | BankUnknown
  | BankNotConnected;

type FirstCharge = { readonly txid: string; readonly amount: Cents };

/** Without `recId` it is found by its contract: its answer may have been lost. */
export type AuthorizationName = Pick<
  AuthorizationRequest,
  'merchantId' | 'contract' | 'requestedAt' | 'expiresAt'
> & {
  readonly recId: string | null;
  /** Narrows the search. Null: the payer was erased. */
  readonly documentNumber: string | null;
};

export type FirstChargeName = FirstCharge & { readonly merchantId: string };

export type PixPaid = {
  readonly endToEndId: string;
  readonly amount: Cents;
  readonly paidAt: Instant;
};

export type AuthorizationState =
  | { readonly state: 'waiting' | 'approved' | 'rejected' | 'expired' }
  /** `byPayer`: by the payer, or by his bank. */
  | { readonly state: 'canceled'; readonly byPayer: boolean };

export type FoundAuthorization =
  | ({ readonly kind: 'found'; readonly recId: string } & AuthorizationState)
  | { readonly kind: 'notFound' }
  | BankUnknown
  | BankNotConnected;

/** The bank says that it is paid. `payment`: by what; null: its record does not say. */
export type FoundPaid = { readonly kind: 'paid'; readonly payment: PixPaid | null };

/** `ended`: nobody can pay it any more, as the bank says. */
export type FoundFirstCharge =
  | { readonly kind: 'waiting' | 'ended' | 'notFound' }
  | FoundPaid
  | BankUnknown
  | BankNotConnected;

export type CollectionRequest = {
  readonly merchantId: string;
  readonly recId: string;
  /** Ours. The bank has at most one charge under it, and one live charge a cycle. */
  readonly txid: string;
  readonly amount: Cents;
  readonly dueOn: Day;
  /** From 1. A later one is a further try of the same charge. */
  readonly attemptNumber: number;
  /** The day that we choose for a further try. The first try is made on `dueOn`, whatever stands here. */
  readonly tryOn: Day;
};

export type FoundCollection =
  /** A try is open: the payer's bank has it. */
  | { readonly kind: 'scheduled' }
  /** Its last try failed, and the charge may be tried again. */
  | { readonly kind: 'failed'; readonly code: string | null }
  | FoundPaid
  | { readonly kind: 'over'; readonly isCanceled: boolean; readonly code: string | null }
  | { readonly kind: 'notFound' }
  | BankUnknown
  | BankNotConnected;

export type CollectAnswer = FoundCollection | { readonly kind: 'refused'; readonly reason: string };

/** Of the port to a bank of Pix. Every call may be repeated. */
export type RecurringPix = {
  /** A first repetition may make a second authorization, which nobody sees: its code is not shown. */
  authorize(request: AuthorizationRequest, timeoutMilliseconds: number): Promise<AuthorizationAnswer>;
  findAuthorization(name: AuthorizationName, timeoutMilliseconds: number): Promise<FoundAuthorization>;
  /** With the charges that are still to be made under it. Answers what there is afterwards. */
  endAuthorization(name: AuthorizationName, timeoutMilliseconds: number): Promise<FoundAuthorization>;
  findFirstCharge(name: FirstChargeName, timeoutMilliseconds: number): Promise<FoundFirstCharge>;
  /** Takes it away unless it is paid. `now`: business time. */
  endFirstCharge(
    name: FirstChargeName & { readonly now: Instant },
    timeoutMilliseconds: number,
  ): Promise<FoundFirstCharge>;
  /** Sends the charge, or its further try, unless the bank has it. */
  collect(request: CollectionRequest, timeoutMilliseconds: number): Promise<CollectAnswer>;
  findCollection(request: CollectionRequest, timeoutMilliseconds: number): Promise<FoundCollection>;
  /** Takes it away: the scheme lets it be until the day before its first try. Answers what is there then. */
  endCollection(request: CollectionRequest, timeoutMilliseconds: number): Promise<FoundCollection>;
};
