import type { Dispatcher } from 'undici';
import { traced, traceHeader } from '../tracing/scope.ts';
import type { Span } from '../tracing/span.ts';
import type { TraceTarget } from '../tracing/tracer.ts';
import { wordsOf } from './connection-words.ts';

export type ChannelAnswer = { readonly kind: 'answer'; readonly status: number; readonly body: unknown };

/** No clear answer: the query may have arrived. */
export type Unanswered = { readonly kind: 'unknown'; readonly reason: string };

/** No byte of the query was sent. */
export type Unconnected = { readonly kind: 'notConnected'; readonly reason: string };

/** The query was not sent, for a reason on this side: no free connection, or no time left. */
export type Unsent = { readonly kind: 'notSent'; readonly reason: string };

export const TOO_LATE: Unsent = { kind: 'notSent', reason: 'too little time was left' };
export const NONE_FREE: Unsent = { kind: 'notSent', reason: 'no connection was free' };

export type Asked = ChannelAnswer | Unanswered | Unconnected | Unsent;

export type Question = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** The path with its parameters in braces, for traces. */
  readonly template?: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayBeEmpty?: boolean | undefined;
};

/** The longest answer of our protocols is under 1 kB. */
const LARGEST_ANSWER_BYTES = 16 * 1024;
const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Sends one query, never twice: after a broken connection it may have arrived. Never throws and never takes
 * longer than the timeout. Uses undici's dispatch interface: the streams and signals of the others cost a
 * third of a payment's time.
 */
export function askOnce(
  dispatcher: Dispatcher,
  { method, path, body, headers, mayBeEmpty = false }: Question,
  timeout: number,
  largestAnswerBytes = LARGEST_ANSWER_BYTES,
): Promise<Exclude<Asked, Unsent>> {
  return new Promise((resolve) => {
    let status = 0;
    let size = 0;
    const chunks: Buffer[] = [];
    let isFinished = false;
    /** Set right before the first byte is written; null: nothing was sent. */
    let stop: ((reason: Error) => void) | null = null;
    const finish = (answer: Exclude<Asked, Unsent>) => {
      isFinished = true;
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(() => {
      if (stop === null) return finish({ kind: 'notConnected', reason: 'no connection in time' });
      finish({ kind: 'unknown', reason: 'no answer in time' });
      stop(new Error('no answer in time'));
    }, timeout);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        stop = (reason) => controller.abort(reason);
        // The query got its connection after its timeout: the caller no longer waits.
        if (isFinished) controller.abort(new Error('its time is over'));
      },
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (size <= largestAnswerBytes) return void chunks.push(chunk);
        finish({ kind: 'unknown', reason: 'the answer was too long' });
        controller.abort(new Error('the answer was too long'));
      },
      onResponseEnd() {
        finish(readJson(status, chunks, mayBeEmpty));
      },
      onResponseError(_controller, error) {
        const why = wordsOf((error as { code?: string }).code ?? error.name);
        if (stop === null) finish({ kind: 'notConnected', reason: `no connection (${why})` });
        else finish({ kind: 'unknown', reason: `the connection failed (${why})` });
      },
    };
    dispatcher.dispatch(
      {
        method,
        path,
        body,
        headers: { ...JSON_HEADERS, ...headers },
        // The timers of undici may end half a second early.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  });
}

function readJson(
  status: number,
  chunks: readonly Buffer[],
  mayBeEmpty: boolean,
): ChannelAnswer | Unanswered {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  // An error needs no words: its status is the answer.
  if (bytes.length === 0 && (mayBeEmpty || status >= 400)) return { kind: 'answer', status, body: null };
  try {
    return { kind: 'answer', status, body: JSON.parse(bytes.toString('utf8')) };
  } catch {
    // The parser's message could repeat the answer.
    return { kind: 'unknown', reason: 'the answer was not JSON' };
  }
}

type TracedQuestion = {
  readonly method: string;
  readonly path: string;
  readonly template?: string;
  readonly headers: Readonly<Record<string, string>>;
};

type Answer = { readonly kind?: string; readonly status?: number };

/** Neither query nor answer is put into the trace span. */
export function tracedCall<Q extends TracedQuestion, A extends Answer>(
  peer: Exclude<TraceTarget, 'merchants'>,
  question: Q,
  ask: (sent: Q) => Promise<A>,
): Promise<A> {
  const { method, template = pathOf(question) } = question;
  const attributes = { 'http.request.method': method, 'url.template': template, 'peer.service': peer };
  return traced({ name: `${method} ${template}`, kind: 'client', attributes }, async (span) => {
    const header = traceHeader(peer);
    const answer = await ask(
      header === null ? question : { ...question, headers: { ...question.headers, ...header } },
    );
    if (span !== null) noteAnswer(span, answer);
    return answer;
  });
}

function pathOf({ path }: TracedQuestion): string {
  return path.split('?', 1)[0] as string;
}

function noteAnswer(span: Span, { kind, status }: Answer): void {
  span.set({ 'http.response.status_code': status ?? null });
  if (status !== undefined && status < 400) return;
  span.fail(String(status ?? kind));
}
