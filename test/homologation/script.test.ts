import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isBrandImpossible, isCardNumber, securityCodeLength } from '../../src/values/card-number.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

const SCRIPT = '/homologation/acquirer/script';
const NEUTRAL = {
  outcome: null,
  responseCode: null,
  adviceCode: null,
  fault: null,
  delayMilliseconds: 0,
  undoRefusals: 0,
  notFoundTimes: 0,
  feePortion: 0,
};

let service: TestService;
let url: string;
let token: string;

before(async () => {
  service = await openTestService();
  url = service.gatewayUrl;
  token = await logIn(url, (await service.demo()).gateway);
});
after(() => service?.close());

const change = (body: object) => call(url, SCRIPT, { method: 'PUT', token, body });
const statusOfPayment = async () => (await pay(url, token, 5_000)).reply.status;

test('the next charges meet what a merchant has said, in order, and then amount and card decide again', async () => {
  const declined = { outcome: 'declined', responseCode: '51' };
  const changed = await change({ steps: [declined, { outcome: 'approved' }], cancels: [{ fails: true }] });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.steps[0], { ...NEUTRAL, ...declined });
  assert.equal(await statusOfPayment(), 402);
  const { body } = await call(url, SCRIPT, { token });
  assert.deepEqual(body.steps, [{ ...NEUTRAL, outcome: 'approved' }]);
  assert.deepEqual(body.cancels, [{ afterDays: 1, fails: true }]);
  assert.equal(await statusOfPayment(), 200);
  assert.equal(await statusOfPayment(), 200);
});

test('another script takes the place of what is left, and an empty one ends it', async () => {
  await change({ steps: [{ outcome: 'declined' }, { outcome: 'declined' }] });
  await change({ steps: [] });
  assert.equal(await statusOfPayment(), 200);
  assert.deepEqual((await call(url, SCRIPT, { token })).body, { steps: [], cancels: [] });
});

test('a code that is none, or of a step that is not declined, is refused, and nothing changes', async () => {
  await change({ steps: [{ outcome: 'approved' }] });
  for (const step of [
    { responseCode: '51' },
    { outcome: 'approved', adviceCode: '03' },
    { outcome: 'declined', responseCode: '5-1' },
  ]) {
    const refused = await change({ steps: [step] });
    assert.deepEqual([refused.status, refused.body[0].tag], [400, 'steps']);
  }
  assert.equal((await call(url, SCRIPT, { token })).body.steps.length, 1);
  await change({ steps: [] });
});

test('a field that no step has is refused by its name, and so is one that the simulator does not know', async () => {
  for (const [body, tag] of [
    [{ steps: [{ feePortions: 250 }] }, 'steps[0].feePortions'],
    [{ steps: [{}, { voidRefusals: 1 }] }, 'steps[1].voidRefusals'],
    [{ steps: [], cancels: [{ after: 1 }] }, 'cancels[0].after'],
    [{ steps: [], cancel: [] }, 'cancel'],
    [{ steps: [{ feePortion: 10_001 }] }, 'steps[0].feePortion'],
  ] as const) {
    const refused = await change(body);
    assert.deepEqual([refused.status, refused.body[0].tag], [400, tag], refused.text);
  }
});

test('a fee that a script keeps is kept of what is paid', async () => {
  const changed = await change({ steps: [{ feePortion: 250 }] });
  assert.equal(changed.body.steps[0].feePortion, 250, changed.text);
  const { reply } = await pay(url, token, 10_000);
  const { paymentId } = reply.body.paymentAuthorization;
  const settled = await call(url, `/homologation/transactions/${paymentId}/events`, {
    token,
    body: { type: 'settle', installmentNumber: 1 },
  });
  assert.equal(settled.status, 200, settled.text);
  const fee = await until('it is reported', async () => {
    const text =
      'select reported_fee from receivables where transaction_id = $1 and reported_fee is not null';
    return (await service.auditor.query(text, [paymentId]))[0];
  });
  assert.equal(Number(fee.reported_fee), 250);
});

test('every trial card is a card of its brand, and those that say so are approved', async () => {
  const { status, body } = await call(url, '/homologation/trial-cards', { token });
  assert.equal(status, 200);
  const names = body.items.map(({ name }: { name: string }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, number, brand } of body.items) {
    assert.ok(isCardNumber(number) && !isBrandImpossible(brand, number), name);
    if (!name.endsWith('-approved')) continue;
    const tokenized = await call(url, '/v1/cards/tokenization', { token, body: { cardNumber: number } });
    const cardInfo = {
      numberToken: tokenized.body[0].numberToken,
      cardholderName: 'ANA SOUZA',
      securityCode: '1234'.slice(0, securityCodeLength(brand)),
      brand,
      expirationMonth: '12',
      expirationYear: '39',
    };
    const { reply } = await pay(url, token, 5_000, { cardInfo });
    assert.equal(reply.status, 200, `${name}: ${reply.text}`);
  }
});
