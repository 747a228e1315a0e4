import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { webhookFault } from '../../test/kit/pix-specification.ts';
import { cob, cobr, KEY, rec, startPixBank } from './running-simulator.ts';

const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;

/** A receiver's listener: gives what comes, one by one, and answers `statuses` in their order, then 200. */
async function listen(t: TestContext, statuses: number[] = []) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const waiting: { path: string; text: string }[] = [];
  let wake = () => {};
  server.on('request', (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      waiting.push({ path: request.url ?? '', text: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(statuses.shift() ?? 200).end();
      wake();
    });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/`,
    async next() {
      while (waiting.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return waiting.shift() as { path: string; text: string };
    },
  };
}

test('the receiver is told of each Pix of a charge and each refund, and again until it takes it', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const shop = await listen(t, [500]);
  await ask('PUT', `/webhook/${KEY}`, { webhookUrl: shop.url });
  await ask('PUT', `/cob/${txidOf(1)}`, cob());
  const paid = (await bank.order('/payments', { clientId: 'M1', txid: txidOf(1) })).body;
  const first = await shop.next();
  assert.equal(first.path, '/hook/pix');
  const body = JSON.parse(first.text);
  assert.equal(webhookFault('WebhookPixBody', body), null);
  assert.deepEqual([body.pix[0].txid, body.pix[0].endToEndId], [txidOf(1), paid.endToEndId]);
  assert.deepEqual(await shop.next(), first);
  // Money for the key alone is nobody's charge.
  await bank.order('/payments', { chave: KEY, amount: '1.00' });
  await ask('PUT', `/pix/${paid.endToEndId}/devolucao/A`, { valor: '1.00' });
  const refund = JSON.parse((await shop.next()).text);
  assert.equal(webhookFault('WebhookPixBody', refund), null);
  assert.equal(refund.pix[0].devolucoes[0].status, 'DEVOLVIDO');
  const { items } = (await bank.read('/webhooks?clientId=M1')).body;
  assert.deepEqual(items[0].statuses, [500, 200]);
  await ask('DELETE', `/webhook/${KEY}`);
  await ask('PUT', `/cob/${txidOf(2)}`, cob());
  await bank.order('/payments', { clientId: 'M1', txid: txidOf(2) });
  assert.equal((await bank.read('/webhooks?clientId=M1')).body.items.length, 2);
});

test('webhooks are lost, repeated and spoiled as it is laid out', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const shop = await listen(t);
  await ask('PUT', `/webhook/${KEY}`, { webhookUrl: shop.url });
  const faults = ['lost', 'repeated', 'garbage', 'wrongAmount', 'unknownPix'] as const;
  await bank.order('/script', { clientId: 'M1', on: 'webhook', steps: faults.map((fault) => ({ fault })) });
  const told: string[] = [];
  for (const [index, fault] of faults.entries()) {
    await ask('PUT', `/cob/${txidOf(index)}`, cob());
    await bank.order('/payments', { clientId: 'M1', txid: txidOf(index) });
    for (let times = { lost: 0, repeated: 2 }[fault as string] ?? 1; times > 0; times -= 1)
      told.push((await shop.next()).text);
  }
  const [one, again, garbage = '', amount = '', unknown = ''] = told;
  assert.equal(again, one);
  assert.throws(() => JSON.parse(garbage));
  assert.equal(JSON.parse(amount).pix[0].valor, '900.00');
  const { endToEndId } = JSON.parse(unknown).pix[0];
  assert.equal((await ask('GET', `/pix/${endToEndId}`)).status, 404);
});

test('the receiver is told how authorizations and recurring charges go on', async (t) => {
  const bank = await startPixBank(t);
  const ask = await bank.client();
  const shop = await listen(t);
  const clock = (now: string) => bank.order('/clock', { clientId: 'M1', now });
  await clock('2027-02-01T12:00:00Z');
  await ask('PUT', '/webhookrec', { webhookUrl: shop.url });
  await ask('PUT', '/webhookcobr', { webhookUrl: shop.url });
  const { idRec } = (await ask('POST', '/rec', rec())).body;
  await bank.order('/authorizations', { idRec, act: 'accept' });
  const agreed = await shop.next();
  assert.equal(agreed.path, '/hook/rec');
  const { recs } = JSON.parse(agreed.text);
  assert.equal(webhookFault('WebhookRecBody', { recs }), null);
  assert.deepEqual([recs[0].idRec, recs[0].status], [idRec, 'APROVADA']);
  await ask('PUT', `/cobr/${txidOf(1)}`, cobr(idRec, '2027-02-10'));
  const told: unknown[] = [];
  const nextCobR = async () => {
    const { path, text } = await shop.next();
    const body = JSON.parse(text);
    assert.deepEqual([path, webhookFault('WebhookCobRBody', body)], ['/hook/cobr', null]);
    const [{ status, tentativas, pix }] = body.cobsr;
    told.push([status, tentativas.at(-1).status, pix?.length ?? 0]);
  };
  await nextCobR();
  // Without a request: the bank goes on by itself.
  await nextCobR();
  await clock('2027-02-10T12:00:00Z');
  await nextCobR();
  assert.deepEqual(told, [
    ['CRIADA', 'SOLICITADA', 0],
    ['ATIVA', 'AGENDADA', 0],
    ['CONCLUIDA', 'PAGA', 1],
  ]);
});
