import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

type Fields = Record<string, unknown>;
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly body: Fields | null;
};
export type Answer = { readonly status: number; readonly body: Fields };

/** A way to be wrong: stands before a program that is right, whose answer it may ask for. */
export type Fault = (asked: Asked, ask: (asked: Asked) => Promise<Answer>) => Promise<Answer>;

/**
 * Opens a program with this fault before another one, until the test ends, and gives its address.
 */
export async function openFaultyProgram(t: TestContext, targetUrl: string, fault: Fault): Promise<string> {
  const ask = async ({ method, path, body }: Asked): Promise<Answer> => {
    const sent = method === 'POST' ? { body: JSON.stringify(body) } : {};
    const response = await fetch(targetUrl + path, { method, ...sent });
    return { status: response.status, body: (await response.json()) as Fields };
  };
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = method === 'POST' ? ((await readJson(request)) as Fields | null) : null;
    const answer = await fault({ method, path, body }, ask);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
