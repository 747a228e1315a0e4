import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isGenuine } from '../../docs/webhook-snippets/receive-webhook.ts';

/** What the account's webhook is notified of: one change of one installment. */
export type Notification = {
  readonly movementId: number;
  readonly nsu: string;
  readonly codAuth: string;
  readonly installmentNumber: number;
  readonly moment: string;
  readonly type: string;
  readonly oldValue: string;
  readonly newValue: string;
};

/** What an alert endpoint is notified of: a charge that failed. */
export type Alert = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  readonly attempt: number | null;
  readonly returnCode: string | null;
  readonly description: string;
  readonly nextAttemptOn: string | null;
  readonly status: string;
};

export type Received = { readonly webhookId: string; readonly isGenuine: boolean } & (
  | { readonly kind: 'notification'; readonly body: Notification }
  | { readonly kind: 'notice'; readonly body: Alert }
);

/** A merchant's endpoint, which can be down: then it hangs up on whoever calls. */
export type Listener = {
  readonly webhookUrl: string;
  readonly noticesUrl: string;
  /** How often somebody called while it was down. */
  missed(): number;
  /** From here on messages must be signed with this secret. */
  know(secret: string): void;
  setUp(isUp: boolean): void;
  /** What came since it was asked last, each message once however often it was sent. */
  news(): Received[];
  close(): Promise<void>;
};

const WEBHOOK_PATH = '/webhook';
const NOTICES_PATH = '/notices';

export async function openListener(): Promise<Listener> {
  let isUp = false;
  let missed = 0;
  let secret = '';
  let news: Received[] = [];
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const received = await take(request, secret).catch(() => null);
    const isGood = received?.isGenuine === true;
    if (isGood && !seen.has(received.webhookId)) {
      seen.add(received.webhookId);
      news.push(received);
    }
    response.writeHead(isGood ? 200 : 400).end();
  });
  server.on('connection', (socket) => {
    if (isUp) return;
    missed += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    webhookUrl: url + WEBHOOK_PATH,
    noticesUrl: url + NOTICES_PATH,
    missed: () => missed,
    know(given) {
      secret = given;
    },
    setUp(wanted) {
      isUp = wanted;
    },
    news() {
      const come = news;
      news = [];
      return come;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Verified over the bytes as they came, by the endpoint that docs/webhooks.md leads to. */
async function take(request: IncomingMessage, secret: string): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const common = {
    webhookId: String(request.headers['webhook-id']),
    isGenuine: isGenuine(request.headers, bytes, secret, Date.now() / 1_000),
  };
  const body: unknown = JSON.parse(bytes.toString('utf8'));
  return request.url === NOTICES_PATH
    ? { ...common, kind: 'notice', body: body as Alert }
    : { ...common, kind: 'notification', body: body as Notification };
}
