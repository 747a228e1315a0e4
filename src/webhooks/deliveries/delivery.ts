/**
 * A delivery is one message to one endpoint. `waiting` until the endpoint accepted it or it was
 * given up; a person can send an ended one again.
 */
export const DELIVERY_STATES = ['waiting', 'delivered', 'givenUp'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * `retry`: the endpoint did not accept it, and another try follows. `resend`: a person requests it.
 */
type DeliveryEvent = 'deliver' | 'retry' | 'giveUp' | 'resend';

/** Null means that the event cannot happen in that state. A test is written once it has ended. */
export const DELIVERY_MOVES = {
  waiting: { deliver: 'delivered', retry: 'waiting', giveUp: 'givenUp', resend: null },
  delivered: { deliver: null, retry: null, giveUp: null, resend: 'waiting' },
  givenUp: { deliver: null, retry: null, giveUp: null, resend: 'waiting' },
} as const satisfies Record<DeliveryState, Record<DeliveryEvent, DeliveryState | null>>;

/**
 * `movement`: a change of an installment. `callback`: to the address that a payment brought.
 * `test`: requested by a person. `notice`: a failed charge or an expiring card, to an alert
 * endpoint of the merchant.
 */
export const DELIVERY_KINDS = ['movement', 'callback', 'test', 'notice'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** One delivery as its sender needs it, held under a lease. */
export type DeliveryToSend = {
  readonly merchantId: string;
  /** The payment, boleto or other thing that it reports of; null: a test. */
  readonly aboutId: string | null;
  readonly deliveryNumber: number;
  readonly kind: DeliveryKind;
  readonly endpoint: string;
  /**
   * The registration of the address: the failures of an earlier one do not count against a later
   * one.
   */
  readonly registration: number;
  readonly accountNumber: string;
  readonly url: string;
  /** The exact text to send and sign. */
  readonly body: string;
  /** Sealed `user:password`; null: sent without. */
  readonly basicAuth: SealedText | null;
  /** Each of them signs; none: sent without a signature. */
  readonly secrets: readonly SealedText[];
  /** Earlier tries, and those of them that do not count for the schedule. */
  readonly tries: number;
  readonly triesBefore: number;
  readonly fence: number;
  /** Milliseconds since the epoch, real time: with the number it makes the id. */
  readonly createdAt: number;
  /** Whether the endpoint's last try failed, or its breaker is open: a success ends that. */
  readonly isFailing: boolean;
};

/** A text at rest, and the data key that opens it. */
export type SealedText = { readonly dataKeyId: number; readonly bytes: Buffer };

/** Sends what a commit has just written, without reading it from the database again. */
export type Deliverer = {
  /**
   * Milliseconds of lease for deliveries that are written now, to be sent by this process at once;
   * 0: it has no free slot.
   */
  leaseForNow(): number;
  /**
   * Sends what was written under such a lease. Returns at once, and never throws; what it cannot
   * send now comes again.
   */
  sendNow(deliveries: readonly DeliveryToSend[]): void;
  /** Something was written without a lease: the work looks for it. */
  notify(): void;
};

export function accountEndpoint(accountNumber: string): string {
  return `account:${accountNumber}`;
}

/**
 * The endpoint of callbacks to an address: those of one server succeed and fail together. `url` as
 * `new URL` writes it.
 */
export function callbackEndpoint(url: string): string {
  return `origin:${new URL(url).origin}`;
}

const VERSION_7 = '7000';
const VARIANT = 0x8000_0000_0000_0000n;

/**
 * The id by which merchants recognise repetitions (`webhook-id`): a UUID of version 7 made of the
 * time of writing (milliseconds since the epoch) and the number, so that a row needs no second key.
 */
export function deliveryId({
  createdAt,
  deliveryNumber,
}: Pick<DeliveryToSend, 'createdAt' | 'deliveryNumber'>) {
  const time = Math.floor(createdAt).toString(16).padStart(12, '0');
  const number = (VARIANT | BigInt(deliveryNumber)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${VERSION_7}-${number.slice(0, 4)}-${number.slice(4)}`;
}

/**
 * The number in such an id; null when it is none of ours. The caller compares the whole id with
 * that of the row.
 */
export function deliveryNumberOf(id: string): number | null {
  const match = /^[0-9a-f]{8}-[0-9a-f]{4}-7000-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/.exec(id.toLowerCase());
  if (match === null) return null;
  const number = BigInt(`0x${match[1]}${match[2]}`) - VARIANT;
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : null;
}
