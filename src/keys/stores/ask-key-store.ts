import { Agent, fetch, type Response } from 'undici';
import {
  type ChannelFiles,
  ChannelUnusable,
  readChannelFiles,
} from '../../platform/channels/channel-files.ts';
import { connectorWith, headersWith } from '../../platform/channels/open-channel.ts';
import { KeysUnusable } from '../key-store.ts';

/** The address of the store, without a slash at its end, and our credentials. */
export type KeyStoreAddress = { readonly url: string; readonly channel: ChannelFiles };

export type KeyStoreAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

const ASK_TIMEOUT_MILLISECONDS = 5_000;
/** A query changes nothing, so that it may be repeated; but a start waits no longer. */
const MOST_TRIES = 3;
const PAUSE_MILLISECONDS = 300;
const LARGEST_ANSWER_BYTES = 16 * 1024;

/**
 * Sends one query to the key store. No answer, or one of status 5xx or 429, is repeated, three
 * times in all; every other answer is final. Throws `KeysUnusable` when there is none, naming the
 * store and never the query: that may be a data key.
 */
export async function askKeyStore(
  address: KeyStoreAddress,
  path: string,
  question: Readonly<Record<string, string>> | null,
): Promise<KeyStoreAnswer> {
  // Read again for every query: a renewed token or certificate needs no restart of the service.
  const credentials = await readChannelFiles(address.channel).catch((error: unknown) => {
    throw error instanceof ChannelUnusable ? new KeysUnusable(error.message) : error;
  });
  const agent = new Agent({ connect: connectorWith(credentials, ASK_TIMEOUT_MILLISECONDS) });
  const headers = { 'content-type': 'application/json', ...headersWith(credentials) };
  const asked = {
    url: address.url + path,
    headers,
    body: question === null ? null : JSON.stringify(question),
  };
  try {
    let reason = '';
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (tries > 0) await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
      const answer = await askOnce(asked, agent);
      if (typeof answer !== 'string') return answer;
      reason = answer;
    }
    throw new KeysUnusable(`the key store ${address.url} gives no answer (${reason}): see that it runs`);
  } finally {
    await agent.destroy();
  }
}

type Asked = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

/** The answer, or a word on why there is no usable one. */
async function askOnce({ url, headers, body }: Asked, agent: Agent): Promise<KeyStoreAnswer | string> {
  try {
    const response = await fetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers,
      body,
      redirect: 'error',
      dispatcher: agent,
      signal: AbortSignal.timeout(ASK_TIMEOUT_MILLISECONDS),
    });
    const text = await readBounded(response);
    if (text === null) return 'its answer was too long';
    if (response.status >= 500 || response.status === 429) return `it answered ${response.status}`;
    const json = readJson(text);
    return json === null && response.status === 200
      ? 'its answer was not JSON'
      : { status: response.status, body: json ?? {} };
  } catch (error) {
    return reasonOf(error);
  }
}

async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > LARGEST_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : null;
  } catch {
    // The parser's own words could repeat the answer, which may hold a key.
    return null;
  }
}

/** The code of the broken connection; never the message, which may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}
