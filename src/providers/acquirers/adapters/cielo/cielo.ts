import { behindAnswer, unusable } from '../../../../platform/channels/unclear.ts';
import { CARD_BRANDS } from '../../../../values/card-number.ts';
import type {
  Acquirer,
  AcquirerCapabilities,
  AuthorizationAnswer,
  AuthorizationRequest,
  CaptureAnswer,
  CaptureRequest,
  FoundCapture,
  VerificationAnswer,
  VerificationRequest,
} from '../../acquirer.ts';
import { chargeInTwoSteps } from '../../charge-in-two-steps.ts';
import {
  type DirectQuestion,
  type DirectSettings,
  foundUnlessKnown,
  unanswered,
  unansweredBehind,
  unknown,
} from '../../direct-acquirer.ts';
import { shortReference } from '../../short-reference.ts';
import { sendingTime } from '../sending-time.ts';
import {
  type CieloPayment,
  readCieloAuthorization,
  readCieloCapture,
  readCieloList,
  readCieloPayment,
  readCieloVerification,
} from './cielo-answers.ts';
import type { AskCielo, LookUpCielo } from './cielo-payments.ts';
import { captureFound, foundOf, paymentOf } from './cielo-payments.ts';
import { cieloAuthorization, cieloVerification } from './cielo-requests.ts';
import { cieloVoids } from './cielo-voids.ts';
import type { CieloWire } from './cielo-wire.ts';
import type { VoidPauses } from './void-pauses.ts';

/** Payments under one reference. More cannot come from us, and are for a person. */
const MOST_PAYMENTS = 20;
/** Cielo finds a payment for three months, which February shortens. */
const LOOK_UP_DAYS = 88;

const CAPABILITIES: AcquirerCapabilities = {
  largestInstallments: 12,
  brands: CARD_BRANDS,
  captureLater: true,
  partialCancel: true,
  zeroVerification: true,
  threeDSecure: true,
  longestReference: 50,
  lookUpDays: LOOK_UP_DAYS,
  customer: false,
  listCharges: false,
};

/** Cielo's e-commerce API 3.0. A reference of ours may be booked any number of times. */
export function cieloAcquirer(
  wire: Pick<CieloWire, 'ask' | 'close'>,
  pauses: Pick<VoidPauses, 'take'>,
  settings: DirectSettings,
): Acquirer {
  const { horizon, apart, silence, networkId, link } = settings;
  const ask: AskCielo = (...asked) => wire.ask(...asked);
  const lookUp = lookingUp(ask);
  return {
    name: 'cielo',
    traits: {
      lateBooking: { horizon, apart, silence, booksTwice: true },
      knowsCancels: false,
      networkId,
      link,
      heldBrands: CARD_BRANDS,
    },
    authorize: (request, timeout) => authorize(ask, settings, request, timeout),
    verify: (request, timeout) => verify(ask, request, timeout),
    async find(...asked) {
      const payments = await lookUp(...asked);
      return 'kind' in payments ? payments : foundOf(payments);
    },
    ...cieloVoids({ ask, lookUp, pauses, silence }),
    capture: (request, timeout) => capture(ask, lookUp, request, timeout),
    findCapture: (request, timeout) => findCapture(lookUp, request, timeout),
    changesSince: async () => ({ kind: 'notOffered' }),
    listCharges: async () => ({ kind: 'notOffered' }),
    capabilities: () => CAPABILITIES,
    readCapabilities: async () => ({ kind: 'capabilities', changed: false, capabilities: CAPABILITIES }),
    close: () => wire.close(),
  };
}

async function authorize(
  ask: AskCielo,
  { isTwoSteps, softDescriptor }: DirectSettings,
  request: AuthorizationRequest,
  timeout: number,
): Promise<AuthorizationAnswer> {
  const { merchantId, amount, card } = request;
  let made: string | null = null;
  const send = async (isCaptured: boolean, milliseconds: number) => {
    const body = cieloAuthorization(request, isCaptured, softDescriptor);
    const question = { method: 'POST', path: '/sales/', template: '/sales/', body } as const;
    const answer = await ask('charging', { merchantId, kind: card.brand }, question, milliseconds);
    const read = readCieloAuthorization(answer, request, isCaptured);
    made = read.paymentId;
    return read.answer;
  };
  if (request.capture === 'later') return send(false, timeout);
  if (!isTwoSteps) return send(true, timeout);
  return chargeInTwoSteps(
    (milliseconds) => send(false, milliseconds),
    (_approval, milliseconds) => sendCapture(ask, merchantId, made as string | null, amount, milliseconds),
    timeout,
  );
}

async function sendCapture(
  ask: AskCielo,
  merchantId: string,
  paymentId: string | null,
  amount: number,
  timeout: number,
): Promise<CaptureAnswer> {
  if (paymentId === null) return unknown('Cielo named no payment');
  const path = `/sales/${paymentId}/capture?amount=${amount}`;
  const question = { method: 'PUT', path, template: '/sales/{paymentId}/capture', body: null } as const;
  return readCieloCapture(await ask('charging', { merchantId, kind: 'captures' }, question, timeout));
}

async function verify(
  ask: AskCielo,
  request: VerificationRequest,
  timeout: number,
): Promise<VerificationAnswer> {
  const { merchantId, card } = request;
  const body = cieloVerification(request);
  if (body === null) return unknown(`Cielo verifies no ${card.brand}`);
  const question = { method: 'POST', path: '/zeroauth', template: '/zeroauth', body } as const;
  return readCieloVerification(await ask('charging', { merchantId, kind: card.brand }, question, timeout));
}

function lookingUp(ask: AskCielo): LookUpCielo {
  return async (merchantId, reference, timeout) => {
    const endsAt = performance.now() + timeout;
    const read = (path: string, template: string) => {
      const question: DirectQuestion = { method: 'GET', path, template, body: null };
      return ask('reading', { merchantId }, question, endsAt - performance.now());
    };
    const listed = await read(`/sales?merchantOrderId=${shortReference(reference)}`, '/sales');
    if (listed.kind !== 'answer') return unanswered(listed);
    const ids = readCieloList(listed);
    if (ids === null) return [];
    if ('kind' in ids) return ids;
    if (ids.length > MOST_PAYMENTS) return unusable(`Cielo has ${ids.length} payments of it`);
    const payments: CieloPayment[] = [];
    for (const id of new Set(ids)) {
      const shown = await read(`/sales/${id}`, '/sales/{paymentId}');
      if (shown.kind !== 'answer') return unansweredBehind(shown);
      const payment = behindAnswer(readCieloPayment(shown, reference));
      if ('kind' in payment) return payment;
      payments.push(payment);
    }
    return payments;
  };
}

async function capture(
  ask: AskCielo,
  lookUp: LookUpCielo,
  request: CaptureRequest,
  timeout: number,
): Promise<CaptureAnswer> {
  const { merchantId, reference, amount } = request;
  const time = sendingTime(timeout);
  const payments = await lookUp(merchantId, reference, timeout);
  if ('kind' in payments) return payments;
  const payment = paymentOf(payments, request);
  if (payment === null) return unusable('Cielo does not know the charge');
  const before = captureFound(payment, amount);
  if (before.kind !== 'notFound') return before;
  const send = (left: number) => sendCapture(ask, merchantId, payment.paymentId, amount, left);
  const answer = await time.send(request, send);
  return foundUnlessKnown(answer, () => findCapture(lookUp, request, time.left()));
}

async function findCapture(
  lookUp: LookUpCielo,
  request: Pick<CaptureRequest, 'merchantId' | 'reference' | 'amount' | 'tid'>,
  timeout: number,
): Promise<FoundCapture> {
  const payments = await lookUp(request.merchantId, request.reference, timeout);
  if ('kind' in payments) return payments;
  const payment = paymentOf(payments, request);
  return payment === null
    ? unusable('Cielo does not know the charge')
    : captureFound(payment, request.amount);
}
