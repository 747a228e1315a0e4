import { Agent, fetch, type Response } from 'undici';
import {
  type ChannelFiles,
  ChannelUnusable,
  readChannelFiles,
} from '../../platform/channels/channel-files.ts';
import { connectorWith, headersWith } from '../../platform/channels/open-channel.ts';
import { type KeyStore, KeysUnusable, KeyUnknown } from '../key-store.ts';
import { KEY_BYTES } from '../sealing.ts';

const LONGEST_WRAPPED_KEY_BYTES = 8 * 1024;
const KEY_ID = /^[\x21-\x7e]{1,200}$/;

/** A program in front of a KMS or HSM (docs/key-store-protocol.md), asked only at start and rotations. */
export function openExternalKeys(address: KeyStoreAddress): KeyStore {
  const name = `the key store ${address.url} (setting PARCELA_KEY_STORE_URL)`;
  async function currentKeyId(): Promise<string> {
    const answer = await askKeyStore(address, '/v1/key', null);
    return checkedKeyId(answered(answer, name), name);
  }
  return {
    name,
    currentKeyId,
    // The store orders its own keys: all that are not current wrapped before.
    isFormer: async (keyId) => keyId !== (await currentKeyId()),
    async wrap(dataKey, context) {
      const question = { dataKey: dataKey.toString('base64'), context };
      const body = answered(await askKeyStore(address, '/v1/wrap', question), name);
      const wrapped = bytesOf(body.wrapped);
      if (wrapped === null || wrapped.length > LONGEST_WRAPPED_KEY_BYTES || wrapped.includes(dataKey)) {
        throw new KeysUnusable(`${name} gave no wrapped key: it does not keep the protocol`);
      }
      return { keyId: checkedKeyId(body, name), wrapped };
    },
    async unwrap(keyId, wrapped, context) {
      const question = { keyId, wrapped: wrapped.toString('base64'), context };
      const answer = await askKeyStore(address, '/v1/unwrap', question);
      if (answer.status === 404 && answer.body.error === 'keyUnknown') throw new KeyUnknown(keyId);
      if (answer.status === 422) throw new Error('the wrapped key was altered');
      const dataKey = bytesOf(answered(answer, name).dataKey);
      if (dataKey?.length !== KEY_BYTES) {
        throw new KeysUnusable(`${name} gave no data key: it does not keep the protocol`);
      }
      return dataKey;
    },
  };
}

function answered({ status, body }: KeyStoreAnswer, name: string): KeyStoreAnswer['body'] {
  if (status === 200) return body;
  if (status === 401 || status === 403) {
    throw new KeysUnusable(`${name} refuses our token (${status}): see PARCELA_KEY_STORE_TOKEN_FILE`);
  }
  throw new KeysUnusable(`${name} answered ${status}, which the protocol does not know here`);
}

function checkedKeyId(body: KeyStoreAnswer['body'], name: string): string {
  if (typeof body.keyId !== 'string' || !KEY_ID.test(body.keyId)) {
    throw new KeysUnusable(`${name} gave no key id: it does not keep the protocol`);
  }
  return body.keyId;
}

function bytesOf(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  return Buffer.from(text, 'base64');
}

/** `url` has no slash at its end. */
type KeyStoreAddress = { readonly url: string; readonly channel: ChannelFiles };

type KeyStoreAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

const ASK_TIMEOUT_MILLISECONDS = 5_000;
/** Queries change nothing and may be repeated, but a start waits no longer than this. */
const MOST_TRIES = 3;
const PAUSE_MILLISECONDS = 300;
const LARGEST_ANSWER_BYTES = 16 * 1024;

/**
 * Sends one query, up to three times without an answer or with 5xx or 429. Other answers are final. Throws
 * `KeysUnusable`, which names the store and never the query, because that may be a data key.
 */
async function askKeyStore(
  address: KeyStoreAddress,
  path: string,
  question: Readonly<Record<string, string>> | null,
): Promise<KeyStoreAnswer> {
  // Read again for every query: a renewed token or certificate needs no restart.
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

/** Returns a text if there is no usable answer: why. */
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
    // The parser's message could repeat the answer, which may hold a key.
    return null;
  }
}

/** The code of the failure; never the message, which may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : error.name;
}
