import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { businessClock } from '../../src/platform/business-clock.ts';
import { DatabaseTime } from '../../src/platform/database-time.ts';
import { type DeliveryToSend, deliveryId } from '../../src/webhooks/deliveries/delivery.ts';
import { sendDelivery } from '../../src/webhooks/deliveries/send-delivery.ts';
import { type CarefulPost, openCarefulPost } from '../../src/webhooks/posting/open-careful-post.ts';
import { openResolver } from '../../src/webhooks/posting/open-resolver.ts';
import type { PostRequest, PostResult } from '../../src/webhooks/posting/posting-result.ts';
import { signMessage } from '../../src/webhooks/posting/sign-message.ts';
import { type CallRules, PUBLIC_ONLY, type Resolver } from '../../src/webhooks/posting/url-rules.ts';
import { vetUrl } from '../../src/webhooks/posting/vet-url.ts';
import { startListener, startNameServer, startRawListener } from '../kit/listener.ts';
import { until } from '../kit/service.ts';

const HOMOLOGATION: CallRules = { takesHttp: true, takesLoopback: true, openedNetworks: [] };
const noNames: Resolver = { lookup: async () => [] };

const toClose: (() => Promise<void>)[] = [];
const kept = <T extends { close(): Promise<void> }>(opened: T): T => {
  toClose.push(() => opened.close());
  return opened;
};
const closeAll = async () => {
  for (const close of toClose.splice(0).reverse()) await close();
};
afterEach(closeAll);
after(closeAll);

const careful = (
  resolver: Resolver = noNames,
  rules = HOMOLOGATION,
  limits?: { perOrigin: number; inAll: number; waiting: number },
) => kept(openCarefulPost(rules, resolver, limits === undefined ? {} : { limits }));

/** Generous: what is meant to end earlier is known by its outcome, not by the clock. */
const send = (way: CarefulPost, url: string, change: Partial<PostRequest> = {}): Promise<PostResult> =>
  way.post({
    merchantId: 'loja',
    url,
    body: '{"movementId":42}',
    headers: { 'content-type': 'application/json; charset=utf-8', 'webhook-id': 'id-1' },
    connectMilliseconds: 30_000,
    totalMilliseconds: 60_000,
    ...change,
  });

const DELIVERY: DeliveryToSend = {
  merchantId: 'loja',
  aboutId: null,
  deliveryNumber: 42,
  kind: 'movement',
  endpoint: 'account:1',
  registration: 1,
  accountNumber: '1',
  url: '',
  body: '',
  basicAuth: null,
  secrets: [],
  tries: 0,
  triesBefore: 0,
  fence: 1,
  createdAt: 1_795_000_000_000,
  isFailing: false,
};

const outcome = (result: PostResult) => (result.kind === 'answered' ? result.status : result.failure);

test('the server gets what was given: path, query, headers and the very bytes of the body', async () => {
  const shop = kept(await startListener({ status: 200, body: 'ok' }));
  const body = '{"x":"ção € 😀"}';
  const result = await send(careful(), `${shop.url}/a/b?c=d&e=%20`, {
    body,
    headers: { 'content-type': 'application/json', authorization: 'Basic eDp5', 'webhook-id': 'id-7' },
  });
  assert.equal(outcome(result), 200);
  assert.equal(result.kind === 'answered' && result.answer, 'ok');
  const [received] = shop.received;
  assert.deepEqual([received?.method, received?.path, received?.body], ['POST', '/a/b?c=d&e=%20', body]);
  assert.deepEqual(received?.headers, {
    host: `127.0.0.1:${shop.port}`,
    connection: 'keep-alive',
    'content-type': 'application/json',
    authorization: 'Basic eDp5',
    'webhook-id': 'id-7',
    'content-length': String(Buffer.byteLength(body)),
  });
});

test('the receiver verifies what it was sent: the body of the signature is the body that came, and it is new', async () => {
  const shop = kept(await startListener());
  const secrets = [randomBytes(32), randomBytes(32)];
  const tools = {
    post: (request: PostRequest) => careful().post(request),
    sign: signMessage,
    clock: businessClock(new DatabaseTime()),
    openSecrets: async () => ({ basicAuth: null, secrets }),
    userAgent: 'Parcela/test',
  };
  const body = '{"buyer":"José ção € 😀","amount":12990}';
  const made = await sendDelivery(tools, { ...DELIVERY, url: shop.url, body });
  assert.equal(made.response, 'taken');
  const [received] = shop.received;
  assert.equal(received?.body, body);
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    String(received?.headers[`webhook-${name}`]),
  );
  assert.equal(id, deliveryId(DELIVERY));
  // As Standard Webhooks have their receivers do: older or newer ones are a replay.
  assert.ok(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300, `${timestamp}`);
  const expected = secrets.map((secret) => {
    const hash = createHmac('sha256', secret).update(`${id}.${timestamp}.${received?.body}`);
    return `v1,${hash.digest('base64')}`;
  });
  assert.equal(signature, expected.join(' '));
});

test('whatever status comes is the answer', async () => {
  const shop = kept(await startListener());
  const way = careful();
  for (const status of [200, 202, 204, 304, 400, 404, 410, 500, 502, 599]) {
    shop.answerWith(status);
    assert.equal(outcome(await send(way, shop.url)), status);
  }
  assert.equal(shop.received.length, 10);
});

test('429 and 503 report when to come back, others do not', async () => {
  const shop = kept(await startListener());
  const way = careful();
  for (const [status, retryAfter, expected] of [
    [429, '7', 7_000],
    [503, '120', 120_000],
    [503, '999999', 86_400_000],
    [503, 'nonsense', null],
    [500, '7', null],
  ] as const) {
    shop.answerWith({ status, headers: { 'retry-after': retryAfter } });
    const result = await send(way, shop.url);
    assert.equal(
      result.kind === 'answered' && result.retryAfterMilliseconds,
      expected,
      `${status} ${retryAfter}`,
    );
  }
});

test('a redirect is an answer and is not followed, wherever it leads', async () => {
  const inside = kept(await startListener());
  const way = careful();
  for (const status of [301, 302, 303, 307, 308]) {
    const shop = kept(await startListener({ status, headers: { location: `${inside.url}/admin` } }));
    assert.equal(outcome(await send(way, shop.url)), status);
  }
  assert.equal(inside.connections.opened, 0);
});

test('of the body 200 printable characters are kept, without card numbers and the credentials that we sent', async () => {
  const authorization = `Basic ${Buffer.from('shop:s3cret-pass').toString('base64')}`;
  const shop = kept(
    await startListener(({ headers }) => ({
      status: 400,
      body: `\u0000bad\r\n card 4111 1111 1111 1111, ${headers.authorization} s3cret-pass ${'é'.repeat(2_000)}`,
    })),
  );
  const result = await send(careful(), shop.url, { headers: { authorization } });
  assert.ok(result.kind === 'answered');
  assert.match(result.answer, /^bad card …, Basic … … é+$/);
  assert.equal([...result.answer].length, 200);
});

test('a server that hangs is given up when the time is over', async () => {
  const shop = kept(await startListener('hang'));
  assert.equal(outcome(await send(careful(), shop.url, { totalMilliseconds: 300 })), 'timeout');
  await until('the connection is closed', async () => shop.connections.open === 0);
});

test('a head that drips is given up when the time is over', async () => {
  const shop = kept(
    await startRawListener((socket) =>
      drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
    ),
  );
  assert.equal(outcome(await send(careful(), shop.url, { totalMilliseconds: 500 })), 'timeout');
  await until('the connection is closed', async () => shop.connections.open === 0);
});

test('a status that came stands, and a body that drips behind it is not waited for', async () => {
  const shop = kept(
    await startRawListener((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nstart');
      drip(socket, 'x'.repeat(1_000));
    }),
  );
  const result = await send(careful(), shop.url);
  assert.equal(outcome(result), 200);
  assert.match(result.kind === 'answered' ? result.answer : '', /^start/);
  await until('the connection is closed', async () => shop.connections.open === 0);
});

test('a body that does not end is not read to its end', async () => {
  let written = 0;
  const shop = kept(
    await startRawListener((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write(`1000\r\n${'y'.repeat(4_096)}\r\n`)) written += 4_096;
      };
      socket.on('drain', pour);
      pour();
    }),
  );
  const result = await send(careful(), shop.url);
  assert.equal(outcome(result), 200);
  assert.equal(result.kind === 'answered' && result.answer, 'y'.repeat(200));
  await until('the connection is closed', async () => shop.connections.open === 0);
  assert.ok(written < 64 * 1024 * 1024);
});

test('a long body ends its connection, a short one does not', async () => {
  for (const [bytes, connections] of [
    [4_000, 1],
    [5_000, 2],
  ] as const) {
    const shop = kept(await startListener({ status: 200, body: 'z'.repeat(bytes) }));
    const way = careful();
    for (let post = 0; post < 2; post += 1) assert.equal(outcome(await send(way, shop.url)), 200);
    assert.equal(shop.connections.opened, connections, `${bytes} bytes`);
  }
});

test('a head that is too large, or does not end, is a failure', async () => {
  const large = kept(
    await startRawListener(
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`),
    ),
  );
  assert.equal(outcome(await send(careful(), large.url)), 'headersTooLarge');
  const many = kept(
    await startRawListener((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pourForever(socket, 'a: b\r\n'.repeat(1_000));
    }),
  );
  assert.equal(outcome(await send(careful(), many.url)), 'headersTooLarge');
  for (const endless of ['x'.repeat(10_000), 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(100)]) {
    const shop = kept(
      await startRawListener((socket) => {
        if (endless.startsWith('x')) socket.write('HTTP/1.1 200 ');
        pourForever(socket, endless);
      }),
    );
    assert.equal(outcome(await send(careful(), shop.url)), 'reset', endless.slice(0, 20));
    await until('the connection is closed', async () => shop.connections.open === 0);
  }
});

test('what is no HTTP is a failure', async () => {
  for (const text of [
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 200 OK\r\nbad header\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTTP/1.1 abc\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  ]) {
    const shop = kept(await startRawListener((socket) => socket.once('data', () => socket.write(text))));
    assert.equal(outcome(await send(careful(), shop.url)), 'malformed', text);
  }
});

test('a connection that breaks is a failure, and nothing is sent a second time', async () => {
  const shop = kept(await startListener('reset'));
  assert.equal(outcome(await send(careful(), shop.url)), 'reset');
  assert.equal(shop.received.length, 1);
  const closing = kept(await startRawListener((socket) => socket.once('data', () => socket.end())));
  assert.equal(outcome(await send(careful(), closing.url)), 'reset');
  assert.equal(closing.connections.opened, 1);
  const atOnce = kept(await startRawListener((socket) => socket.destroy()));
  assert.equal(outcome(await send(careful(), atOnce.url)), 'reset');
  assert.equal(atOnce.connections.opened, 1);
});

test('nobody there is a failure to connect', async () => {
  const shop = await startListener();
  await shop.close();
  assert.equal(outcome(await send(careful(), shop.url)), 'connect');
});

test('addresses that may not be called are not called, also when they were registered before', async () => {
  const shop = kept(await startListener());
  const way = careful(noNames, PUBLIC_ONLY);
  for (const [url, failure] of [
    [`https://127.0.0.1:${shop.port}/`, 'forbiddenAddress'],
    [`https://[::1]:${shop.port}/`, 'forbiddenAddress'],
    [`http://127.0.0.1:${shop.port}/`, 'forbiddenUrl'],
    [`https://user@127.0.0.1:${shop.port}/`, 'forbiddenUrl'],
    [`https://localhost:${shop.port}/`, 'forbiddenUrl'],
    ['https://loja.example:22/', 'forbiddenUrl'],
    ['nonsense', 'forbiddenUrl'],
  ] as const)
    assert.equal(outcome(await send(way, url)), failure, url);
  assert.equal(shop.connections.opened, 0);
});

test('a name that was good when it was registered and leads inside later is refused when it is dialled', async () => {
  const shop = kept(await startListener());
  let addresses = ['93.184.215.14'];
  let lookups = 0;
  const resolver: Resolver = {
    lookup: async () => {
      lookups += 1;
      return addresses;
    },
  };
  const rules = { ...PUBLIC_ONLY, takesHttp: true };
  const url = `http://loja.example:${shop.port}/`;
  assert.ok((await vetUrl({ ...rules, resolver }, url, 'loja')).ok);
  const way = careful(resolver, rules);
  for (const later of [
    ['127.0.0.1'],
    ['93.184.215.14', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['::1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
  ]) {
    addresses = later;
    assert.equal(outcome(await send(way, url)), 'forbiddenAddress', later.join());
  }
  assert.equal(lookups, 7);
  assert.equal(shop.connections.opened, 0);
});

test('the address that was vetted is the one that is dialled: the name is looked up once for a connection', async () => {
  const shop = kept(await startListener());
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let lookups = 0;
  const resolver: Resolver = { lookup: async () => answers[lookups++] ?? [] };
  const way = careful(resolver);
  for (let post = 0; post < 20; post += 1)
    assert.equal(outcome(await send(way, `http://loja.example:${shop.port}/`)), 200);
  assert.equal(shop.connections.opened, 1);
  assert.equal(lookups, 1);
  assert.equal(shop.received[0]?.headers.host, `loja.example:${shop.port}`);
});

test('when a name has several addresses, the next one is dialled where the first takes no connection', async () => {
  const shop = kept(await startListener());
  const way = careful({ lookup: async () => ['::1', '127.0.0.9', '127.0.0.1'] });
  assert.equal(outcome(await send(way, `http://loja.example:${shop.port}/`)), 200);
});

test('a name without addresses, or whose name servers fail, is answered as such', async () => {
  const failing: Resolver = {
    lookup: async () => {
      throw new Error('no name server answered');
    },
  };
  for (const resolver of [noNames, failing, { lookup: () => new Promise<never>(() => {}) }])
    assert.equal(outcome(await send(careful(resolver), 'http://loja.example/')), 'dns');
});

test('names are looked up at the name servers, all their addresses', async () => {
  const shop = kept(await startListener());
  const names = kept(
    await startNameServer({
      'loja.example': ['127.0.0.1'],
      'half.example': ['127.0.0.1', '10.0.0.1'],
      'silent.example': 'silent',
    }),
  );
  const resolver = openResolver([names.address]);
  const way = careful(resolver);
  const at = (host: string) => send(way, `http://${host}:${shop.port}/`);
  assert.equal(outcome(await at('loja.example')), 200);
  assert.equal(outcome(await at('half.example')), 'forbiddenAddress');
  assert.equal(outcome(await at('nobody.example')), 'dns');
  assert.equal(outcome(await at('silent.example')), 'dns');
  names.names.set('half.example', ['127.0.0.1']);
  assert.equal(outcome(await at('half.example')), 200, 'no answer is remembered');
  const asked = names.asked.length;
  assert.equal(outcome(await at('localhost')), 200);
  assert.equal(outcome(await at('loja.localhost')), 200);
  assert.equal(names.asked.length, asked, 'names of this machine are nobody else’s to tell');
  const rules = { ...PUBLIC_ONLY, resolver };
  assert.deepEqual(await vetUrl(rules, 'https://half.example/', 'loja'), { ok: false, reason: 'address' });
  assert.deepEqual(await vetUrl(rules, 'https://nobody.example/', 'loja'), {
    ok: false,
    reason: 'unresolved',
  });
  assert.deepEqual(await vetUrl(rules, 'https://silent.example/', 'loja'), {
    ok: false,
    reason: 'lookupFailed',
  });
});

test('names whose servers are silent keep the names of no other merchant from being looked up', async () => {
  const silent = Array.from({ length: 200 }, (_, index) => `silent-${index}.example`);
  const names = kept(
    await startNameServer({
      ...Object.fromEntries(silent.map((name) => [name, 'silent' as const])),
      'loja.example': ['127.0.0.1'],
      'far.example': ['93.184.215.14'],
    }),
  );
  const shop = kept(await startListener());
  const resolver = openResolver([names.address]);
  const way = careful(resolver);
  const ended: PostResult[] = [];
  const slow = silent.map(async (host) =>
    ended.push(await send(way, `http://${host}:${shop.port}/`, { merchantId: 'slow' })),
  );
  const asked = () => new Set(names.asked).size;
  await until('all of its look-ups are under way', async () => asked() >= SHARE_OF_LOOKUPS);
  assert.ok(asked() <= SHARE_OF_LOOKUPS + ended.length, 'the others wait');
  const other = await send(way, `http://loja.example:${shop.port}/`, { merchantId: 'well' });
  assert.equal(outcome(other), 200);
  assert.ok((await vetUrl({ ...PUBLIC_ONLY, resolver }, 'https://far.example/', 'well')).ok);
  await Promise.all(slow);
  const outcomes = ended.map(outcome);
  assert.deepEqual(new Set(outcomes), new Set(['dns', 'notSent']), 'what was not asked blames no server');
  assert.ok(outcomes.filter((one) => one === 'dns').length >= SHARE_OF_LOOKUPS);
});

/** Of 128: what a merchant has while no other uses any. */
const SHARE_OF_LOOKUPS = 64;

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at < text.length) socket.write(text[at] as string);
    at += 1;
  }, 20);
  socket.once('close', () => clearInterval(timer));
}

function pourForever(socket: Socket, text: string): void {
  const pour = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', pour);
  pour();
}
