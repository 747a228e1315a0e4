import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import type { PixIssueRefusal, PixName, PixPayer, PixRequest } from '../../../providers/pix/pix-bank.ts';
import { type Cents, cents } from '../../../values/cents.ts';
import { addDays, type Day, type Instant, instant, startOfSaoPauloDay } from '../../../values/instant.ts';
import type { PaymentKind } from '../../bill-payment.ts';
import { amountDue, isAmountDue } from '../../bill-terms.ts';
import { beneficiaryShares, type RecordedSplit, type ShareTotal, type Split } from '../../split.ts';

/**
 * `issuing`: the bank's answer is not known. `refused`: the bank has no such charge. `removing`: the bank was
 * asked to take it away, and has not answered. `returned`: all that paid it was given back.
 */
export const PIX_STATES = [
  'issuing',
  'waiting',
  'removing',
  'paid',
  'returned',
  'canceled',
  'expired',
  'refused',
] as const;
export type PixState = (typeof PIX_STATES)[number];

export const PIX_EVENTS = [
  'issue',
  'refuse',
  'withdraw',
  'startRemove',
  'startExpiry',
  'keep',
  'pay',
  'cancel',
  'expire',
  'giveBack',
] as const;
/**
 * `withdraw`: the bank was not asked. `keep`: the bank did not take the charge away, so it waits again.
 * `giveBack`: nothing is left of the payment that paid it.
 */
export type PixEvent = (typeof PIX_EVENTS)[number];

const NEVER = {
  issue: null,
  refuse: null,
  withdraw: null,
  startRemove: null,
  startExpiry: null,
  keep: null,
  pay: null,
  cancel: null,
  expire: null,
  giveBack: null,
} as const;

/** Null: the event cannot happen in that state. */
export const PIX_MOVES = {
  issuing: { ...NEVER, issue: 'waiting', refuse: 'refused', withdraw: 'refused' },
  waiting: { ...NEVER, startRemove: 'removing', startExpiry: 'removing', pay: 'paid' },
  removing: { ...NEVER, keep: 'waiting', pay: 'paid', cancel: 'canceled', expire: 'expired' },
  paid: { ...NEVER, giveBack: 'returned' },
  returned: NEVER,
  canceled: NEVER,
  expired: NEVER,
  refused: NEVER,
} as const satisfies Record<PixState, Record<PixEvent, PixState | null>>;

/** The states that merchants see, as movements name them. */
export const SHOWN_STATES = ['waiting', 'paid', 'returned', 'canceled', 'expired'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/**
 * `removedAtBank`: the charge was taken away at the bank before we knew that the bank had made it.
 * `neverConfirmed`: its time was over before that, or its payer was erased, so that it cannot be asked for
 * again.
 */
type EndOfBank = 'removedAtBank' | 'neverConfirmed';
export type RefusalOfBank = PixIssueRefusal | EndOfBank;
export const REFUSALS_OF_BANK = [
  ...(['payerRefused', 'termsRefused', 'amountRefused'] as const),
  ...(['removedAtBank', 'neverConfirmed'] as const),
] as const satisfies readonly RefusalOfBank[];
/** A refusal reason of our own: the bank was not asked. */
export const NOT_SENT = 'notSent';

export type PixKey = { readonly merchantId: string; readonly pixId: string };

export type ReceivedPix = {
  readonly endToEndId: string;
  readonly amount: Cents;
  readonly paidAt: Instant;
  readonly kind: PaymentKind;
  /** It paid the charge. */
  readonly isPaying: boolean;
  /** It was not expected, and nobody has resolved its exception yet. */
  readonly isOpen: boolean;
  /** The exception by which a person resolves it; null if it was expected. */
  readonly exceptionId: string | null;
  /** `returnedAmount` was given back; `heldAmount` is that and what is being given back. */
  readonly returnedAmount: Cents;
  readonly heldAmount: Cents;
};

export type PixDue = {
  readonly dueOn: Day;
  readonly payableUntil: Day;
  readonly finePortion: number | null;
  readonly interestPortion: number | null;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
};

export type Pix = PixKey & {
  readonly accountNumber: string;
  readonly txid: string;
  readonly pageKey: string;
  readonly state: PixState;
  /** It is `removing` because its time is over. */
  readonly isExpiring: boolean;
  readonly amount: Cents;
  /** Null if it has a due day. */
  readonly expiresInSeconds: number | null;
  /** Null if it is to be paid at once. */
  readonly due: PixDue | null;
  readonly expiresAt: Instant;
  /** Null: not given, or erased. */
  readonly payer: PixPayer | null;
  readonly isPayerErased: boolean;
  readonly description: string | null;
  readonly referenceTransaction: string | null;
  readonly callbackUrl: string | null;
  /** With the fee of the moment at which it was asked for. Null: all is the merchant's. */
  readonly split: RecordedSplit | null;
  /** The payment link at which it is a try to pay; null: none. */
  readonly linkId: string | null;
  /** The billing that it was collected for (Pix Automático); null: none. */
  readonly billingId: string | null;
  readonly bank: string;
  /**
   * The text of the QR code. Null until the bank has given it, and where the bank showed the charge as paid
   * without one.
   */
  readonly pixEmv: string | null;
  readonly refusalReason: RefusalOfBank | typeof NOT_SENT | null;
  /** The payment that paid it; null: none has. */
  readonly payment: {
    readonly endToEndId: string;
    readonly amount: Cents;
    readonly paidAt: Instant;
  } | null;
  /** All payments that arrived for it, in the order of their arrival. */
  readonly payments: readonly ReceivedPix[];
  readonly actsAt: Instant | null;
  /** Business time. */
  readonly requestedAt: Instant;
  readonly fence: number;
  readonly tries: number;
  /** Why the last try had no clear answer; null: who asked has not left it to the resolving work. */
  readonly unknownReason: string | null;
};

export type PixTerms = Pick<
  Pix,
  'amount' | 'expiresInSeconds' | 'due' | 'payer' | 'description' | 'referenceTransaction' | 'callbackUrl'
>;

/** As the merchant asked for it: `split` without the fee, and the due day not checked yet. */
export type WantedPix = Omit<PixTerms, 'due'> & {
  readonly due: (Omit<PixDue, 'payableUntil'> & { readonly daysToExpire: number }) | null;
  readonly split: Split | null;
  /** The payment link at which it is a try to pay; absent: none. */
  readonly linkId?: string;
};

/** Committed before the bank is asked. */
export type PixIntent = PixKey &
  PixTerms &
  Pick<Pix, 'accountNumber' | 'txid' | 'pageKey' | 'expiresAt' | 'requestedAt' | 'bank' | 'split'> & {
    readonly linkId?: string;
    readonly createdBy: string;
    readonly request: KeyedRequest | null;
  };

export const USUAL_SECONDS = 86_400;
export const USUAL_DAYS_TO_EXPIRE = 30;
/** Our txid, in the form that the central bank allows: 26 to 35 letters and digits. */
export function txidOf(pixId: string): string {
  return pixId.replaceAll('-', '').toLowerCase();
}

/** What `txidOf` makes of a UUID of version 7 or 8. */
const TXID_OF_OURS = /^[0-9a-f]{12}[78][0-9a-f]{3}[89ab][0-9a-f]{15}$/;

export const isTxidOfOurs = (txid: string): boolean => TXID_OF_OURS.test(txid);

export function expiresAt(
  { expiresInSeconds, due }: Pick<PixTerms, 'expiresInSeconds' | 'due'>,
  now: Instant,
): Instant {
  if (due !== null) return startOfSaoPauloDay(addDays(due.payableUntil, 1));
  return instant(now + (expiresInSeconds ?? USUAL_SECONDS) * 1_000);
}

/** Null: merchants see no state, because the charge is being issued, or never was. */
export function shownState({ state }: Pick<Pix, 'state'>): ShownState | null {
  switch (state) {
    case 'issuing':
    case 'refused':
      return null;
    case 'removing':
      return 'waiting';
    default:
      return state;
  }
}

const MINUTE_MILLISECONDS = 60_000;

/**
 * When a waiting charge is to be ended: when its time is over. A charge that is still waiting after that was
 * paid at the bank, and the report of the payment is awaited: the bank is asked again in a minute.
 */
export function actsAt({ expiresAt: end }: Pick<Pix, 'expiresAt'>, now: Instant): Instant {
  return instant(end > now ? end : now + MINUTE_MILLISECONDS);
}

export function expectedAmount({ amount, due }: Pick<Pix, 'amount' | 'due'>, day: Day): Cents {
  return due === null ? amount : amountDue({ amount, ...due }, day);
}

export function isAmountExpected(
  { amount, due }: Pick<Pix, 'amount' | 'due'>,
  day: Day,
  paid: Cents,
): boolean {
  return due === null ? paid === amount : isAmountDue({ amount, ...due }, day, paid);
}

/** Sums over all payments: `returned` was given back; `held` is that and what is being given back. */
export function givenBack({ payments }: Pick<Pix, 'payments'>): {
  readonly returned: Cents;
  readonly held: Cents;
} {
  const sum = (amounts: readonly number[]) => cents(amounts.reduce((all, one) => all + one, 0));
  return {
    returned: sum(payments.map(({ returnedAmount }) => returnedAmount)),
    held: sum(payments.map(({ heldAmount }) => heldAmount)),
  };
}

/**
 * What each beneficiary gets of the payment that paid the charge, and how much of that went back
 * (`canceledAmount`) with what was given back of the payment. Empty without a split, and before the charge is
 * paid.
 */
export function sharesOf({
  split,
  payment,
  payments,
}: Pick<Pix, 'split' | 'payment' | 'payments'>): ShareTotal[] {
  if (split === null || payment === null) return [];
  const returned = payments.find(({ endToEndId }) => endToEndId === payment.endToEndId)?.returnedAmount ?? 0;
  const kept = beneficiaryShares(cents(payment.amount - returned), split, split.feePortion);
  return beneficiaryShares(payment.amount, split, split.feePortion).map((amount, index) => ({
    position: index + 1,
    amount,
    // When less is divided, a cent may be rounded to another beneficiary: nobody keeps more than he got.
    canceledAmount: cents(amount - Math.min(amount, kept[index] ?? 0)),
  }));
}

export function requestOf(pix: Pick<Pix, keyof PixTerms | 'merchantId' | 'txid'>): PixRequest {
  const { merchantId, txid, amount, expiresInSeconds, due, payer, description } = pix;
  return {
    ...{ merchantId, txid, amount, expiresInSeconds, payer, description },
    due: due === null ? null : { ...due, daysToExpire: daysToExpire(due) },
  };
}

export function nameOf({
  merchantId,
  txid,
  amount,
  due,
}: Pick<Pix, 'merchantId' | 'txid' | 'amount' | 'due'>): PixName {
  return { merchantId, txid, amount, hasDueDay: due !== null };
}

function daysToExpire({ dueOn, payableUntil }: Pick<PixDue, 'dueOn' | 'payableUntil'>): number {
  return Math.round((Date.parse(payableUntil) - Date.parse(dueOn)) / 86_400_000);
}
