import { NoAnswer, ParcelaError } from './errors.ts';
import { type LoginRequest, OPERATIONS, type Operations, type Scope } from './operations.ts';
import { problemsOf, type Sent, sendRequest } from './send-request.ts';

export type ParcelaOptions = {
  /** `https://pagamentos.example`: the gateway, and the other APIs unless they have another address. */
  readonly url: string;
  readonly integrationUrl?: string;
  /** Those that you use. Keep them on a server: a browser must never have them. */
  readonly logins: Partial<Readonly<Record<Scope, LoginRequest>>>;
  /** Of sentences in answers; default `pt-BR`. */
  readonly language?: 'pt-BR' | 'en';
  /** Of one sending; default 20,000, more than a request may take. */
  readonly timeoutMilliseconds?: number;
  /** Of a call with all its repetitions; default 60,000. */
  readonly patienceMilliseconds?: number;
  readonly fetch?: typeof fetch;
};

export type CallOptions = {
  /**
   * Made with the order, and stored with it: then a call after a crash repeats the one before. Without it
   * each call has a new one, which all its repetitions keep.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

type Calls = {
  readonly [Name in keyof Operations]: (
    ...given: Record<string, never> extends Operations[Name]['given']
      ? [given?: Operations[Name]['given'], options?: CallOptions]
      : [given: Operations[Name]['given'], options?: CallOptions]
  ) => Promise<Operations[Name]['answer']>;
};

type ItemOf<Answer> = Answer extends { readonly items: readonly (infer Item)[] } ? Item : never;
type Listing = {
  [Name in keyof Operations]: [ItemOf<Operations[Name]['answer']>] extends [never] ? never : Name;
}[keyof Operations];

export type Parcela = Calls & {
  /** All items of a list, page after page, as they are asked for. */
  each<Name extends Listing>(
    name: Name,
    given?: Operations[Name]['given'],
    options?: Pick<CallOptions, 'signal'>,
  ): AsyncGenerator<ItemOf<Operations[Name]['answer']>, void, undefined>;
};

const TIMEOUT_MILLISECONDS = 20_000;
const PATIENCE_MILLISECONDS = 60_000;
const [SHORTEST_PAUSE_MILLISECONDS, LONGEST_PAUSE_MILLISECONDS] = [250, 30_000];
/** A token is asked for anew so long before it ends. */
const RENEW_MILLISECONDS = 60_000;

type Request = {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  /** Repeating it does nothing twice. */
  readonly isRepeatable: boolean;
};

/** One for a program: it keeps the tokens of its logins. */
export function openParcela(options: ParcelaOptions): Parcela {
  const tokens = openTokens(options);
  const call = (name: keyof Operations, given: Given = {}, asked: CallOptions = {}) => {
    const [, , scope] = OPERATIONS[name];
    return send(options, requestOf(options, name, given, asked), asked.signal, {
      token: (refused, endsAt) => tokens.of(scope, refused, endsAt, asked.signal),
    });
  };
  const names = Object.keys(OPERATIONS) as (keyof Operations)[];
  const calls = Object.fromEntries(
    names.map((name) => [name, (given?: Given, asked?: CallOptions) => call(name, given, asked)]),
  );
  return {
    ...(calls as unknown as Calls),
    each: (name, given, asked) => eachItem((page) => call(name, { ...given, ...page }, asked) as never),
  };
}

type Given = Readonly<Record<string, unknown>>;

function requestOf(
  { url, integrationUrl = url }: ParcelaOptions,
  name: keyof Operations,
  given: Given,
  { idempotencyKey }: CallOptions,
): Request {
  const [method, template, scope, kind] = OPERATIONS[name];
  const { body, ...named } = given;
  const query = new URLSearchParams();
  let path = template;
  for (const [field, value] of Object.entries(named)) {
    if (value === undefined) continue;
    const place = `{${field}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)));
    else query.set(field, String(value));
  }
  const key = kind === 'keyed' ? (idempotencyKey ?? crypto.randomUUID()) : null;
  const asked = query.size === 0 ? '' : `?${query}`;
  return {
    ...{ method, body, idempotencyKey: key },
    url: `${(scope === 'integration' ? integrationUrl : url).replace(/\/$/, '')}${path}${asked}`,
    headers: key === null ? {} : { 'idempotency-key': key },
    isRepeatable: method === 'GET' || key !== null,
  };
}

type Access = {
  /** `refused`: the one before, if it was not taken. */
  token(refused: string | null, endsAt: number): Promise<string>;
};

/**
 * Sends until there is an answer that stands, or the time is over. Busy (429, 503) and under way (409 with
 * Retry-After) did nothing, so they are repeated; without an answer only what cannot be done twice.
 */
async function send(
  options: ParcelaOptions,
  request: Request,
  signal: AbortSignal | undefined,
  access: Access | null,
): Promise<unknown> {
  const { timeoutMilliseconds = TIMEOUT_MILLISECONDS, patienceMilliseconds = PATIENCE_MILLISECONDS } =
    options;
  const { idempotencyKey, isRepeatable } = request;
  const endsAt = performance.now() + patienceMilliseconds;
  let isInDoubt = false;
  let refused: string | null = null;
  for (let tries = 1; ; tries += 1) {
    const token: string | null =
      access === null ? null : await access.token(refused, endsAt).catch(inDoubt(request, isInDoubt));
    const headers = {
      'accept-language': options.language ?? 'pt-BR',
      ...request.headers,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const sent = await sendRequest(
      options.fetch ?? fetch,
      { ...request, headers },
      within(Math.min(timeoutMilliseconds, Math.max(1, endsAt - performance.now())), signal),
    );
    signal?.throwIfAborted();
    if (sent.kind === 'answer' && sent.status >= 200 && sent.status < 300) return sent.body;
    if (sent.kind === 'none' && request.method !== 'GET') isInDoubt = true;
    const mayLogIn: boolean = token !== null && refused === null;
    refused = sent.kind === 'answer' && sent.status === 401 ? token : null;
    const pause = pauseBehind(sent, tries, { isRepeatable, mayLogIn });
    if (pause === null || performance.now() + pause > endsAt)
      throw failureOf(sent, { idempotencyKey, mayBeDone: isInDoubt });
    await sleep(pause, signal);
  }
}

/** Milliseconds until it is sent again; null: never. */
function pauseBehind(
  sent: Sent,
  tries: number,
  { isRepeatable, mayLogIn }: { readonly isRepeatable: boolean; readonly mayLogIn: boolean },
): number | null {
  const longer = SHORTEST_PAUSE_MILLISECONDS * 2 ** Math.min(tries - 1, 6);
  if (sent.kind === 'none') return isRepeatable ? longer : null;
  const { status, retryAfter } = sent;
  if (status === 401) return mayLogIn ? 0 : null;
  const passes = status === 429 || status === 503 || (status === 409 && retryAfter !== null);
  if (!passes) return null;
  return retryAfter === null ? longer : Math.min(LONGEST_PAUSE_MILLISECONDS, retryAfter * 1_000);
}

/** Of these a repetition with its key answers for the first sending too. */
const SETTLES = [402, 409, 500];

function failureOf(
  sent: Sent,
  fate: { readonly idempotencyKey: string | null; readonly mayBeDone: boolean },
): Error {
  if (sent.kind === 'none') return new NoAnswer(sent.why, fate);
  const { status, body, requestId, retryAfter } = sent;
  const settles = SETTLES.includes(status) && retryAfter === null;
  return new ParcelaError(status, problemsOf(body), {
    ...fate,
    mayBeDone: fate.mayBeDone && !settles,
    requestId,
  });
}

/** A login that fails says nothing of what was sent before. */
function inDoubt({ idempotencyKey }: Request, mayBeDone: boolean): (error: unknown) => never {
  return (error) => {
    if (error instanceof NoAnswer) throw new NoAnswer(error.why, { idempotencyKey, mayBeDone });
    if (!(error instanceof ParcelaError)) throw error;
    const { status, problems, requestId } = error;
    throw new ParcelaError(status, problems, { idempotencyKey, mayBeDone, requestId });
  };
}

const LOGIN_PATHS = {
  gateway: '/api/auth/token',
  recurrence: '/api/auth/token',
  integration: '/api/authentication/login',
} as const satisfies Record<Scope, string>;

type Token = { readonly text: string; readonly endsAt: number };
type Tokens = {
  of(scope: Scope, refused: string | null, endsAt: number, signal: AbortSignal | undefined): Promise<string>;
};

/** Many calls at once wait for one login. */
function openTokens(options: ParcelaOptions): Tokens {
  const known = new Map<Scope, Promise<Token>>();
  async function logIn(scope: Scope, endsAt: number): Promise<Token> {
    const login = options.logins[scope];
    if (login === undefined) throw new TypeError(`logins.${scope} is missing: this operation needs it`);
    const host = scope === 'integration' ? (options.integrationUrl ?? options.url) : options.url;
    const patienceMilliseconds = Math.max(1, endsAt - performance.now());
    const answer = (await send(
      { ...options, patienceMilliseconds },
      {
        ...{
          method: 'POST',
          url: `${host.replace(/\/$/, '')}${LOGIN_PATHS[scope]}`,
          body: login,
          headers: {},
        },
        ...{ idempotencyKey: null, isRepeatable: true },
      },
      undefined,
      null,
    )) as { readonly accessToken: string; readonly created: string; readonly expiration: string };
    // By the service's own clock: ours may be off.
    const lives = Date.parse(answer.expiration) - Date.parse(answer.created);
    return { text: answer.accessToken, endsAt: performance.now() + lives - RENEW_MILLISECONDS };
  }
  return {
    async of(scope, refused, endsAt, signal) {
      const held = known.get(scope);
      const token = await held?.catch(() => undefined);
      const isGood = token !== undefined && token.endsAt > performance.now() && token.text !== refused;
      if (isGood) return token.text;
      // Another call may log in already.
      if (known.get(scope) === held) known.set(scope, logIn(scope, endsAt));
      const { text } = await orAborted(known.get(scope) as Promise<Token>, signal);
      return text;
    },
  };
}

type PageOf<Item> = {
  readonly items: readonly Item[];
  readonly limit?: number;
  readonly next?: number | string | null;
};

/** Lists are numbered by pages; the stream of movements goes on from `next`. */
async function* eachItem<Item>(read: (page: Given) => Promise<PageOf<Item>>): AsyncGenerator<Item, void> {
  let place: Given = {};
  for (let page = 1; ; page += 1) {
    const { items, limit, next } = await read(place);
    yield* items;
    if (next !== undefined) {
      if (items.length === 0 || next === null) return;
      place = { after: next };
    } else {
      if (limit === undefined || items.length < limit) return;
      place = { page: page + 1 };
    }
  }
}

function within(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(Math.ceil(milliseconds));
  return signal === undefined ? limit : AbortSignal.any([limit, signal]);
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return orAborted(new Promise((wake) => setTimeout(wake, milliseconds)), signal);
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
