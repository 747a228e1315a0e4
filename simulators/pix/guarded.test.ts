import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { makeAuthority, makeCertificate } from '../../test/webhooks/certificates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { cob, KEY, startPixBank } from './running-simulator.ts';
import { takeTls } from './tls-files.ts';

const TXID = 'T'.padEnd(32, '0');

test('with TLS on both sides only who has a certificate is let in, and the bank shows its own', async (t) => {
  const authority = makeAuthority();
  const [own, shop] = [
    makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }),
    makeCertificate({ hosts: ['127.0.0.1'], issuer: authority }),
  ];
  const folder = temporaryFolder(t);
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const files = [
    '--tls-key',
    file('key.pem', own.keyText),
    '--tls-certificate',
    file('own.pem', own.certificate),
  ];
  const bank = await startPixBank(t, {
    options: [...files, '--tls-authority', file('authority.pem', authority.certificate)],
  });
  const port = new URL(bank.url).port;
  const ask = async (path: string, body: string, given: object): Promise<Record<string, string>> => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      ca: authority.certificate,
      method: 'POST',
      ...given,
    });
    asked.end(body);
    const [response] = await once(asked, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  };
  await assert.rejects(ask('/about', '', {}), /certificate required|socket hang up|ECONNRESET|EPIPE/i);
  const client = { key: shop.keyText, cert: shop.certificate };
  const form = 'grant_type=client_credentials&client_id=M1&client_secret=x';
  const { access_token } = await ask('/oauth/token', form, client);
  const headers = { authorization: `Bearer ${access_token}` };
  const listener = createServer({
    ...client,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.after(() => listener.close());
  const webhookUrl = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const put = (path: string, body: object) =>
    ask(path, JSON.stringify(body), { ...client, headers, method: 'PUT' });
  await put(`/api/v2/webhook/${KEY}`, { webhookUrl }).catch(() => null);
  await put(`/api/v2/cob/${TXID}`, cob());
  const told = once(listener, 'request');
  await ask('/simulator/payments', JSON.stringify({ clientId: 'M1', txid: TXID }), client);
  const [visit, response] = await told;
  response.end();
  const { serialNumber } = (visit.socket as TLSSocket).getPeerCertificate();
  assert.equal(serialNumber, new X509Certificate(own.certificate).serialNumber);
  listener.closeAllConnections();
});

test('files of TLS are named together, and must be there', () => {
  assert.equal(takeTls(['node', 'main.ts', '--data', 'books']), null);
  assert.match(String(takeTls(['--tls-key', import.meta.filename])), /together/);
  assert.match(String(takeTls(['--tls-key', '/nowhere'])), /--tls-key/);
  const words = ['--data', 'books', '--tls-key', import.meta.filename];
  takeTls(words);
  assert.deepEqual(words, ['--data', 'books']);
});
