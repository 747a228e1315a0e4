import { readFile } from 'node:fs/promises';
import { KeysUnusable } from '../key-store.ts';

/** Where the store answers, ending in no slash, and the file of its bearer token. */
export type KeyStoreAddress = { readonly url: string; readonly tokenFile: string | null };

export type KeyStoreAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

const ASK_TIMEOUT_MILLISECONDS = 5_000;
/** A question changes nothing, so that it may be asked again; but nobody waits longer for a start. */
const MOST_TRIES = 3;
const PAUSE_MILLISECONDS = 300;
const LARGEST_ANSWER_BYTES = 16 * 1024;
const LARGEST_TOKEN_BYTES = 4 * 1024;

/**
 * Asks the key store beside us one question. No answer, or one of status 5xx or 429, is asked for again, three times in
 * all; every other answer is the answer. Throws `KeysUnusable` when there is none, naming the store and never what was
 * asked: that may be a data key.
 */
export async function askKeyStore(
  address: KeyStoreAddress,
  path: string,
  question: Readonly<Record<string, string>> | null,
): Promise<KeyStoreAnswer> {
  const headers = { 'content-type': 'application/json', ...(await authorization(address)) };
  const body = question === null ? null : JSON.stringify(question);
  let reason = '';
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (tries > 0) await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
    const answer = await askOnce(address.url + path, headers, body);
    if (typeof answer !== 'string') return answer;
    reason = answer;
  }
  throw new KeysUnusable(`the key store ${address.url} gives no answer (${reason}): see that it runs`);
}

/** The answer, or a word on why there is none that could be used. */
async function askOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | null,
): Promise<KeyStoreAnswer | string> {
  try {
    const response = await fetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers,
      body,
      redirect: 'error',
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

/** Read again for every question: who renews the token need not start the service anew. */
async function authorization({ tokenFile }: KeyStoreAddress): Promise<Record<string, string>> {
  if (tokenFile === null) return {};
  const text = await readFile(tokenFile, 'utf8').catch((error: Error) => {
    throw new KeysUnusable(`PARCELA_KEY_STORE_TOKEN_FILE: ${tokenFile} cannot be read (${error.message})`);
  });
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > LARGEST_TOKEN_BYTES) {
    throw new KeysUnusable(`PARCELA_KEY_STORE_TOKEN_FILE: ${tokenFile} holds no token`);
  }
  return { authorization: `Bearer ${token}` };
}
