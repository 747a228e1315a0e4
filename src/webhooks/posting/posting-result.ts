export type PostRequest = {
  /** Connections and look-ups are counted per merchant. */
  readonly merchantId: string;
  readonly url: string;
  readonly body: string;
  /** Lower-case names. Length and host are added later. */
  readonly headers: Readonly<Record<string, string>>;
  /** For name look-up, connection and TLS handshake together. */
  readonly connectMilliseconds: number;
  /** From the name look-up to the end of the answer. */
  readonly totalMilliseconds: number;
};

/**
 * `forbiddenUrl`, `forbiddenAddress`: we do not call there. `notSent`: this process has no free connection or
 * is stopping. After `reset`, `timeout`, `headersTooLarge` and `malformed` the message may have been
 * received; after the others it was not sent.
 */
export const POST_FAILURES = [
  'forbiddenUrl',
  'dns',
  'forbiddenAddress',
  'connect',
  'connectTimeout',
  'tls',
  'certificate',
  'timeout',
  'reset',
  'headersTooLarge',
  'malformed',
  'notSent',
] as const;
export type PostFailure = (typeof POST_FAILURES)[number];

/** Any status is an answer, even a redirect, which is not followed. The caller judges it. */
export type PostResult = (
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The beginning of the body: at most 200 printable characters. */
      readonly answer: string;
      /** From `Retry-After` of a 429 or 503, at most a day; null: none was sent. */
      readonly retryAfterMilliseconds: number | null;
    }
  | { readonly kind: 'failed'; readonly failure: PostFailure }
) & {
  readonly milliseconds: number;
};

const LONGEST_ANSWER = 200;
/** A shorter password is not masked: it could be any word of the answer. */
const SHORTEST_PASSWORD = 6;
/** At least as many digits as a card number, with at most two other characters between any two. */
const LONG_DIGIT_RUNS = /\p{Nd}(?:[^\p{L}\p{N}]{0,2}\p{Nd}){12,}/gu;

/**
 * The beginning of an answer, safe to store and show: printable, without possible card numbers, and without
 * credentials that the server echoed. `authorization`: the header that was sent.
 */
export function printableAnswer(bytes: Buffer, authorization: string | undefined): string {
  let text = bytes.toString('utf8');
  for (const secret of secretsOf(authorization)) text = text.replaceAll(secret, '…');
  const printable = text.replaceAll(/[\p{C}\p{Z}\uFFFD]+/gu, ' ').trim();
  const masked = printable.replaceAll(LONG_DIGIT_RUNS, '…');
  return [...masked].slice(0, LONGEST_ANSWER).join('').trim();
}

function secretsOf(authorization: string | undefined): string[] {
  const encoded = authorization?.replace(/^basic /i, '') ?? '';
  if (encoded === '') return [];
  const credential = Buffer.from(encoded, 'base64').toString('utf8');
  const password = credential.slice(credential.indexOf(':') + 1);
  return [encoded, credential, ...(password.length < SHORTEST_PASSWORD ? [] : [password])];
}

const LONGEST_RETRY_AFTER = 24 * 60 * 60 * 1_000;
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Read only of 429 and 503, which define it; null: nothing valid was said. `now`: milliseconds since the
 * epoch, real time.
 */
export function retryAfterMilliseconds(
  status: number,
  retryAfter: string | undefined,
  now: number,
): number | null {
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return null;
  if (/^\d{1,12}$/.test(retryAfter)) return Math.min(Number(retryAfter) * 1_000, LONGEST_RETRY_AFTER);
  const at = HTTP_DATE.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(at - now, 0), LONGEST_RETRY_AFTER);
}
