import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { until } from '../kit/service.ts';
import { type BanksInTurn, openBanksInTurn } from './banks-in-turn.ts';
import { cancel, issue, untilStatus } from './boleto-service.ts';

let banks: BanksInTurn;
before(async () => {
  banks = await openBanksInTurn();
});
after(() => banks?.close());

/** The simulator behind an address at which nobody answers while it is away. */
async function openDoor() {
  const door = { isAway: false };
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers } = request;
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const type = headers['content-type'] ?? 'application/json';
    const reply = await fetch(new URL(request.url ?? '', banks.first.url), {
      method,
      headers: { 'content-type': type },
      ...body,
    });
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    const hangUp = () => void request.socket.destroy();
    if (door.isAway) hangUp();
    else pass(request, response).catch(hangUp);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(door, {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

test('a bank that was away since the start is asked which one it is, and ends what was to be canceled', async (t) => {
  const door = await openDoor();
  t.after(() => door.close());
  // Nothing else asks it meanwhile.
  const settings = { PARCELA_BANK_CHANGES_SECONDS: '86400' };
  const shop = await banks.start(door.url, settings);
  const reply = await issue(shop, { value: 10 });
  assert.equal(reply.status, 200, reply.text);
  const { id } = reply.body;
  const scripted = await fetch(new URL('/script', banks.first.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId: shop.merchantId, steps: [], cancels: [{ fault: 'silent' }] }),
  });
  assert.ok(scripted.ok, await scripted.text());
  const asking = cancel(shop, id).catch(() => null);
  await until('the cancel is under way', async () => {
    const [row] = await shop.service.auditor.query('select state from boletos where boleto_id = $1', [id]);
    return row?.state === 'canceling';
  });
  door.isAway = true;
  await banks.kill();
  await asking;
  const again = await banks.open(door.url, settings);
  door.isAway = false;
  await untilStatus(again, id, STATUS_BILL.canceled);
});
