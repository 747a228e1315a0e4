import type { Asked } from '../../../../platform/channels/ask-once.ts';
import { behindAnswer, forPerson, unusable } from '../../../../platform/channels/unclear.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';
import { CARD_BRANDS, type CardBrand } from '../../../../values/card-number.ts';
import type {
  Acquirer,
  AcquirerCapabilities,
  AuthorizationAnswer,
  AuthorizationRequest,
  CancelAnswer,
  CancelRequest,
  CaptureAnswer,
  CaptureRequest,
  FoundCapture,
  NotSent,
  Unknown,
  VoidAnswer,
} from '../../acquirer.ts';
import { chargeInTwoSteps } from '../../charge-in-two-steps.ts';
import {
  type DirectQuestion,
  type DirectSettings,
  foundUnlessKnown,
  isOfSubscription,
  notVoided,
  unansweredBehind,
  unknown,
} from '../../direct-acquirer.ts';
import { shortReference } from '../../short-reference.ts';
import { stepOfCancel, unseenCancel, unsentCancel } from '../../sum-cancel.ts';
import { sendingTime } from '../sending-time.ts';
import {
  type FoundAtRede,
  readRedeAuthorization,
  readRedeCapture,
  readRedeCharge,
  readRedeRefund,
  readRedeRefunds,
  readRedeVerification,
} from './rede-answers.ts';
import { REDE_REFUND_LATE } from './rede-codes.ts';
import { redeAuthorization, redeRefund, redeVerification } from './rede-requests.ts';
import type { RedeWire } from './rede-wire.ts';

/** Elo has no pre-authorization at Rede. */
const HELD_BRANDS: readonly CardBrand[] = CARD_BRANDS.filter((brand) => brand !== 'elo');

const CAPABILITIES: AcquirerCapabilities = {
  largestInstallments: 12,
  brands: CARD_BRANDS,
  captureLater: true,
  partialCancel: true,
  zeroVerification: true,
  threeDSecure: true,
  longestReference: 16,
  lookUpDays: null,
  customer: false,
  listCharges: false,
};

type Ask = (
  line: 'charging' | 'resolving',
  wanted: Wanted,
  question: DirectQuestion,
  timeout: number,
) => Promise<Asked>;

/** e.Rede v2. Its references are unique: a charge that was found is the only one there will ever be. */
export function redeAcquirer(wire: Pick<RedeWire, 'ask' | 'close'>, settings: DirectSettings): Acquirer {
  const { horizon, apart, silence, networkId, link } = settings;
  const ask: Ask = (...asked) => wire.ask(...asked);
  const lookUp = lookingUp(ask);
  return {
    name: 'rede',
    traits: {
      lateBooking: { horizon, apart, silence, booksTwice: false },
      knowsCancels: false,
      networkId,
      link,
      heldBrands: HELD_BRANDS,
    },
    authorize: (request, timeout) => authorize(ask, settings, request, timeout),
    async verify(request, timeout) {
      const question = post('', '', redeVerification(request));
      const { merchantId, card } = request;
      return readRedeVerification(await ask('charging', { merchantId, kind: card.brand }, question, timeout));
    },
    async find(merchantId, reference, timeout) {
      return (await lookUp(merchantId, reference, timeout)).found;
    },
    voidCharge: (...asked) => voidCharge(ask, lookUp, ...asked),
    voidTwins: async () => unknown('Rede books a reference once'),
    cancel: (request, timeout) => cancel(ask, lookUp, silence, request, timeout),
    capture: (request, timeout) => capture(ask, lookUp, request, timeout),
    findCapture: (request, timeout) => findCapture(lookUp, request, timeout),
    changesSince: async () => ({ kind: 'notOffered' }),
    listCharges: async () => ({ kind: 'notOffered' }),
    capabilities: () => CAPABILITIES,
    readCapabilities: async () => ({ kind: 'capabilities', changed: false, capabilities: CAPABILITIES }),
    close: () => wire.close(),
  };
}

const post = (path: string, template: string, body: object): DirectQuestion => ({
  method: 'POST',
  path,
  template,
  body,
});

function authorize(
  ask: Ask,
  { isTwoSteps, softDescriptor }: DirectSettings,
  request: AuthorizationRequest,
  timeout: number,
): Promise<AuthorizationAnswer> {
  const { merchantId, amount, card } = request;
  const isLater = request.capture === 'later';
  const wanted = { merchantId, kind: card.brand };
  const send = async (isCaptured: boolean, milliseconds: number) => {
    const question = post('', '', redeAuthorization(request, isCaptured, softDescriptor));
    return readRedeAuthorization(await ask('charging', wanted, question, milliseconds), request, isCaptured);
  };
  // What is held is no use of a subscription there.
  const isHeld = HELD_BRANDS.includes(card.brand) && !isOfSubscription(request);
  if (isLater || !isTwoSteps || !isHeld) return send(!isLater, timeout);
  return chargeInTwoSteps(
    (milliseconds) => send(false, milliseconds),
    ({ tid }, milliseconds) => sendCapture(ask, merchantId, tid as string, amount, milliseconds),
    timeout,
  );
}

async function sendCapture(
  ask: Ask,
  merchantId: string,
  tid: string,
  amount: number,
  timeout: number,
): Promise<CaptureAnswer> {
  const question: DirectQuestion = { method: 'PUT', path: `/${tid}`, template: '/{tid}', body: { amount } };
  return readRedeCapture(await ask('charging', { merchantId, kind: 'captures' }, question, timeout), amount);
}

type LookUp = (merchantId: string, reference: string, timeout: number) => Promise<FoundAtRede>;

function lookingUp(ask: Ask): LookUp {
  return async (merchantId, reference, timeout) => {
    const path = `?reference=${shortReference(reference)}`;
    const question: DirectQuestion = { method: 'GET', path, template: '', body: null };
    return readRedeCharge(await ask('resolving', { merchantId }, question, timeout), reference);
  };
}

async function voidCharge(
  ask: Ask,
  lookUp: LookUp,
  merchantId: string,
  reference: string,
  timeout: number,
): Promise<VoidAnswer> {
  const endsAt = performance.now() + timeout;
  const seen = await lookUp(merchantId, reference, timeout);
  const { found } = seen;
  switch (found.kind) {
    case 'voided':
    case 'unknown':
    case 'notSent':
      return found;
    case 'declined':
      return { kind: 'declined' };
    case 'notFound':
      return { kind: 'notFound', reason: 'Rede does not know it' };
    case 'approved':
    case 'preauthorized':
      return endLive(ask, merchantId, seen, endsAt);
  }
}

async function endLive(
  ask: Ask,
  merchantId: string,
  { found, tid, capturedAmount, authorizedAmount }: FoundAtRede,
  endsAt: number,
): Promise<VoidAnswer> {
  const amount = capturedAmount ?? authorizedAmount;
  if (tid === null || amount === null) return { ...unusable('Rede names no amount of it'), wasLive: true };
  const question = post(`/${tid}/refunds`, '/{tid}/refunds', redeRefund(amount, true));
  const said = await ask('resolving', { merchantId }, question, endsAt - performance.now());
  const answer = readRedeRefund(said, found.kind === 'approved');
  if (answer.kind === 'canceled') return { kind: 'voided', charges: 1 };
  return { ...notVoided(answer, found.kind === 'preauthorized', REDE_REFUND_LATE), wasLive: true };
}

async function cancel(
  ask: Ask,
  lookUp: LookUp,
  silence: number,
  request: CancelRequest,
  timeout: number,
): Promise<CancelAnswer> {
  const { merchantId, reference, amount, history } = request;
  const time = sendingTime(timeout);
  const unsent = (look: Unknown | NotSent) => unsentCancel(history, look);
  const { found, tid: foundTid, capturedAmount } = await lookUp(merchantId, reference, timeout);
  const tid = history.tid ?? foundTid;
  if (found.kind === 'unknown' || found.kind === 'notSent') return unsent(found);
  if (tid === null) return unseenCancel(history, 'Rede does not know the charge');
  const path = `/${tid}/refunds`;
  const look: DirectQuestion = { method: 'GET', path, template: '/{tid}/refunds', body: null };
  const shown = await ask('resolving', { merchantId }, look, time.left());
  const sums = shown.kind === 'answer' ? behindAnswer(readRedeRefunds(shown)) : unansweredBehind(shown);
  if ('kind' in sums) return unsent(sums);
  const step = stepOfCancel(request, sums, silence);
  if (step.kind !== 'send') return step;
  const question = post(path, '/{tid}/refunds', redeRefund(amount, amount === capturedAmount));
  const wanted = { merchantId, kind: 'cancellations' };
  const send = async (left: number) =>
    readRedeRefund(await ask('charging', wanted, question, left), found.kind === 'approved');
  return behindAnswer(await time.send(request, send));
}

async function capture(
  ask: Ask,
  lookUp: LookUp,
  request: CaptureRequest,
  timeout: number,
): Promise<CaptureAnswer> {
  const { merchantId, reference, amount } = request;
  const time = sendingTime(timeout);
  let { tid } = request;
  if (tid === null) {
    const seen = await lookUp(merchantId, reference, timeout);
    if (seen.found.kind === 'unknown' || seen.found.kind === 'notSent') return seen.found;
    tid = seen.tid;
  }
  if (tid === null) return unusable('Rede does not know the charge');
  const known = tid;
  const answer = await time.send(request, (left) => sendCapture(ask, merchantId, known, amount, left));
  return foundUnlessKnown(answer, () => findCapture(lookUp, request, time.left()));
}

/** A charge is captured once, so its look-up tells of the capture. */
async function findCapture(
  lookUp: LookUp,
  { merchantId, reference, amount }: Pick<CaptureRequest, 'merchantId' | 'reference' | 'amount'>,
  timeout: number,
): Promise<FoundCapture> {
  const { found, capturedAmount } = await lookUp(merchantId, reference, timeout);
  switch (found.kind) {
    case 'approved':
      return capturedAmount === amount
        ? { kind: 'captured' }
        : forPerson('Rede has captured another amount of it');
    case 'preauthorized':
      return { kind: 'notFound' };
    case 'voided':
    case 'declined':
      return { kind: 'refused', reason: 'notPreauthorized' };
    case 'notFound':
      return unusable('Rede does not know the charge');
    case 'unknown':
    case 'notSent':
      return found;
  }
}
