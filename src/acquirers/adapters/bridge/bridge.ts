import { Pool } from 'undici';
import type {
  Acquirer,
  AuthorizationAnswer,
  AuthorizationRequest,
  FoundCharge,
  UndoAnswer,
  Unknown,
} from '../../acquirer.ts';
import { askOnce } from './ask-once.ts';
import { type BridgeAnswer, readAuthorization, readFoundCharge, readUndo } from './bridge-answers.ts';

const CONNECTIONS = 128;

export type BridgeObserver = (
  operation: 'authorize' | 'undo' | 'find',
  result: string,
  seconds: number,
) => void;

/**
 * The adapter of the bridge protocol (docs/acquirer-protocol.md): JSON over HTTP to a program beside us that speaks to
 * the acquirer. The simulator is one such program.
 */
export function bridgeAcquirer(url: string, observe: BridgeObserver): Acquirer {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  // No pipelining: a silent answer must not hold up the ones behind it.
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    connectTimeout: 3_000,
  });

  function ask(
    method: 'GET' | 'POST',
    path: string,
    body: object | null,
    timeout: number,
  ): Promise<BridgeAnswer | Unknown> {
    return askOnce(
      pool,
      { method, path: prefix + path, body: body === null ? null : JSON.stringify(body) },
      timeout,
    );
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
    return readAuthorization(await ask('POST', '/authorizations', request, timeout), request);
  }

  async function undo(merchantId: string, reference: string, timeout: number): Promise<UndoAnswer> {
    return readUndo(await ask('POST', '/undos', { merchantId, reference }, timeout), reference);
  }

  async function find(merchantId: string, reference: string, timeout: number): Promise<FoundCharge> {
    const path = `/charges/${encodeURIComponent(reference)}?merchantId=${encodeURIComponent(merchantId)}`;
    return readFoundCharge(await ask('GET', path, null, timeout), reference);
  }

  return {
    name: 'bridge',
    authorize: (request, timeout) => observed('authorize', authorize(request, timeout)),
    undo: (merchantId, reference, timeout) => observed('undo', undo(merchantId, reference, timeout)),
    find: (merchantId, reference, timeout) => observed('find', find(merchantId, reference, timeout)),
    close: () => pool.destroy(),
  };
}
