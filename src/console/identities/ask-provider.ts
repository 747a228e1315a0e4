import { Client } from 'undici';
import { askOnce } from '../../platform/channels/ask-once.ts';
import { isLoopback } from '../../platform/channels/channel-url.ts';
import { connectorWith } from '../../platform/channels/open-channel.ts';

/** The provider gave no valid answer. The message is for the log. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** How long the provider may take to answer: meanwhile the user sees a white page. */
const ANSWER_MILLISECONDS = 5_000;
const CONNECT_MILLISECONDS = 3_000;
/** The keys of a large provider take some 20 KB, and so does a token with many groups. */
const LARGEST_ANSWER_BYTES = 256 * 1024;

type Question = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/**
 * Asks the provider, and follows no redirect. Returns the JSON of a success or of a named error; else throws
 * `ProviderAway`.
 */
export async function askProvider(
  ca: string | null,
  address: string,
  { method, headers, body }: Question,
): Promise<Response> {
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) throw new ProviderAway(`${url.origin} is not asked: it is not under https`);
  const connect = connectorWith({ ca, clientCertificate: null, token: null }, CONNECT_MILLISECONDS);
  const client = new Client(url.origin, { connect });
  try {
    const path = url.pathname + url.search;
    const sent = body instanceof URLSearchParams ? body.toString() : null;
    const question = { method: method === 'POST' ? 'POST' : 'GET', path, body: sent, headers } as const;
    const asked = await askOnce(client, question, ANSWER_MILLISECONDS, LARGEST_ANSWER_BYTES);
    if (asked.kind !== 'answer') throw new ProviderAway(`${url.origin}${url.pathname}: ${asked.reason}`);
    const { status } = asked;
    if (status !== 200 && (status < 400 || status > 499))
      throw new ProviderAway(`${url.origin}${url.pathname} answered ${status}`);
    return Response.json(asked.body, { status });
  } finally {
    await client.destroy();
  }
}
