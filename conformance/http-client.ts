/** What was sent, and what came. */
export type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly sent: unknown;
  /** Null: nothing came that is HTTP, or not in time. */
  readonly status: number | null;
  /** The body, read as JSON; as text where it is none. */
  readonly body: unknown;
  /** Why there is no status. */
  readonly lostBy: string | null;
};

/** As long as Parcela waits for an answer. */
const ANSWER_MILLISECONDS = 8_000;

/** Asks one program, one request after another or many at once; never throws. */
export class HttpClient {
  readonly #url: string;
  readonly #token: string | null;

  constructor(url: string, token: string | null = null) {
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  get(path: string): Promise<Exchange> {
    return this.#ask('GET', path, undefined);
  }

  post(path: string, body: unknown): Promise<Exchange> {
    return this.#ask('POST', path, body);
  }

  async #ask(method: string, path: string, sent: unknown): Promise<Exchange> {
    const asked = { method, path, sent };
    try {
      const response = await fetch(this.#url + path, {
        method,
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
        redirect: 'manual',
        headers: {
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          'parcela-protocol': '1',
          ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      return { ...asked, status: response.status, body: readBody(await response.text()), lostBy: null };
    } catch (error) {
      return { ...asked, status: null, body: null, lostBy: reasonOf(error) };
    }
  }
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${ANSWER_MILLISECONDS} ms`;
  return cause instanceof Error ? cause.message || String(cause) : message;
}
