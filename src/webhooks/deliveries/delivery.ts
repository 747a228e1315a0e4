/** The states of a delivery: one message on its way to one endpoint. A person can resend an ended one. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'givenUp'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `retry`: not accepted, another try follows. `resend`: requested by a person. */
type DeliveryEvent = 'deliver' | 'retry' | 'giveUp' | 'resend';

/**
 * null: the event cannot happen in that state. A test is written only after it was tried, in its last state.
 */
export const DELIVERY_MOVES = {
  waiting: { deliver: 'delivered', retry: 'waiting', giveUp: 'givenUp', resend: null },
  delivered: { deliver: null, retry: null, giveUp: null, resend: 'waiting' },
  givenUp: { deliver: null, retry: null, giveUp: null, resend: 'waiting' },
} as const satisfies Record<DeliveryState, Record<DeliveryEvent, DeliveryState | null>>;

/**
 * `movement`: to the webhook of the account. `callback`: to the URL given with a payment. `notice`: about a
 * subscription or an exception.
 */
export const DELIVERY_KINDS = ['movement', 'callback', 'test', 'notice'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export type DeliveryToSend = {
  readonly merchantId: string;
  /** The id of the payment, boleto or other thing that the message is about; null for a test. */
  readonly aboutId: string | null;
  readonly deliveryNumber: number;
  readonly kind: DeliveryKind;
  readonly endpoint: string;
  /** Failures under an earlier registration of the endpoint do not count against a later one. */
  readonly registration: number;
  readonly accountNumber: string;
  readonly url: string;
  /** The exact text to send and sign. */
  readonly body: string;
  /** Sealed `user:password`; null: the endpoint has no login. */
  readonly basicAuth: SealedText | null;
  /** Each secret makes a signature. If empty, the message is not signed. */
  readonly secrets: readonly SealedText[];
  /**
   * `tries`: all earlier ones. `triesBefore`: those before the last resend, which do not count for the
   * schedule.
   */
  readonly tries: number;
  readonly triesBefore: number;
  readonly fence: number;
  /** Milliseconds since the epoch, real time. Part of the delivery's id. */
  readonly createdAt: number;
  /** The endpoint is recorded as failing, or its breaker is open. A success ends that. */
  readonly isFailing: boolean;
};

export type SealedText = { readonly dataKeyId: number; readonly bytes: Buffer };

/** Sends what a commit has just written, without reading it from the database. */
export type Deliverer = {
  /** The lease for deliveries to send at once, in milliseconds; 0 if no slot is free. */
  leaseForNow(): number;
  /** Returns at once and never throws. What cannot be sent now is sent later. */
  sendNow(deliveries: readonly DeliveryToSend[]): void;
  /** To be called after deliveries were written without a lease: wakes the work that claims them. */
  notify(): void;
};

export function accountEndpoint(accountNumber: string): string {
  return `account:${accountNumber}`;
}

/** Callbacks to one server fail together, so they share an endpoint. `url` is as `new URL` writes it. */
export function callbackEndpoint(url: string): string {
  return `origin:${new URL(url).origin}`;
}

const VERSION_7 = '7000';
const VARIANT = 0x8000_0000_0000_0000n;

/** The `webhook-id`, by which merchants recognize repetitions: a UUID v7 of writing time and number. */
export function deliveryId({
  createdAt,
  deliveryNumber,
}: Pick<DeliveryToSend, 'createdAt' | 'deliveryNumber'>) {
  const time = Math.floor(createdAt).toString(16).padStart(12, '0');
  const number = (VARIANT | BigInt(deliveryNumber)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${VERSION_7}-${number.slice(0, 4)}-${number.slice(4)}`;
}

/**
 * The number in a `webhook-id`; null: not of our form. The id holds a time too: compare it with the row's id.
 */
export function deliveryNumberOf(id: string): number | null {
  const match = /^[0-9a-f]{8}-[0-9a-f]{4}-7000-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/.exec(id.toLowerCase());
  if (match === null) return null;
  const number = BigInt(`0x${match[1]}${match[2]}`) - VARIANT;
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : null;
}
