import type { Screen } from './screen.ts';

type Reply<T> = { readonly status: number; readonly body: T };

export type Wish<T> = {
  /** Which token; null: none is needed. */
  readonly as: 'gateway' | 'recurrence' | 'integration' | null;
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  /** Words of the body and of the answer that nobody else is to read. */
  readonly secrets?: readonly string[];
  /** The part of the answer that matters here; without it all of it. */
  readonly show?: (body: T) => unknown;
};

/** Calls the APIs and shows each call with what was answered. */
export type Client = {
  /** Throws when the answer is not 200. */
  call<T>(path: string, request: Wish<T>): Promise<T>;
  /** The same call, unseen: what is already known is read again to be put in order. */
  read<T>(path: string, as: Wish<T>['as']): Promise<T>;
  know(as: NonNullable<Wish<unknown>['as']>, token: string): void;
};

const TIMEOUT_MILLISECONDS = 90_000;

export function openClient(
  screen: Screen,
  urls: { readonly gateway: string; readonly integration: string },
  signal: AbortSignal,
): Client {
  const tokens = new Map<string, string>();

  async function send<T>(path: string, { as, method, body }: Wish<T>): Promise<Reply<T>> {
    const headers: Record<string, string> = {};
    if (as !== null) headers.authorization = `Bearer ${tokens.get(as)}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(urlOf(path), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T };
  }

  /** The Other APIs begin with /api, but for the login of the Gateway API. */
  function urlOf(path: string): string {
    const isOther = path.startsWith('/api/') && !path.startsWith('/api/auth/');
    return (isOther ? urls.integration : urls.gateway) + path;
  }

  return {
    async call<T>(path: string, request: Wish<T>): Promise<T> {
      screen.call(curlLine(path, request as Wish<unknown>));
      const { status, body } = await send<T>(path, request);
      const isGood = status === 200;
      screen.answer(status, JSON.stringify(isGood && request.show !== undefined ? request.show(body) : body));
      if (!isGood) throw new Error(`${path} was answered ${status}`);
      return body;
    },
    async read<T>(path: string, as: Wish<T>['as']): Promise<T> {
      const { status, body } = await send<T>(path, { as });
      if (status !== 200) throw new Error(`${path} was answered ${status}`);
      return body;
    },
    know: (as, token) => void tokens.set(as, token),
  };
}

/**
 * As a person would type it, but for address, token and Content-Type, which are the same every
 * time.
 */
function curlLine(path: string, { body, method, secrets = [] }: Wish<unknown>): string {
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  const text = body === undefined ? '' : ` -d '${JSON.stringify(body)}'`;
  const named = verb === 'GET' ? '' : `-X ${verb} `;
  return hidden(`curl ${named}"$U${path}"${text}`, secrets);
}

function hidden(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text);
}
