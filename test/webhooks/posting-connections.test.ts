import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type CarefulPost, openCarefulPost } from '../../src/webhooks/posting/open-careful-post.ts';
import type { PostResult } from '../../src/webhooks/posting/posting-result.ts';
import { type Listener, startListener, startRawListener } from '../kit/listener.ts';
import { until } from '../kit/service.ts';

const HOMOLOGATION = { takesHttp: true, takesLoopback: true, openedNetworks: [] };
const noNames = { lookup: async () => [] };

const toClose: (() => Promise<void>)[] = [];
const kept = <T extends { close(): Promise<void> }>(opened: T): T => {
  toClose.push(() => opened.close());
  return opened;
};
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

let open = 0;
let mostOpen = 0;
const careful = (limits = { perOrigin: 8, inAll: 512, waiting: 1_000 }): CarefulPost => {
  mostOpen = 0;
  const observe = (now: number) => {
    open = now;
    mostOpen = Math.max(mostOpen, now);
  };
  return kept(openCarefulPost(HOMOLOGATION, noNames, { limits, observe }));
};

const send = (
  way: CarefulPost,
  { url }: Pick<Listener, 'url'>,
  { totalMilliseconds = 60_000, merchantId = 'loja' } = {},
) =>
  way.post({
    merchantId,
    url,
    body: '{}',
    headers: {},
    connectMilliseconds: 30_000,
    totalMilliseconds,
  });

const outcome = (result: PostResult) => (result.kind === 'answered' ? result.status : result.failure);

/** An answer that is held back until it is let go. */
function gate() {
  let letGo = () => {};
  const opened = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { opened, letGo: () => letGo() };
}

test('many posts to one server share a few connections, and never more than eight', async () => {
  const shop = kept(await startListener({ status: 200, body: 'ok' }));
  const way = careful();
  const results = await Promise.all(Array.from({ length: 500 }, () => send(way, shop)));
  assert.deepEqual(new Set(results.map(outcome)), new Set([200]));
  assert.equal(shop.received.length, 500);
  assert.equal(shop.connections.opened, 8);
  assert.equal(mostOpen, 8);
});

test('a connection that the server wants to end is not used again', async () => {
  const shop = kept(await startListener({ status: 200, headers: { connection: 'close' } }));
  const way = careful();
  for (let post = 0; post < 5; post += 1) assert.equal(outcome(await send(way, shop)), 200);
  assert.equal(shop.connections.opened, 5);
  const together = await Promise.all(Array.from({ length: 50 }, () => send(way, shop)));
  assert.deepEqual(new Set(together.map(outcome)), new Set([200]));
  await until('none is open', async () => open === 0);
});

test('one server that hangs does not keep posts from another', async () => {
  const { opened, letGo } = gate();
  const hanging = kept(await startListener(() => opened.then(() => 200)));
  const well = kept(await startListener());
  const way = careful();
  const waiting = Array.from({ length: 20 }, () => send(way, hanging));
  await until('eight are under way', async () => hanging.busy.now === 8);
  assert.equal(outcome(await send(way, well)), 200);
  assert.equal(hanging.received.length, 8, 'the others wait for one of the eight connections');
  letGo();
  assert.deepEqual(new Set((await Promise.all(waiting)).map(outcome)), new Set([200]));
  assert.equal(hanging.busy.most, 8);
});

test('two merchants at one server have connections of their own', async () => {
  const { opened, letGo } = gate();
  const server = kept(await startListener(({ path }) => (path === '/slow' ? opened.then(() => 200) : 200)));
  const way = careful();
  const slow = { url: `${server.url}/slow` };
  const waiting = Array.from({ length: 20 }, () => send(way, slow, { merchantId: 'slow' }));
  await until('eight are under way', async () => server.busy.now === 8);
  assert.equal(outcome(await send(way, server, { merchantId: 'well' })), 200);
  assert.equal(outcome(await send(way, server, { merchantId: 'well' })), 200);
  assert.deepEqual([server.busy.now, server.connections.opened], [8, 9]);
  letGo();
  assert.deepEqual(new Set((await Promise.all(waiting)).map(outcome)), new Set([200]));
});

test('a post that gets none of the connections of a busy server in time is the server’s failure', async () => {
  const hanging = kept(await startListener('hang'));
  const way = careful({ perOrigin: 1, inAll: 512, waiting: 1_000 });
  const first = send(way, hanging);
  await until('one is under way', async () => hanging.busy.now === 1);
  assert.equal(outcome(await send(way, hanging, { totalMilliseconds: 200 })), 'timeout');
  await way.close();
  assert.equal(outcome(await first), 'reset');
  assert.equal(hanging.received.length, 1);
});

test('idle connections give way to other servers', async () => {
  const shops = await Promise.all(Array.from({ length: 6 }, async () => kept(await startListener())));
  const way = careful({ perOrigin: 8, inAll: 2, waiting: 1_000 });
  for (let round = 0; round < 3; round += 1) {
    const results = await Promise.all(shops.map((shop) => send(way, shop)));
    assert.deepEqual(new Set(results.map(outcome)), new Set([200]));
  }
  assert.equal(mostOpen, 2);
});

test('a process without a free connection says that it did not send, which is no failure of the server', async () => {
  const hanging = kept(await startListener('hang'));
  const well = kept(await startListener());
  const way = careful({ perOrigin: 1, inAll: 1, waiting: 1 });
  const first = send(way, hanging);
  await until('one is under way', async () => hanging.busy.now === 1);
  const second = send(way, well, { totalMilliseconds: 500 });
  assert.equal(outcome(await send(way, well)), 'notSent', 'the line is full');
  assert.equal(outcome(await second), 'notSent', 'nothing became free in its time');
  await way.close();
  assert.equal(outcome(await first), 'reset');
  assert.equal(outcome(await send(way, well)), 'notSent', 'closed');
  assert.equal(well.connections.opened, 0);
});

test('a server that was started again is called on a new connection, without a failure', async () => {
  const way = careful();
  let shop = kept(await startListener());
  const { port } = shop;
  for (let restart = 0; restart < 5; restart += 1) {
    const results = await Promise.all(Array.from({ length: 4 }, () => send(way, shop)));
    assert.deepEqual(new Set(results.map(outcome)), new Set([200]));
    await shop.close();
    await until('we heard of it', async () => open === 0);
    shop = kept(await startListener(200, { port }));
  }
  assert.equal(outcome(await send(way, shop)), 200);
});

test('a used connection that breaks with the message on it is a failure: nobody knows whether it arrived', async () => {
  let requests = 0;
  const shop = kept(
    await startRawListener((socket) =>
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        else socket.resetAndDestroy();
      }),
    ),
  );
  const way = careful();
  assert.equal(outcome(await send(way, shop)), 200);
  assert.equal(outcome(await send(way, shop)), 'reset');
  assert.equal(requests, 2, 'it was not sent again');
});

test('an idle connection is closed before the server that named its patience closes it', async () => {
  const shop = kept(await startListener({ status: 200, headers: { 'keep-alive': 'timeout=2' } }));
  const brief = kept(await startListener({ status: 200, headers: { 'keep-alive': 'timeout=1' } }));
  const way = careful();
  assert.equal(outcome(await send(way, brief)), 200);
  assert.equal(outcome(await send(way, brief)), 200);
  assert.equal(brief.connections.opened, 2, 'a second is too little to rely on');
  assert.equal(outcome(await send(way, shop)), 200);
  await until('we closed it', async () => shop.connections.open === 0 && open === 0);
});

test('what a server says without being asked is taken for no answer', async () => {
  const shop = kept(
    await startRawListener((socket) =>
      socket.on('data', () => {
        socket.write(
          'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
        );
      }),
    ),
  );
  const way = careful();
  for (let post = 0; post < 3; post += 1) assert.equal(outcome(await send(way, shop)), 500);
});
