import { type Cents, splitIntoInstallments } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';

/** `paying`: a try is under way, or its outcome is not known. */
export const LINK_STATES = ['open', 'paying', 'paid', 'disabled'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/**
 * `fail`: the try made no charge. `drop`: its bill was taken away for a merchant who disables the link, or
 * brought too little. `close`: the database was restored, and the link may already be paid.
 */
type LinkEvent = 'begin' | 'pay' | 'fail' | 'disable' | 'drop' | 'close';

const NEVER = { begin: null, pay: null, fail: null, disable: null, drop: null, close: null } as const;

/** Null: the event cannot happen in that state. A link is paid once, even if the payment is given back. */
export const LINK_MOVES = {
  // Money may come for a bill that was taken away or over.
  open: {
    ...NEVER,
    begin: 'paying',
    pay: 'paid',
    fail: 'open',
    disable: 'disabled',
    drop: 'disabled',
    close: 'disabled',
  },
  paying: { ...NEVER, pay: 'paid', fail: 'open', drop: 'disabled', close: 'disabled' },
  paid: NEVER,
  disabled: NEVER,
} as const satisfies Record<LinkState, Record<LinkEvent, LinkState | null>>;

/** How a try pays. A Pix or boleto keeps its try until it is paid, over, or taken away. */
export const TRY_METHODS = ['card', 'pix', 'boleto'] as const;
export type TryMethod = (typeof TRY_METHODS)[number];

export type LinkKey = { readonly merchantId: string; readonly linkId: string };

export type WantedLink = {
  readonly description: string;
  readonly amount: Cents;
  readonly mostInstallments: number;
  readonly expiresAt: Instant;
  readonly callbackUrl: string | null;
  readonly returnUrl: string | null;
  readonly referenceTransaction: string | null;
};

export type Link = LinkKey &
  WantedLink & {
    readonly accountNumber: string;
    readonly pageKey: string;
    /** What the buyer reads on the card's statement; null: the merchant's default. */
    readonly softDescriptor: string | null;
    readonly state: LinkState;
    readonly disableReason: string | null;
    /** The number of the last try; 0: nobody has tried. */
    readonly tries: number;
    readonly cardTries: number;
    readonly boletoTries: number;
    /** How the last try pays; null: nobody has tried. */
    readonly tryMethod: TryMethod | null;
    readonly paymentId: string | null;
    /** All money that came for its bills, whatever their state. */
    readonly receivedAmount: Cents;
    /** The bill with which `receivedAmount` reached the link's amount. Null: none did. */
    readonly receivedId: string | null;
    /** How often the bank was asked to take away the try's bill after money came for another one. */
    readonly removals: number;
    /** Real time: the end of the pause after the last of these requests, and whether it is over. */
    readonly removalAt: Instant | null;
    readonly isRemovalRested: boolean;
    readonly createdBy: string;
    readonly createdAt: Instant;
    /** Real time since the last try began, by the database's clock; 0: nobody has tried. */
    readonly triedMilliseconds: number;
  };

/** More are too many for one buyer: somebody tries out cards. */
export const MOST_CARD_TRIES = 20;
/** A bank registers each boleto in the name of somebody. */
export const MOST_BOLETO_TRIES = 5;
/** The most tries of all methods. A Pix tests no card, but each one is a request to the bank. */
export const MOST_TRIES = 200;

export function mayTry(
  { tries, cardTries, boletoTries }: Pick<Link, 'tries' | 'cardTries' | 'boletoTries'>,
  method: TryMethod,
): boolean {
  if (tries >= MOST_TRIES) return false;
  return method === 'card'
    ? cardTries < MOST_CARD_TRIES
    : method === 'pix' || boletoTries < MOST_BOLETO_TRIES;
}

export type ShownState = LinkState | 'expired';

export function shownState(
  { state, expiresAt }: Pick<Link, 'state' | 'expiresAt'>,
  now: Instant,
): ShownState {
  return state === 'open' && now >= expiresAt ? 'expired' : state;
}

/** The pause doubles from a minute to a day: about a month in all. After that a person asks the bank. */
export const MOST_REMOVALS = 40;

export function isRemovalDue({
  removals,
  isRemovalRested,
}: Pick<Link, 'removals' | 'isRemovalRested'>): boolean {
  return removals < MOST_REMOVALS && isRemovalRested;
}

/** `asked`: its bank has not answered yet. `strange`: its bank is no longer configured. */
export type RemovalOfBill = 'asked' | 'askable' | 'strange';

/**
 * When the bank is asked to remove a bill that stands beside money. Null: now, or it is being asked.
 * Undefined: never.
 */
export function nextRemoval(
  link: Pick<Link, 'state' | 'tryMethod' | 'receivedAmount' | 'removals' | 'removalAt' | 'isRemovalRested'>,
  bill: RemovalOfBill,
): Instant | null | undefined {
  const isBeside = link.state === 'paying' && link.tryMethod !== 'card' && link.receivedAmount > 0;
  if (!isBeside) return undefined;
  if (bill === 'asked') return null;
  if (bill === 'strange' || link.removals >= MOST_REMOVALS) return undefined;
  return isRemovalDue(link) ? null : link.removalAt;
}

/**
 * The outcome of a try. `underWay`: its payment may still be approved, or its bill paid. `short`: less was
 * paid than the link asks for, which a person resolves. `isUnasked`: no provider was asked for a payment.
 */
export type TryOutcome =
  | { readonly kind: 'paid'; readonly paymentId: string }
  | { readonly kind: 'failed'; readonly isUnasked?: boolean }
  | { readonly kind: 'short' }
  | { readonly kind: 'underWay' };

type MoneyOfLink = Pick<Link, 'state' | 'tryMethod' | 'receivedAmount' | 'receivedId'>;

/**
 * What became of a link. Once its last try (`last`) is over, money for any of its bills counts, even if it
 * came after the bill's end. A bill paid in full pays the link, even if too little came for one before.
 */
export function outcomeOfLink(
  { tryMethod, receivedAmount, receivedId }: MoneyOfLink,
  last: TryOutcome,
): TryOutcome {
  if (last.kind === 'underWay' || (last.kind === 'paid' && tryMethod === 'card')) return last;
  if (receivedId !== null) return { kind: 'paid', paymentId: receivedId };
  return last.kind === 'paid' || receivedAmount === 0 ? last : { kind: 'short' };
}

/**
 * What readers of a link are shown in place of its stored state; null: that state is right. While a bill can
 * still be paid, enough money pays the link, and too little does not end it. While a card is being charged
 * only the card's outcome counts. `last`: the outcome of the last try; null: it was not read.
 */
export function seenOutcome(link: MoneyOfLink, last: TryOutcome | null = null): TryOutcome | null {
  if (link.state === 'open')
    return link.receivedAmount === 0 ? null : outcomeOfLink(link, { kind: 'failed' });
  if (link.state !== 'paying' || link.tryMethod === 'card') return null;
  return outcomeOfLink(link, link.receivedId === null ? (last ?? { kind: 'underWay' }) : { kind: 'failed' });
}

/** Above the largest value of `PARCELA_REQUEST_DEADLINE_MILLISECONDS`. */
const LONGEST_REQUEST_MILLISECONDS = 150_000;

/** A try without a payment. Once its request is over, none will ever be made. */
export function outcomeWithoutPayment({ triedMilliseconds }: Pick<Link, 'triedMilliseconds'>): TryOutcome {
  return triedMilliseconds > LONGEST_REQUEST_MILLISECONDS
    ? { kind: 'failed', isUnasked: true }
    : { kind: 'underWay' };
}

/** The key of a try's payment, unique over all links of a merchant. */
export function keyOfTry({ linkId, tries }: Pick<Link, 'linkId' | 'tries'>): string {
  return `${linkId}:${tries}`;
}

export type InstallmentOption = {
  readonly count: number;
  /** Includes the cents that do not divide. */
  readonly first: Cents;
  readonly others: Cents;
};

/** How a payer may divide the amount. `largest`: the acquirer's limit of installments. */
export function installmentOptions(
  { amount, mostInstallments }: Pick<Link, 'amount' | 'mostInstallments'>,
  minimum: Cents,
  largest: number,
): InstallmentOption[] {
  const counts = Array.from({ length: Math.min(mostInstallments, largest) }, (_, index) => index + 1);
  return counts.flatMap((count) => {
    const [first, others = first] = splitIntoInstallments(amount, count);
    if (first === undefined || others === undefined || (count > 1 && others < minimum)) return [];
    return [{ count, first, others }];
  });
}
