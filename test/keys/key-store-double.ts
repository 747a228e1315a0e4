import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/**
 * A key store beside the service, written from docs/key-store-protocol.md and importing nothing of the
 * service. Its keys are given as `id:hex`, the current one last. Fingerprints its port. `--answer` makes it
 * answer everything in one wrong way.
 */
const { values } = parseArgs({
  options: {
    token: { type: 'string' },
    key: { type: 'string', multiple: true },
    answer: { type: 'string' },
    port: { type: 'string' },
  },
});
const keys = new Map((values.key ?? []).map((pair) => pair.split(':') as [string, string]));
const current = [...keys.keys()].at(-1) as string;

type Question = {
  readonly dataKey?: string;
  readonly context?: string;
  readonly keyId?: string;
  readonly wrapped?: string;
};
type Answer = { readonly status: number; readonly body: unknown };

function wrap({ dataKey = '', context = '' }: Question): Answer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(keys.get(current) as string, 'hex'), nonce);
  cipher.setAAD(Buffer.from(context));
  const closed = Buffer.concat([cipher.update(Buffer.from(dataKey, 'base64')), cipher.final()]);
  const wrapped = Buffer.concat([nonce, cipher.getAuthTag(), closed]).toString('base64');
  return { status: 200, body: { keyId: current, wrapped } };
}

function unwrap({ keyId = '', wrapped = '', context = '' }: Question): Answer {
  const key = keys.get(keyId);
  if (key === undefined) return { status: 404, body: { error: 'keyUnknown' } };
  const bytes = Buffer.from(wrapped, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const dataKey = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return { status: 200, body: { dataKey: dataKey.toString('base64') } };
  } catch {
    return { status: 422, body: { error: 'altered' } };
  }
}

function answerTo(path: string, question: Question): Answer {
  if (path === '/v1/key') return { status: 200, body: { keyId: current } };
  if (path === '/v1/wrap') return wrap(question);
  if (path === '/v1/unwrap') return unwrap(question);
  return { status: 404, body: { error: 'notFound' } };
}

const WRONG: Readonly<Record<string, { status: number; text: string }>> = {
  garbage: { status: 200, text: '<html>welcome</html>' },
  error: { status: 503, text: '' },
  long: { status: 200, text: JSON.stringify({ keyId: 'x'.repeat(100_000) }) },
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const wrong = WRONG[values.answer ?? ''];
    const isKnown = request.headers.authorization === `Bearer ${values.token}`;
    const question = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Question);
    const answer = isKnown
      ? answerTo(request.url ?? '', question)
      : { status: 401, body: { error: 'token' } };
    response.writeHead(wrong?.status ?? answer.status, { 'content-type': 'application/json' });
    response.end(wrong?.text ?? JSON.stringify(answer.body));
  });
});
server.listen(Number(values.port ?? 0), '127.0.0.1', () =>
  console.log((server.address() as { port: number }).port),
);
