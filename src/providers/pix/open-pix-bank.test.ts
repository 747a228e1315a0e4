import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { plainChannel } from '../../platform/channels/open-channel.ts';
import { brCodeCheckSum } from '../../values/br-code.ts';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import { openPixBank } from './open-pix-bank.ts';

const TXID = '01a226d0b71972a1895aa1fc604c362d';
const PROBLEM = { type: 'https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida', title: 'x', status: 400 };

function codeOf(url: string): string {
  const field = (id: string, text: string) => id + String(text.length).padStart(2, '0') + text;
  const body = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('25', url)),
    field('52', '0000') + field('53', '986') + field('58', 'BR'),
    field('59', 'LOJA') + field('60', 'SAO PAULO') + field('62', field('05', '***')),
  ].join('');
  return `${body}6304${brCodeCheckSum(`${body}6304`)}`;
}

test('a first charge that the bank does not take away is over once nobody can pay it, and not before', async (t) => {
  let madeAt = '';
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'POST') return answer(200, { access_token: 't', expires_in: 600, scope: '' });
    if (request.method === 'PATCH') return answer(400, PROBLEM);
    return answer(200, {
      txid: TXID,
      status: 'ATIVA',
      calendario: { criacao: madeAt, expiracao: 60 },
      valor: { original: '48.90' },
      pixCopiaECola: codeOf('pix.bank.example/qr/v2/1'),
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const channel = plainChannel(1_000);
  const settings = { key: 'pix@loja.example', account: '123456', branch: '0001' };
  const access = { url: `http://127.0.0.1:${port}/api/v2`, settings };
  const bank = openPixBank(access, channel, { observe: () => {} });
  t.after(async () => {
    await bank.close();
    channel.close();
    server.close();
  });
  const name = { merchantId: 'LOJA', txid: TXID, amount: cents(4_890), now: instant(Date.now()) };
  madeAt = new Date(Date.now() - 3_600_000).toISOString();
  assert.deepEqual(await bank.endFirstCharge(name, 5_000), { kind: 'ended' });
  madeAt = new Date().toISOString();
  assert.equal((await bank.endFirstCharge(name, 5_000)).kind, 'unknown');
});
