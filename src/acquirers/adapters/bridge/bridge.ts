import { Pool } from 'undici';
import { utcText } from '../../../values/instant.ts';
import type {
  Acquirer,
  AuthorizationAnswer,
  AuthorizationRequest,
  CancelAnswer,
  CancelRequest,
  ChangesAnswer,
  ChangesRequest,
  FoundCharge,
  NotConnected,
  Unknown,
  VerificationAnswer,
  VerificationRequest,
  VoidAnswer,
} from '../../acquirer.ts';
import { askOnce } from './ask-once.ts';
import {
  type BridgeAnswer,
  readAuthorization,
  readCancel,
  readFoundCharge,
  readVerification,
  readVoid,
} from './bridge-answers.ts';
import { readChanges } from './change-answers.ts';

/** An acquirer that is there takes a connection within milliseconds; one that does not is said so long before its own timeout. */
const CONNECT_TIMEOUT_MILLISECONDS = 2_000;
const CHARGING_CONNECTIONS = 256;
const RESOLVING_CONNECTIONS = 32;
/** A page of changes: 500 of at most a kilobyte each. */
const LARGEST_CHANGES_BYTES = 512 * 1024;

export type BridgeObserver = (
  operation: 'authorize' | 'verify' | 'undo' | 'find' | 'cancel' | 'changes',
  result: string,
  seconds: number,
) => void;

/** Undo, find and changes treat an unsent question as unknown: they are asked again either way. */
function heard(answer: BridgeAnswer | Unknown | NotConnected): BridgeAnswer | Unknown {
  return answer.kind === 'notConnected' ? { ...answer, kind: 'unknown' } : answer;
}

/**
 * The adapter of the bridge protocol (docs/acquirer-protocol.md): JSON over HTTP to a program beside us that speaks to
 * the acquirer. The simulator is one such program.
 */
export function bridgeAcquirer(url: string, observe: BridgeObserver): Acquirer {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  // No pipelining: a silent answer must not hold up the ones behind it. Settling has connections of its own: a flood of
  // authorizations that nobody answers must not keep the truth about them from being found.
  const open = (connections: number) =>
    new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connectTimeout: CONNECT_TIMEOUT_MILLISECONDS,
      // Over HTTP/2 the client repeats by itself what a closing server says that it did not look at.
      allowH2: false,
    });
  const charging = open(CHARGING_CONNECTIONS);
  const settling = open(RESOLVING_CONNECTIONS);

  function post(pool: Pool, path: string, body: object, timeout: number): ReturnType<typeof askOnce> {
    return askOnce(pool, { method: 'POST', path: prefix + path, body: JSON.stringify(body) }, timeout);
  }

  async function observed<A extends { kind: string }>(
    operation: Parameters<BridgeObserver>[0],
    asked: Promise<A>,
  ): Promise<A> {
    const startedAt = performance.now();
    const answer = await asked;
    observe(operation, answer.kind, (performance.now() - startedAt) / 1_000);
    return answer;
  }

  async function authorize(request: AuthorizationRequest, timeout: number): Promise<AuthorizationAnswer> {
    const body = { ...request, soldAt: utcText(request.soldAt) };
    return readAuthorization(await post(charging, '/authorizations', body, timeout), request);
  }

  async function verify(request: VerificationRequest, timeout: number): Promise<VerificationAnswer> {
    return readVerification(await post(charging, '/verifications', request, timeout), request.reference);
  }

  async function undo(merchantId: string, reference: string, timeout: number): Promise<VoidAnswer> {
    return readVoid(heard(await post(settling, '/undos', { merchantId, reference }, timeout)), reference);
  }

  async function cancel(request: CancelRequest, timeout: number): Promise<CancelAnswer> {
    return readCancel(await post(charging, '/cancellations', request, timeout), request);
  }

  async function find(merchantId: string, reference: string, timeout: number): Promise<FoundCharge> {
    const path = `${prefix}/charges/${encodeURIComponent(reference)}?merchantId=${encodeURIComponent(merchantId)}`;
    return readFoundCharge(
      heard(await askOnce(settling, { method: 'GET', path, body: null }, timeout)),
      reference,
    );
  }

  async function changesSince(request: ChangesRequest, timeout: number): Promise<ChangesAnswer> {
    const query = new URLSearchParams({ until: utcText(request.until), limit: String(request.limit) });
    if (request.cursor !== null) query.set('after', request.cursor);
    if (request.merchantId !== null) query.set('merchantId', request.merchantId);
    const question = { method: 'GET', path: `${prefix}/changes?${query}`, body: null } as const;
    return readChanges(heard(await askOnce(settling, question, timeout, LARGEST_CHANGES_BYTES)), request);
  }

  return {
    name: 'bridge',
    authorize: (request, timeout) => observed('authorize', authorize(request, timeout)),
    verify: (request, timeout) => observed('verify', verify(request, timeout)),
    undo: (merchantId, reference, timeout) => observed('undo', undo(merchantId, reference, timeout)),
    find: (merchantId, reference, timeout) => observed('find', find(merchantId, reference, timeout)),
    cancel: (request, timeout) => observed('cancel', cancel(request, timeout)),
    changesSince: (request, timeout) => observed('changes', changesSince(request, timeout)),
    close: () => Promise.all([charging.destroy(), settling.destroy()]),
  };
}
