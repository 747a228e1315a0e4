import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let token: string;
let viewer: Visitor;
let page: string;
let paymentId: string;
before(async () => {
  service = await openTestService();
  const demo = await service.demo();
  token = await logIn(service.gatewayUrl, demo.gateway);
  const { reply } = await pay(service.gatewayUrl, token, 9_000);
  paymentId = reply.body.paymentAuthorization.paymentId;
  page = `/console/merchants/${demo.merchantId}/payments/${paymentId}`;
  viewer = await signedIn(service, 'viewer', demo.merchantId);
  // From then on nothing happens to it by itself.
  await until('what it is to bring is known', async () =>
    /R\$ 90,00 a receber/.test(wordsOf((await viewer.turnTo(page)).text)),
  );
});
after(() => service?.close());

const readAgain = (mark: string, visitor = viewer) =>
  visitor.ask(page, { headers: { 'x-parcela-live': '1', 'if-none-match': `"${mark}"` } });

async function markOfPage(visitor = viewer): Promise<string> {
  const { text } = await visitor.ask(page);
  const mark = /data-refresh="10" data-mark="([\w-]{43})"/.exec(text)?.[1];
  assert.ok(mark !== undefined, text);
  return mark;
}

test('a page on which nothing changed is answered without a word, whatever keys its forms have', async () => {
  const finance = await signedIn(service, 'finance', (await service.demo()).merchantId);
  for (const visitor of [viewer, finance]) {
    const mark = await markOfPage(visitor);
    assert.equal(await markOfPage(visitor), mark);
    const again = await readAgain(mark, visitor);
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.equal(again.headers.get('etag'), `"${mark}"`);
  }
});

test('what changed is sent without what stands around it, under another mark', async () => {
  const mark = await markOfPage();
  const path = `/homologation/transactions/${paymentId}/events`;
  const body = { type: 'settle', installmentNumber: 1 };
  assert.equal((await call(service.gatewayUrl, path, { token, body })).status, 200);
  const changed = await readAgain(mark);
  assert.equal(changed.status, 200);
  assert.ok(changed.text.includes('Paga') && !/<html|<header|<main|<h1/.test(changed.text), changed.text);
  const markIn = (reply: typeof changed) =>
    /^"([\w-]{43})"$/.exec(reply.headers.get('etag') ?? '')?.[1] ?? '';
  let known = markIn(changed);
  assert.notEqual(known, mark);
  // What else follows from the settlement may come later.
  await until('nothing changes any more', async () => {
    const again = await readAgain(known);
    known = markIn(again);
    return again.status === 304;
  });
});

test('the mark of one session says nothing to another one', async () => {
  const other = await signedIn(service, 'viewer', (await service.demo()).merchantId);
  assert.equal((await readAgain(await markOfPage(), other)).status, 200);
});

test('a page without a mark, or with another header, is a whole page', async () => {
  for (const headers of [{ 'x-parcela-live': '1' }, { 'if-none-match': `"${'a'.repeat(43)}"` }]) {
    const { status, text } = await viewer.ask(page, { headers });
    assert.deepEqual([status, text.includes('<main')], [200, true]);
  }
});
