import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, test } from 'node:test';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { openCarefulPost } from '../../src/webhooks/posting/open-careful-post.ts';
import type { PostResult } from '../../src/webhooks/posting/posting-result.ts';
import { startListener, startRawListener } from '../kit/listener.ts';
import { cleanEnvironment, until } from '../kit/service.ts';
import { type CertificateRequest, makeAuthority, makeCertificate } from './certificates.ts';

const RULES = { takesHttp: false, takesLoopback: true, openedNetworks: [] };
const DAY = 24 * 60 * 60 * 1_000;
const authority = makeAuthority();
// As an operator would with NODE_EXTRA_CA_CERTS.
setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);

const toClose: (() => Promise<void>)[] = [];
const kept = <T extends { close(): Promise<void> }>(opened: T): T => {
  toClose.push(() => opened.close());
  return opened;
};
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

const careful = () => kept(openCarefulPost(RULES, { lookup: async () => ['127.0.0.1'] }));
const shopWith = async (request: CertificateRequest) =>
  kept(await startListener(200, { certified: makeCertificate({ issuer: authority, ...request }) }));
const send = (url: string, connectMilliseconds = 30_000) =>
  careful().post({
    merchantId: 'loja',
    url,
    body: '{}',
    headers: {},
    connectMilliseconds,
    totalMilliseconds: 60_000,
  });
const outcome = (result: PostResult) => (result.kind === 'answered' ? result.status : result.failure);

test('a server with a good certificate for its name is notified', async () => {
  const shop = await shopWith({ hosts: ['loja.example', '*.lojas.example', '127.0.0.1'] });
  for (const host of ['loja.example', 'LOJA.example.', 'a.lojas.example', '127.0.0.1'])
    assert.equal(outcome(await send(`https://${host}:${shop.port}/x`)), 200, host);
  assert.equal(shop.received[0]?.headers.host, `loja.example:${shop.port}`);
});

test('a server whose certificate is not good for the name in the address is sent nothing', async () => {
  const shop = await shopWith({ hosts: ['loja.example', '*.lojas.example'] });
  for (const host of [
    'outra.example',
    'loja.example.evil.example',
    'lojas.example',
    'a.b.lojas.example',
    '127.0.0.1',
  ])
    assert.equal(outcome(await send(`https://${host}:${shop.port}/`)), 'certificate', host);
  const nameless = await shopWith({});
  assert.equal(outcome(await send(`https://loja.example:${nameless.port}/`)), 'certificate');
  assert.equal(shop.received.length + nameless.received.length, 0);
});

test('a certificate that is over, not yet valid, signed by itself or by a stranger is not believed', async () => {
  const hosts = ['loja.example'];
  const requests: Record<string, CertificateRequest> = {
    over: { hosts, notBefore: new Date(Date.now() - 90 * DAY), notAfter: new Date(Date.now() - DAY) },
    'not yet valid': {
      hosts,
      notBefore: new Date(Date.now() + DAY),
      notAfter: new Date(Date.now() + 9 * DAY),
    },
    'of a stranger': { hosts, issuer: makeAuthority() },
  };
  for (const [what, request] of Object.entries(requests)) {
    const shop = await shopWith(request);
    assert.equal(outcome(await send(`https://loja.example:${shop.port}/`)), 'certificate', what);
    assert.equal(shop.received.length, 0, what);
  }
  const alone = kept(await startListener(200, { certified: makeCertificate({ hosts }) }));
  assert.equal(outcome(await send(`https://loja.example:${alone.port}/`)), 'certificate', 'signed by itself');
  assert.equal(alone.received.length, 0);
});

test('no variable of the environment turns the check of certificates off', async () => {
  const shop = kept(await startListener(200, { certified: makeCertificate({ hosts: ['loja.example'] }) }));
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    assert.equal(outcome(await send(`https://loja.example:${shop.port}/`)), 'certificate');
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
  assert.equal(shop.received.length, 0);
});

test('a server that speaks no TLS, or only an old one, is sent nothing', async () => {
  const plain = kept(await startListener());
  assert.equal(outcome(await send(`https://loja.example:${plain.port}/`)), 'tls');
  assert.equal(plain.received.length, 0);
  const certified = makeCertificate({ hosts: ['loja.example'], issuer: authority });
  const old = createTlsServer({
    cert: certified.certificate,
    key: certified.keyText,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  old.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
  const { port } = old.address() as { port: number };
  assert.equal(outcome(await send(`https://loja.example:${port}/`)), 'tls');
  await new Promise((resolve) => old.close(resolve));
});

test('a server that accepts and then stays silent holds nobody longer than the time to connect', async () => {
  const silent = kept(await startRawListener((socket) => void socket.resume()));
  assert.equal(outcome(await send(`https://loja.example:${silent.port}/`, 300)), 'connectTimeout');
  await until('the connection is closed', async () => silent.connections.open === 0);
});

test('a connection over TLS is used again', async () => {
  const shop = await shopWith({ hosts: ['loja.example'] });
  const way = careful();
  for (let post = 0; post < 10; post += 1) {
    const result = await way.post({
      merchantId: 'loja',
      url: `https://loja.example:${shop.port}/`,
      body: '{}',
      headers: {},
      connectMilliseconds: 30_000,
      totalMilliseconds: 60_000,
    });
    assert.equal(outcome(result), 200);
  }
  assert.equal(shop.connections.opened, 1);
});

test('no proxy is asked, whatever the environment names', async () => {
  const shop = kept(await startListener());
  let asked = 0;
  const proxy = createTcpServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const environment = {
    ...cleanEnvironment({}),
    NODE_USE_ENV_PROXY: '1',
    ...Object.fromEntries(variables.map((name) => [name, `http://127.0.0.1:${port}`])),
  };
  const program = fileURLToPath(new URL('post-once.ts', import.meta.url));
  const child = spawn(process.execPath, [program, `${shop.url}/x`], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => proxy.close(resolve));
  assert.equal(JSON.parse(said).status, 200, said);
  assert.equal(shop.received.length, 1);
  assert.equal(asked, 0);
});
