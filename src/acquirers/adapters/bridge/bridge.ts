import { Pool } from 'undici';
import type {
  Acquirer,
  AuthorizationAnswer,
  AuthorizationRequest,
  FoundCharge,
  UndoAnswer,
  Unknown,
} from '../../acquirer.ts';
import { type BridgeAnswer, readAuthorization, readFoundCharge, readUndo } from './bridge-answers.ts';

/** The longest answer that the protocol knows is under a kilobyte; more is garbage. */
const LARGEST_ANSWER_BYTES = 16 * 1024;
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

  async function ask(
    method: 'GET' | 'POST',
    path: string,
    body: object | null,
    timeout: number,
  ): Promise<BridgeAnswer | Unknown> {
    try {
      const { statusCode, body: stream } = await pool.request({
        method,
        path: prefix + path,
        headers: body === null ? {} : { 'content-type': 'application/json' },
        body: body === null ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeout),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      let size = 0;
      const chunks: Buffer[] = [];
      for await (const chunk of stream) {
        size += (chunk as Buffer).length;
        if (size > LARGEST_ANSWER_BYTES) return { kind: 'unknown', reason: 'the answer was too long' };
        chunks.push(chunk as Buffer);
      }
      return { kind: 'answer', status: statusCode, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
    } catch (error) {
      return { kind: 'unknown', reason: reasonOf(error) };
    }
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

/** Why no answer came, in a word for logs: messages of a parser could repeat the answer, so they are not used. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the answer was not JSON';
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  return `the connection failed (${(error as { code?: string }).code ?? (error as Error).name})`;
}
