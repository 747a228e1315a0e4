import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One question that the service asked its acquirer. */
export type Asked = {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into questions of every shape.
  readonly body: any;
};

export const VERIFICATION_FAULTS = [
  'silence',
  'reset',
  'garbage',
  'unavailable',
  'wrongAmount',
  'wrongReference',
  'noOutcome',
] as const;
export type VerificationFault = (typeof VERIFICATION_FAULTS)[number];

/**
 * Stands before the simulator: remembers what was asked, and spoils the answers to verifications
 * where a test wants it.
 */
export type RecordingBridge = {
  readonly url: string;
  readonly asked: Asked[];
  /** The header of that name of every question that had one. */
  readonly traceparents: string[];
  /** How all verifications are answered from now on; null: as the simulator does. */
  spoilVerifications(fault: VerificationFault | null): void;
  /** Keeps the answers to verifications that are booked from now on, until what it gives is called. */
  holdVerifications(): () => void;
  /**
   * How cancellations are answered from now on; null: as the simulator does. What is `unheard` does not
   * reach the simulator; everything else is booked there first.
   */
  spoilCancellations(fault: VerificationFault | 'unheard' | null): void;
  /** The amount that records of charges show from now on, or silence; null: as the simulator does. */
  spoilFinds(fault: number | 'silence' | null): void;
  /** What `/about` reports from now on, beside what the simulator does. */
  reportCapabilities(changed: Readonly<Record<string, unknown>>): void;
  /** Replaces the network's id and link in the approvals that follow; undefined: as the simulator says. */
  nameNetworkTransactions(networkTransactionId: string | null | undefined): void;
  close(): Promise<void>;
};

export async function openRecordingBridge(target: string): Promise<RecordingBridge> {
  const asked: Asked[] = [];
  const traceparents: string[] = [];
  let fault: VerificationFault | null = null;
  let cancelFault: VerificationFault | 'unheard' | null = null;
  let findFault: number | 'silence' | null = null;
  let held = Promise.resolve();
  let networkId: string | null | undefined;
  let capabilities: Readonly<Record<string, unknown>> = {};

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const { traceparent } = request.headers;
    if (typeof traceparent === 'string') traceparents.push(traceparent);
    if (request.method === 'POST') asked.push({ path, body: JSON.parse(text) });
    if (path === '/cancellations' && cancelFault === 'unheard') return;
    const isFind = path.startsWith('/charges/');
    if (isFind && findFault === 'silence') return;
    const answer = await fetch(target + path, {
      method: request.method as string,
      ...(request.method === 'POST' ? { body: text } : {}),
    });
    const body = (await answer.json()) as Record<string, unknown>;
    if (networkId !== undefined && (body.outcome ?? body.status) === 'approved')
      Object.assign(body, { networkTransactionId: networkId, transactionLinkId: networkId });
    if (isFind && findFault !== null) body.amount = findFault;
    if (path === '/about') Object.assign((body.capabilities ?? {}) as object, capabilities);
    if (path === '/verifications') await held;
    if (path === '/verifications' && fault !== null) return spoil(response, fault, body);
    if (path === '/cancellations' && cancelFault !== null && cancelFault !== 'unheard') {
      return spoil(response, cancelFault, body);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    // The caller may have gone: the service stops while something is under way.
    passOn(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    traceparents,
    spoilVerifications: (wanted) => {
      fault = wanted;
    },
    holdVerifications() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    spoilCancellations: (wanted) => {
      cancelFault = wanted;
    },
    spoilFinds: (wanted) => {
      findFault = wanted;
    },
    reportCapabilities: (changed) => {
      capabilities = changed;
    },
    nameNetworkTransactions: (wanted) => {
      networkId = wanted;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spoil(response: ServerResponse, fault: VerificationFault, body: Record<string, unknown>): void {
  switch (fault) {
    case 'silence':
      break;
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
    case 'garbage':
      response.end('{"outcome":"approved"');
      break;
    case 'unavailable':
      response.writeHead(503).end(JSON.stringify(body));
      break;
    case 'wrongAmount':
      response.end(JSON.stringify({ ...body, amount: 1 }));
      break;
    case 'wrongReference':
      response.end(JSON.stringify({ ...body, reference: 'another', cancellationReference: 'another' }));
      break;
    case 'noOutcome':
      response.end(JSON.stringify({ ...body, outcome: 'perhaps' }));
      break;
  }
}
