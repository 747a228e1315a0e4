import { randomUUID } from 'node:crypto';
import type {
  AuthorizationRequest,
  CancelHistory,
  CancelRequest,
  CaptureRequest,
  CardForAuthorization,
} from '../../../src/providers/acquirers/acquirer.ts';
import { NO_NETWORK_REFERENCE } from '../../../src/providers/acquirers/network-reference.ts';
import { cents } from '../../../src/values/cents.ts';
import type { Instant } from '../../../src/values/instant.ts';
import { MERCHANT } from './port-bench.ts';

/** Long enough for any answer that comes; a silence is waited for in vain. */
export const PATIENT_MILLISECONDS = 20_000;
export const SHORT_MILLISECONDS = 800;

const CARD: CardForAuthorization = {
  ...{ number: '5155901222280001', brand: 'mastercard' as const, securityCode: '123' },
  ...{ expirationMonth: '12', expirationYear: '39', holderName: 'ANA SOUZA' },
};

export function newReference(): string {
  return randomUUID();
}

export function sale(
  reference: string,
  amount: number,
  capture: AuthorizationRequest['capture'] = 'atOnce',
): AuthorizationRequest {
  return {
    ...{ merchantId: MERCHANT, capture, reference, merchantReference: 'PEDIDO-1', amount: cents(amount) },
    ...{ installments: 1, soldAt: Date.now() as Instant, initiator: 'cardholder', card: CARD },
    ...{ networkReference: NO_NETWORK_REFERENCE, storedCard: null, storedCardReason: null },
    ...{ softDescriptor: null, customer: null, authentication: null },
  };
}

/** A billing of a subscription, behind its first. */
export function billing(reference: string, amount: number): AuthorizationRequest {
  return {
    ...sale(reference, amount),
    ...{ initiator: 'merchant', storedCard: 'later', storedCardReason: 'recurring' },
    card: { ...CARD, securityCode: null },
  };
}

export function verification(reference: string) {
  return { merchantId: MERCHANT, reference, card: CARD };
}

const NEVER_SENT: CancelHistory = {
  ...{ tid: null, givenBack: cents(0), sinceLastSend: null, isAccepted: false, refundId: null },
  isDenied: false,
};

/** One cancel, that may be asked for again. `marks`: how often it was marked as sent. */
export class AskedCancel {
  marks = 0;
  readonly #reference: string;
  readonly #amount: number;
  readonly #id = randomUUID();

  constructor(reference: string, amount: number) {
    this.#reference = reference;
    this.#amount = amount;
  }

  request(history: Partial<CancelHistory>, mayBeSent = true): CancelRequest {
    return {
      ...{ merchantId: MERCHANT, reference: this.#reference, cancellationReference: this.#id },
      ...{ amount: cents(this.#amount), requestedAt: Date.now() as Instant },
      history: { ...NEVER_SENT, ...history },
      markSent: async () => {
        this.marks += 1;
        return mayBeSent;
      },
    };
  }
}

export function capturing(reference: string, amount: number, tid: string | null): CaptureRequest {
  return {
    ...{ merchantId: MERCHANT, reference, captureReference: randomUUID(), amount: cents(amount), tid },
    capturedAt: Date.now() as Instant,
    markSent: async () => true,
  };
}
