import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Fleet } from '../gateways.ts';
import { urlOf } from './bank-ledger.ts';
import { CERTIFICATE_HEADER, CERTIFICATE_OF_BANK, PIX_CLIENT, PIX_KEY, PIX_SECRET } from './bank-settings.ts';

/**
 * The proxy before the services, through which the bank tells what happened: to any of those that live. While
 * there is none it answers 502, and the bank tells a few times more.
 */
export async function openNoticeProxy(fleet: Fleet): Promise<string> {
  let turn = 0;
  const server = createServer(async (request, response) => {
    const living = fleet.all().filter(({ pixWebhookUrl }) => pixWebhookUrl !== null);
    turn += 1;
    const url = living[turn % Math.max(living.length, 1)]?.pixWebhookUrl ?? null;
    const status = url === null ? 502 : await pass(request, url + (request.url ?? '')).catch(() => 502);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Nothing waits for it when a run is over.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function pass(request: IncomingMessage, url: string): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = {
    'content-type': 'application/json',
    [CERTIFICATE_HEADER]: encodeURIComponent(CERTIFICATE_OF_BANK),
  };
  const { status, body } = await fetch(url, { method: 'POST', headers, body: Buffer.concat(chunks) });
  await body?.cancel();
  return status;
}

/** As `parcela provider webhook` does. */
export async function registerNotices(bench: ChaosBench, proxyUrl: string): Promise<void> {
  const basic = Buffer.from(`${PIX_CLIENT}:${PIX_SECRET}`).toString('base64');
  const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'webhook.write' });
  await until('the bank knows where to tell', async () => {
    const given = await fetch(urlOf(bench, '/oauth/token'), {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: form,
    });
    const { access_token: token } = (await given.json()) as { access_token: string };
    const put = await fetch(urlOf(bench, `/api/v2/webhook/${encodeURIComponent(PIX_KEY)}`), {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ webhookUrl: `${proxyUrl}/default` }),
    });
    await put.text();
    return put.status === 200;
  });
}
