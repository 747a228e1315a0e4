import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';
import { logIn, pay, type Reply } from '../kit/merchant.ts';
import { type OpenedService, until } from '../kit/service.ts';

let setup: KeySetup;
let service: OpenedService;
let token: string;

before(async () => {
  setup = await openKeySetup();
  const { demo } = await setup.makeDemo();
  service = await setup.openService({
    PARCELA_ANTIFRAUD_RULES: 'document/hour/attempts/3=reject card/hour/declines/2=reject',
  });
  token = await logIn(service.gatewayUrl, demo.gateway);
});
after(() => setup.close());

/** All sales are with one card: it differs with the key alone. */
async function printOf(referenceTransaction: string): Promise<unknown> {
  const [row] = await setup.auditor.query(
    "select encode(card_fingerprint, 'hex') as print from transactions where reference_transaction = $1",
    [referenceTransaction],
  );
  return row?.print;
}

const reported = ({ status, body }: Reply) => (status === 402 ? body[0].tag : status);

test('a rotation of keys under a running service forgets no try of a buyer and no decline of a card', async () => {
  const customer = { documentNumber: '529.982.247-25' };
  const payAs = (amount: number, change = {}) => pay(service.gatewayUrl, token, amount, change);
  const first = await payAs(1_051, { customer });
  assert.equal(reported(first.reply), '51');
  assert.equal(reported((await payAs(1_000, { customer })).reply), 200);
  const printBefore = await printOf(first.request.referenceTransaction);
  const rotated = await setup.parcela(['key', 'rotate', '--kind', 'fingerprint']);
  assert.equal(rotated.code, 0, rotated.said);
  await until('the service marks cards under the new key', async () => {
    const { request, reply } = await payAs(1_000);
    assert.equal(reply.status, 200, reply.text);
    return (await printOf(request.referenceTransaction)) !== printBefore;
  });
  assert.equal(reported((await payAs(1_000, { customer })).reply), 200, 'the third try of the buyer');
  assert.equal(reported((await payAs(1_000, { customer })).reply), 'antifraud', 'and the fourth');
  assert.equal(reported((await payAs(1_051)).reply), '51', 'the second decline of the card');
  assert.equal(reported((await payAs(1_000)).reply), 'antifraud');
});
