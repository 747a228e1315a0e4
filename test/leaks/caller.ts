import type { Contract } from '../../src/platform/http/endpoint.ts';
import { patiently } from '../kit/patience.ts';
import { ENDPOINTS } from '../published.ts';
import { exchange } from '../wire/wire.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Reported = { readonly asked: string; readonly status: number; readonly text: string };

/** A merchant that calls, and keeps every answer as it came, headers too. */
export type Caller = {
  readonly answers: readonly Reported[];
  /** Ids of the endpoints that were called with a mark somewhere in the request. */
  readonly exercised: ReadonlySet<string>;
  /** Status 0: the connection ended without an answer. */
  ask(url: string, asked: Asked): Promise<Reported>;
  /** Bytes as they are. */
  askRaw(url: string, bytes: string): Promise<void>;
};

const TIMEOUT_MILLISECONDS = 60_000;

export function openCaller(): Caller {
  const answers: Reported[] = [];
  const exercised = new Set<string>();
  return {
    answers,
    exercised,
    async ask(url, asked) {
      const { method, path, token, body, raw, headers } = asked;
      const found = endpointAt(method, path);
      if (found !== undefined) exercised.add(found.id);
      const payload = raw ?? (body === undefined ? null : JSON.stringify(body));
      const reported = await fetch(url + path, {
        method,
        body: payload,
        redirect: 'manual',
        signal: AbortSignal.timeout(patiently(TIMEOUT_MILLISECONDS)),
        headers: {
          ...(token === null || token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(payload === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      }).then(
        async (response) => ({
          status: response.status,
          text: `${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('')}\n${await response.text()}`,
        }),
        () => ({ status: 0, text: '' }),
      );
      const answer = { asked: `${method} ${found?.path ?? 'elsewhere'}`, ...reported };
      answers.push(answer);
      return answer;
    },
    async askRaw(url, bytes) {
      const { answers: came, rest } = await exchange(url, [bytes], { isEnded: true });
      const text = came.map(({ headers, body }) => `${[...headers].join('\n')}\n${body}`).join('\n') + rest;
      answers.push({ asked: 'raw bytes', status: came[0]?.status ?? 0, text });
    },
  };
}

function endpointAt(method: string, path: string): Contract | undefined {
  const [bare = ''] = path.split('?');
  return ENDPOINTS.find(
    (endpoint) =>
      endpoint.method === method &&
      new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
}

/** The JSON of an answer. */
export function jsonOf({ text }: Reported): unknown {
  return JSON.parse(text.slice(text.indexOf('\n\n') + 2));
}
