import type { ToldProblem } from './errors.ts';

export type ToSend = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** `none`: no answer; everything was done, or nothing. */
export type Sent =
  | { readonly kind: 'none'; readonly why: string }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: unknown;
      /** Whole seconds; null: no such header. */
      readonly retryAfter: number | null;
      readonly requestId: string | null;
    };

const NO_ANSWERS = [502, 504];

/** Throws faults of the program, for example a body that is no JSON: nothing was sent. */
export function prepare({ method, url, headers, body }: ToSend): Request {
  return new Request(url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A token must not follow a redirect.
    redirect: 'error',
  });
}

/**
 * One sending. What does not come from Parcela itself (a proxy's page, a broken body) counts as no answer.
 */
export async function sendRequest(
  fetchIt: typeof fetch,
  request: Request,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const answer = await fetchIt(request, { signal });
    const { status } = answer;
    const text = await answer.text();
    if (NO_ANSWERS.includes(status)) return { kind: 'none', why: `a proxy answered ${status}` };
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson ? (JSON.parse(text) as unknown) : null;
    const isOurs = status === 401 || (isJson && (answer.ok || problemsOf(body).length > 0));
    if (!isOurs) return { kind: 'none', why: `something else than Parcela answered ${status}` };
    return {
      ...{ kind: 'answer', status, body },
      retryAfter: secondsOf(answer.headers.get('retry-after')),
      requestId: answer.headers.get('x-request-id'),
    };
  } catch (error) {
    return { kind: 'none', why: reasonOf(error) };
  }
}

/** Empty: not an answer of Parcela's. */
export function problemsOf(body: unknown): readonly ToldProblem[] {
  const isProblem = (one: Partial<ToldProblem> | null) =>
    typeof one?.tag === 'string' && typeof one.description === 'string';
  return Array.isArray(body) && body.length > 0 && body.every(isProblem) ? (body as ToldProblem[]) : [];
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
