import { isDeepStrictEqual } from 'node:util';
import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';
import { CARD_BRANDS } from '../../../../values/card-number.ts';
import { utcText } from '../../../../values/instant.ts';
import {
  type Acquirer,
  type AcquirerTraits,
  type AuthorizationAnswer,
  type AuthorizationRequest,
  CAPTURE_REFUSAL_REASONS,
  type CancelAnswer,
  type CancelRequest,
  type CapabilitiesAnswer,
  type CaptureAnswer,
  type CaptureRequest,
  type Denied,
  type FoundCapture,
  type FoundCharge,
  type VerificationAnswer,
  type VerificationRequest,
  type VoidAnswer,
} from '../../acquirer.ts';
import type { Authentication } from '../../authentication.ts';
import { unknown } from '../../direct-acquirer.ts';
import { type CallObserver, observing } from '../../open-observed-acquirer.ts';
import { type About, PROTOCOL_HEADER, readAbout, UNREAD_ABOUT } from './about.ts';
import {
  connectedOrUnknown,
  fieldsOf,
  readAuthorization,
  readCancel,
  readFoundCharge,
  readVerification,
  readVoid,
} from './bridge-answers.ts';
import { readChanges } from './change-answers.ts';
import { readCharges } from './charge-pages.ts';

const KEYED_TRAITS: AcquirerTraits = {
  lateBooking: null,
  knowsCancels: true,
  networkId: 'first',
  link: 'beside',
  heldBrands: CARD_BRANDS,
};

/** The fair line's key for requests about all merchants. */
const ALL_MERCHANTS = '';
/** Up to 500 changes of a kilobyte each, or 100 charges of five kilobytes each. */
const LARGEST_PAGE_BYTES = 512 * 1024;

function bridgePages(wire: {
  readonly resolving: Pick<SharedPool, 'ask'>;
  readonly asking: (method: 'GET', path: string) => Question;
}): Pick<Acquirer, 'changesSince' | 'listCharges'> {
  const { resolving, asking } = wire;
  return {
    async changesSince(request, timeout) {
      const query = new URLSearchParams({ until: utcText(request.until), limit: String(request.limit) });
      if (request.cursor !== null) query.set('after', request.cursor);
      if (request.merchantId !== null) query.set('merchantId', request.merchantId);
      const question = asking('GET', `/changes?${query}`);
      const wanted = { merchantId: request.merchantId ?? ALL_MERCHANTS };
      const answer = await resolving.ask(wanted, question, timeout, LARGEST_PAGE_BYTES);
      return readChanges(connectedOrUnknown(answer), request);
    },
    async listCharges(request, timeout) {
      const query = new URLSearchParams({ since: utcText(request.since), limit: String(request.limit) });
      if (request.cursor !== null) query.set('after', request.cursor);
      if (request.merchantId !== null) query.set('merchantId', request.merchantId);
      const question = asking('GET', `/charges?${query}`);
      const wanted = { merchantId: request.merchantId ?? ALL_MERCHANTS };
      const answer = await resolving.ask(wanted, question, timeout, LARGEST_PAGE_BYTES);
      return readCharges(connectedOrUnknown(answer), request);
    },
  };
}

/** A running acquirer accepts within milliseconds, so an unreachable one is noticed before the timeout. */
export const ACQUIRER_CONNECT_MILLISECONDS = 2_000;
const CHARGING_CONNECTIONS = 256;
const RESOLVING_CONNECTIONS = 32;
const FIND = '/charges/{reference}';
const OF_ALL: Wanted = { merchantId: ALL_MERCHANTS };

/** Queued separately, because a single brand may be slow, and so may cancels. */
const brandOf = ({ merchantId, card }: Pick<AuthorizationRequest, 'merchantId' | 'card'>): Wanted => ({
  merchantId,
  kind: card.brand,
});
const cancellingFor = ({ merchantId }: CancelRequest): Wanted => ({ merchantId, kind: 'cancellations' });

/** Contains the buyer and an authentication only if the acquirer takes them. */
function authorizationBody(request: AuthorizationRequest, { capabilities }: About): object {
  const { capture: _path, customer, authentication, networkReference, ...rest } = request;
  return {
    ...rest,
    soldAt: utcText(request.soldAt),
    networkTransactionId: networkReference.transactionId,
    transactionLinkId: networkReference.linkId,
    ...(capabilities.customer ? { customer } : {}),
    ...(capabilities.threeDSecure ? { threeDSecure: bareAuthentication(authentication) } : {}),
  };
}

function bareAuthentication(authentication: Authentication | null): Authentication | null {
  if (authentication === null) return null;
  const { eci, version, cavv, xid, dsTransactionId } = authentication;
  return { eci, version, cavv, xid, dsTransactionId };
}

function questionsTo(url: string, channel: Channel) {
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  return (method: 'GET' | 'POST', path: string, body?: object): Question => ({
    method,
    path: prefix + path,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { ...channel.headers(), ...PROTOCOL_HEADER },
  });
}

type BridgeAcquirer = Acquirer & { readonly isReal: () => boolean };

/**
 * docs/acquirer-protocol.md: JSON over HTTP to a program beside us that speaks to the acquirer, for example
 * the simulator. `firstAbout` is what it reported at the start; null if it did not answer.
 */
export function bridgeAcquirer(
  url: string,
  channel: Channel,
  firstAbout: About | null,
  observe: CallObserver,
): BridgeAcquirer {
  const { origin } = new URL(url);
  const asking = questionsTo(url, channel);
  const charging = new SharedPool('acquirer', origin, channel, CHARGING_CONNECTIONS);
  // A separate pool: a flood of unanswered authorizations must not keep their outcome from being found.
  const resolving = new SharedPool('acquirer', origin, channel, RESOLVING_CONNECTIONS);
  const about = new KnownAbout(firstAbout);
  const captures = bridgeCaptures({ charging, resolving, asking });
  const pages = bridgePages({ resolving, asking });

  const observed = observing(observe);

  async function authorize(request: AuthorizationRequest, timeout: number): Promise<AuthorizationAnswer> {
    const body = authorizationBody(request, about.last);
    // Pre-authorizations have their own path: a bridge that does not know it charges nothing.
    const path = request.capture === 'atOnce' ? '/authorizations' : '/preauthorizations';
    const answer = await charging.ask(brandOf(request), asking('POST', path, body), timeout);
    return readAuthorization(answer, request);
  }

  async function verify(request: VerificationRequest, timeout: number): Promise<VerificationAnswer> {
    return readVerification(
      await charging.ask(brandOf(request), asking('POST', '/verifications', request), timeout),
      request.reference,
    );
  }

  async function voidCharge(merchantId: string, reference: string, timeout: number): Promise<VoidAnswer> {
    const question = asking('POST', '/undos', { merchantId, reference });
    return readVoid(connectedOrUnknown(await resolving.ask({ merchantId }, question, timeout)), reference);
  }

  async function cancel(request: CancelRequest, timeout: number): Promise<CancelAnswer> {
    const { history: _ours, ...asked } = request;
    const body = { ...asked, requestedAt: utcText(request.requestedAt) };
    const question = asking('POST', '/cancellations', body);
    return readCancel(await charging.ask(cancellingFor(request), question, timeout), request);
  }

  async function find(merchantId: string, reference: string, timeout: number): Promise<FoundCharge> {
    const path = `/charges/${encodeURIComponent(reference)}?merchantId=${encodeURIComponent(merchantId)}`;
    const found = await resolving.ask({ merchantId }, { ...asking('GET', path), template: FIND }, timeout);
    return readFoundCharge(connectedOrUnknown(found), reference);
  }

  return {
    name: 'bridge',
    traits: KEYED_TRAITS,
    authorize: (request, timeout) => observed('authorize', authorize(request, timeout)),
    verify: (request, timeout) => observed('verify', verify(request, timeout)),
    voidCharge: (...asked) => observed('undo', voidCharge(...asked)),
    voidTwins: async () => unknown('a bridge books a reference once'),
    find: (merchantId, reference, timeout) => observed('find', find(merchantId, reference, timeout)),
    cancel: (request, timeout) => observed('cancel', cancel(request, timeout)),
    capture: (request, timeout) => observed('capture', captures.capture(request, timeout)),
    findCapture: (request, timeout) => observed('findCapture', captures.findCapture(request, timeout)),
    changesSince: (request, timeout) => observed('changes', pages.changesSince(request, timeout)),
    listCharges: (request, timeout) => observed('charges', pages.listCharges(request, timeout)),
    isReal: () => about.last.isReal,
    capabilities: () => about.last.capabilities,
    readCapabilities: (timeout) =>
      observed('about', resolving.ask(OF_ALL, asking('GET', '/about'), timeout).then(about.read)),
    close: () => Promise.all([charging.destroy(), resolving.destroy()]),
  };
}

/** Read at the start and in checks, in English. What `unknown` says is shown in Portuguese. */
const unknownAbout = unknown;

/** Keeps the bridge's last credible report. */
class KnownAbout {
  last: About;

  constructor(first: About | null) {
    this.last = first ?? UNREAD_ABOUT;
  }

  readonly read = (answer: Asked): CapabilitiesAnswer => {
    if (answer.kind !== 'answer') return unknownAbout(answer.reason);
    const read = answer.status === 200 ? readAbout(answer.body) : `answered ${answer.status}`;
    if (typeof read === 'string') return unknownAbout(`the bridge ${read}`);
    // A bridge that moved real money must not become a simulator.
    if (this.last.isReal && !read.isReal) return unknownAbout('the bridge is a simulator now');
    const changed = !isDeepStrictEqual(this.last, read);
    this.last = read;
    return { kind: 'capabilities', changed, capabilities: read.capabilities };
  };
}

function bridgeCaptures(wire: {
  readonly charging: Pick<SharedPool, 'ask'>;
  readonly resolving: Pick<SharedPool, 'ask'>;
  readonly asking: (method: 'GET' | 'POST', path: string, body?: object) => Question;
}): Pick<Acquirer, 'capture' | 'findCapture'> {
  const { charging, resolving, asking } = wire;
  return {
    async capture(request, timeout) {
      const wanted = { merchantId: request.merchantId, kind: 'captures' };
      const { tid: _ours, ...asked } = request;
      const body = { ...asked, capturedAt: utcText(request.capturedAt) };
      return readCapture(await charging.ask(wanted, asking('POST', '/captures', body), timeout), request);
    },
    async findCapture({ merchantId, captureReference, amount }, timeout) {
      const path = `/captures/${encodeURIComponent(captureReference)}?merchantId=${encodeURIComponent(merchantId)}`;
      const question = { ...asking('GET', path), template: '/captures/{captureReference}' };
      const answer = await resolving.ask({ merchantId }, question, timeout);
      return readFoundCapture(answer, { captureReference, amount });
    },
  };
}

type AskedCapture = Pick<CaptureRequest, 'captureReference' | 'amount'>;

/** An answer with another reference or amount is unknown. */
function readCapture(answer: Asked, asked: AskedCapture): Exclude<CaptureAnswer, Denied> {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.captureReference !== asked.captureReference) return unknown('the answer was for another capture');
  if (body.outcome === 'captured') {
    return body.amount === asked.amount ? { kind: 'captured' } : unknown('the answer was for another amount');
  }
  const reason = CAPTURE_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

function readFoundCapture(answer: Asked, asked: AskedCapture): FoundCapture {
  const found = connectedOrUnknown(answer);
  if (found.kind === 'answer' && found.status === 404 && fieldsOf(found.body)?.error === 'notFound')
    return { kind: 'notFound' };
  const read = readCapture(found, asked);
  return read.kind === 'notConnected' ? { ...read, kind: 'unknown' } : read;
}
