import { type Fate, NoAnswer, ParcelaError } from './errors.ts';
import { type LoginRequest, OPERATIONS, type Operations, type Scope } from './operations.ts';
import { prepare, problemsOf, type Sent, sendRequest } from './send-request.ts';

export type ParcelaOptions = {
  /** `https://pagamentos.example`: the gateway, and the other APIs unless they have another address. */
  readonly url: string;
  readonly integrationUrl?: string;
  /** Only those that you use. Keep them on a server: a browser must never have them. */
  readonly logins: Partial<Readonly<Record<Scope, LoginRequest>>>;
  /** Of sentences in answers; default `pt-BR`. */
  readonly language?: 'pt-BR' | 'en';
  /** For one sending; default 20,000, which is more than a request may take. */
  readonly timeoutMilliseconds?: number;
  /** How long a call is repeated; default 60,000. The last sending may take its own time beyond that. */
  readonly patienceMilliseconds?: number;
  readonly fetch?: typeof fetch;
};

export type CallOptions = {
  /**
   * Make it with the order and store it there: then a call after a crash repeats the one before. Without it
   * each call has a new key, which all its repetitions keep.
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
  /**
   * All items of a list; pages are fetched as they are needed. Items added or deleted meanwhile may move
   * others to another page: a list ordered by time, oldest first, shows none twice.
   */
  each<Name extends Listing>(
    name: Name,
    given?: Operations[Name]['given'],
    options?: Pick<CallOptions, 'signal'>,
  ): AsyncGenerator<ItemOf<Operations[Name]['answer']>, void, undefined>;
};

const TIMEOUT_MILLISECONDS = 20_000;
const PATIENCE_MILLISECONDS = 60_000;
const SHORTEST_PAUSE_MILLISECONDS = 250;
/** A token is renewed so long before it ends. */
const RENEW_MILLISECONDS = 60_000;
/** What the service accepts. */
const KEY = /^[\x21-\x7e]{1,255}$/;

type Asked = {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
  /** Repeating the call does nothing twice. */
  readonly isRepeatable: boolean;
};

/** Open one for a program: it keeps the tokens of its logins. */
export function openParcela(options: ParcelaOptions): Parcela {
  const tokens = openTokens(options);
  const call = async (name: keyof Operations, given: Given = {}, asked: CallOptions = {}) => {
    const [, , scope] = OPERATIONS[name];
    return send(options, askedOf(options, name, given, asked), asked.signal, {
      token: (refused, endsAt) => tokens.of(scope, refused, endsAt, asked.signal),
    });
  };
  const names = Object.keys(OPERATIONS) as (keyof Operations)[];
  const calls = Object.fromEntries(
    names.map((name) => [name, (given?: Given, asked?: CallOptions) => call(name, given, asked)]),
  );
  return {
    ...(calls as unknown as Calls),
    each: (name, given, asked) => eachItem(name, given ?? {}, (all) => call(name, all, asked) as never),
  };
}

type Given = Readonly<Record<string, unknown>>;

function askedOf(
  { url, integrationUrl = url }: ParcelaOptions,
  name: keyof Operations,
  given: Given,
  { idempotencyKey }: CallOptions,
): Asked {
  const [method, template, scope, kind, names] = OPERATIONS[name];
  const { body, ...named } = given;
  const query = new URLSearchParams();
  let path = template;
  for (const [field, value] of Object.entries(named)) {
    const place = `{${field}}`;
    if (path.includes(place)) {
      // These would change the path.
      if (typeof value !== 'string' || ['', '.', '..'].includes(value))
        throw new TypeError(`${name}: ${field} names nothing`);
      path = path.replace(place, encodeURIComponent(value));
    } else if (!names.split(' ').includes(field)) throw new TypeError(`${name} is not given ${field}`);
    else if (value !== undefined && value !== null) query.set(field, String(value));
  }
  if (path.includes('{')) throw new TypeError(`${name}: ${path} lacks a part`);
  if (idempotencyKey !== undefined && (kind === 'plain' || !KEY.test(idempotencyKey)))
    throw new TypeError(`${name} takes no such idempotencyKey`);
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
  /** `refused`: the token that was refused, if any. */
  token(refused: string | null, endsAt: number): Promise<string>;
};

/**
 * Sends until a final answer comes, or the time is over. Busy (429, 503) and under way (409 with Retry-After)
 * did nothing, so the call is repeated. Without an answer it is repeated only if that does nothing twice.
 */
async function send(
  options: ParcelaOptions,
  asked: Asked,
  signal: AbortSignal | undefined,
  access: Access | null,
): Promise<unknown> {
  const { timeoutMilliseconds = TIMEOUT_MILLISECONDS, patienceMilliseconds = PATIENCE_MILLISECONDS } =
    options;
  const { idempotencyKey, isRepeatable, method } = asked;
  const endsAt = performance.now() + patienceMilliseconds;
  let isInDoubt = false;
  let refused: string | null = null;
  for (let tries = 1; ; tries += 1) {
    const fate = { idempotencyKey, mayBeDone: isInDoubt };
    const token: string | null =
      access === null ? null : await access.token(refused, endsAt).catch(inDoubt(fate));
    const headers = {
      'accept-language': options.language ?? 'pt-BR',
      ...asked.headers,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const request = prepare({ ...asked, headers });
    const sent = await sendRequest(options.fetch ?? fetch, request, within(timeoutMilliseconds, signal));
    if (sent.kind === 'answer' && sent.status >= 200 && sent.status < 300) return sent.body;
    if (sent.kind === 'none' && method !== 'GET') isInDoubt = true;
    const mayLogIn: boolean = token !== null && refused === null;
    refused = sent.kind === 'answer' && sent.status === 401 ? token : null;
    const pause = pauseBehind(sent, tries, { isRepeatable, mayLogIn });
    if (pause === null || performance.now() + pause > endsAt)
      throw failureOf(sent, { idempotencyKey, mayBeDone: isInDoubt });
    await sleep(pause, signal).catch(inDoubt({ idempotencyKey, mayBeDone: isInDoubt }));
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
  return retryAfter === null ? longer : retryAfter * 1_000;
}

/** For these a repetition with the key answers for the first sending too. */
const SETTLES = [402, 409, 500];
const KEY_TAG = 'idempotencyKey';

function failureOf(sent: Sent, fate: Fate): Error {
  if (sent.kind === 'none') return new NoAnswer(sent.why, fate);
  const { status, body, requestId, retryAfter } = sent;
  const problems = problemsOf(body);
  // This key was sent before: the first request is under way, or was another one.
  const wasSent = [409, 422].includes(status) && problems.some(({ tag }) => tag === KEY_TAG);
  const settles = SETTLES.includes(status) && retryAfter === null;
  const mayBeDone = wasSent || (fate.mayBeDone && !settles);
  return new ParcelaError(status, problems, { ...fate, mayBeDone, requestId });
}

/** A failed login, or an abort by the program, says nothing about what was sent before. */
function inDoubt(fate: Fate): (error: unknown) => never {
  return (error) => {
    if (error instanceof NoAnswer) throw new NoAnswer(error.why, fate);
    if (error instanceof ParcelaError)
      throw new ParcelaError(error.status, error.problems, { ...fate, requestId: error.requestId });
    if (!fate.mayBeDone) throw error;
    throw new NoAnswer(error instanceof Error ? error.message : String(error), fate, { cause: error });
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

const NOTHING_SENT: Fate = { idempotencyKey: null, mayBeDone: false };

/** Concurrent calls wait for one login, each for as long as it has. */
function openTokens(options: ParcelaOptions): Tokens {
  const known = new Map<Scope, Promise<Token>>();
  async function logIn(scope: Scope): Promise<Token> {
    const login = options.logins[scope];
    if (login === undefined) throw new TypeError(`logins.${scope} is missing: this operation needs it`);
    const host = scope === 'integration' ? (options.integrationUrl ?? options.url) : options.url;
    const url = `${host.replace(/\/$/, '')}${LOGIN_PATHS[scope]}`;
    const asked = { method: 'POST', url, body: login, headers: {}, idempotencyKey: null, isRepeatable: true };
    const answer = (await send(options, asked, undefined, null)) as Partial<Login> | null;
    // By the service's own clock: ours may be wrong.
    const lives = Date.parse(answer?.expiration ?? '') - Date.parse(answer?.created ?? '');
    if (typeof answer?.accessToken !== 'string' || !(lives > 0))
      throw new NoAnswer('the login was answered by something else', NOTHING_SENT);
    return { text: answer.accessToken, endsAt: performance.now() + lives - RENEW_MILLISECONDS };
  }
  return {
    async of(scope, refused, endsAt, signal) {
      signal?.throwIfAborted();
      const rest = Math.max(1, endsAt - performance.now());
      const late = () => new NoAnswer('the login takes too long', NOTHING_SENT);
      const held = known.get(scope);
      const token = held && (await inTime(held, rest, late, signal).catch(() => undefined));
      const isGood = token !== undefined && token.endsAt > performance.now() && token.text !== refused;
      if (isGood) return token.text;
      // Another call may already be logging in.
      if (known.get(scope) === held) {
        const login = logIn(scope);
        login.catch(() => {});
        known.set(scope, login);
      }
      const left = Math.max(1, endsAt - performance.now());
      return (await inTime(known.get(scope) as Promise<Token>, left, late, signal)).text;
    },
  };
}

type Login = { readonly accessToken: string; readonly created: string; readonly expiration: string };

type PageOf<Item> = {
  readonly items: readonly Item[];
  readonly limit?: number;
  readonly next?: number | string | null;
};

/** Lists have numbered pages; the stream of movements continues from `next`. */
async function* eachItem<Item>(
  name: keyof Operations,
  given: Given,
  read: (given: Given) => Promise<PageOf<Item>>,
): AsyncGenerator<Item, void> {
  const isPaged = OPERATIONS[name][4].split(' ').includes('page');
  let page = Number(given.page ?? 1);
  let all = isPaged ? { ...given, page } : given;
  while (true) {
    const { items, limit, next } = await read(all);
    yield* items;
    if (next !== undefined) {
      if (items.length === 0 || next === null) return;
      all = { ...given, after: next };
    } else {
      if (limit === undefined || items.length < limit) return;
      page += 1;
      all = { ...given, page };
    }
  }
}

function within(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(Math.ceil(milliseconds));
  return signal === undefined ? limit : AbortSignal.any([limit, signal]);
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return inTime(new Promise<never>(() => {}), milliseconds, () => null, signal);
}

/** The result of `work`; when the time is over, `late` decides: its error is thrown, null ends the wait. */
function inTime<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error | null,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (then: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      then();
    };
    const onAbort = () => end(() => reject(signal?.reason as Error));
    const timer = setTimeout(() => {
      const error = late();
      end(() => (error === null ? resolve(undefined as T) : reject(error)));
    }, milliseconds);
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => end(() => resolve(value)),
      (error: Error) => end(() => reject(error)),
    );
  });
}
