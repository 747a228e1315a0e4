import type { Dispatcher } from 'undici';
import { wordsOf } from '../../../platform/channels/connection-words.ts';
import type { ProviderAnswer } from './provider-answers.ts';

/** The protocol's longest answer is under a kilobyte. */
const LARGEST_ANSWER_BYTES = 16 * 1024;
/** The provider may close a kept-alive connection just as it is used: the request is then sent once more. */
const MOST_TRIES = 2;

export type ProviderQuestion = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** No readable answer came. The message repeats nothing that was sent or received. */
export class ProviderSilent extends Error {
  override readonly name = 'ProviderSilent';
  /** `full`: it was not asked, because too many calls were pending. */
  readonly kind: 'silent' | 'full';

  constructor(message: string, kind: 'silent' | 'full' = 'silent') {
    super(message);
    this.kind = kind;
  }
}

/** Sent again if the connection breaks: a repeated request gets the same answer. Throws `ProviderSilent`. */
export async function askProvider(
  dispatcher: Dispatcher,
  question: ProviderQuestion,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(dispatcher, question, signal);
    } catch (error) {
      if (error instanceof ProviderSilent) throw error;
      if (signal.aborted) throw new ProviderSilent('no answer in time');
      if (tries < MOST_TRIES) continue;
      const { code, name } = error as NodeJS.ErrnoException;
      throw new ProviderSilent(`the connection failed (${wordsOf(code ?? name)})`);
    }
  }
}

async function askOnce(
  dispatcher: Dispatcher,
  { method, path, body, headers: ours }: ProviderQuestion,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const headers = { 'content-type': 'application/json', ...ours };
  const answer = await dispatcher.request({ method, path, body, headers, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > LARGEST_ANSWER_BYTES) throw new ProviderSilent('the answer was too long');
    chunks.push(chunk);
  }
  return { status: answer.statusCode, body: readJson(Buffer.concat(chunks), answer.statusCode) };
}

function readJson(bytes: Buffer, status: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's message could repeat the answer. For a refusal the status is enough.
    if (status !== 200) return null;
    throw new ProviderSilent('the answer was not JSON');
  }
}
