import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastLineOf, runCommandHere } from '../kit/command.ts';
import { type CallOptions, call, logIn } from '../kit/merchant.ts';
import { type Login, makeMerchant } from '../kit/merchants.ts';
import { databaseSettings, openTestService, type TestService, until } from '../kit/service.ts';
import {
  billingsOf,
  chargedBilling,
  chargesOf,
  jumpTo,
  type Shop,
  subscribe,
} from '../recurrence/charging-service.ts';

let service: TestService;
before(async () => {
  service = await openTestService();
});
after(() => service.close());

async function parcela(...words: string[]) {
  const settings = { ...databaseSettings(service.database), PARCELA_DATA_DIR: service.folder };
  const { code, printed, said } = await runCommandHere([...words, '--json'], settings);
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own.
  return { code, json: JSON.parse(code === 0 ? printed : lastLineOf(said)) as any, said };
}

/** A merchant of its own, with one credential for payments and recurrence. */
async function createShop(merchantId: string): Promise<{ shop: Shop; login: Login }> {
  const wanted = {
    merchantId,
    accountNumbers: [merchantId],
    credentials: [['gateway', 'recurrence']] as const,
  };
  const [made] = await makeMerchant(service.database, wanted);
  const login = made as Login;
  const token = await logIn(service.gatewayUrl, login);
  const ask = (path: string, options: CallOptions = {}) =>
    call(service.gatewayUrl, path, { token, ...options });
  const get = async (path: string, options: CallOptions = {}) => {
    const reply = await ask(path, options);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const startOn = new Date().toISOString().slice(0, 10);
  const shop = { merchantId, userName: login.userName, token, startOn, ask, askIntegration: ask, get };
  return { shop, login };
}

/** How often the first billing was charged. */
const chargesMade = async (shop: Shop, subscriptionId: string) => {
  const first = (await billingsOf(shop, subscriptionId)).find(({ installment }) => installment === 1);
  return chargesOf(first).length;
};

test('a merchant that is disabled is locked out, its tokens too, until it is enabled', async () => {
  const { shop, login } = await createShop('FECHADA');
  const why = ['--reason', 'fraude em apuração'];
  const done = await parcela('merchant', 'disable', '--merchant', 'FECHADA', ...why);
  assert.deepEqual(done.json, { merchantId: 'FECHADA', isDisabled: true, hasBillingsHeld: false });
  assert.match(
    (await parcela('merchant', 'disable', '--merchant', 'FECHADA', ...why)).said,
    /stands so already/,
  );
  assert.match(
    (await parcela('merchant', 'disable', '--merchant', 'NINGUEM', ...why)).said,
    /no such merchant/,
  );
  assert.equal((await parcela('merchant', 'disable', '--merchant', 'FECHADA')).code, 2);
  await until('its token is dead', async () => (await shop.ask('/v1/recurrences/plans')).status === 401);
  const refused = await call(service.gatewayUrl, '/api/auth/token', { body: login });
  assert.equal(refused.status, 401);
  await parcela('merchant', 'enable', '--merchant', 'FECHADA', ...why);
  const token = await logIn(service.gatewayUrl, login);
  assert.equal((await call(service.gatewayUrl, '/v1/recurrences/plans', { token })).status, 200);
  assert.equal((await shop.ask('/v1/recurrences/plans')).status, 401, 'a token from before stays dead');
  const entries = await service.auditor.query(
    `select action, detail::text as detail from audit_entries where action like 'merchant.%able' order by entry_number`,
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['merchant.disable', 'merchant.enable'],
  );
  assert.match(String(entries[0]?.detail), /fraude/);
});

test('what is due of a merchant that is held is not charged, by no clock, until it is released', async () => {
  const { shop: held } = await createShop('SEGURA');
  const { shop: free } = await createShop('LIVRE');
  const why = ['--merchant', 'SEGURA', '--reason', 'acordo com a loja'];
  assert.equal((await parcela('billing', 'hold', ...why)).json.hasBillingsHeld, true);
  const own = await subscribe(held);
  const other = await subscribe(free);
  // The engine was there for the later one.
  await chargedBilling(free, other.subscriptionId);
  assert.equal(await chargesMade(held, own.subscriptionId), 0);
  // A jump ends though something is due, and leaves it so.
  await jumpTo(held, 3);
  assert.equal(await chargesMade(held, own.subscriptionId), 0);
  assert.equal((await parcela('billing', 'release', ...why)).json.hasBillingsHeld, false);
  const charged = await chargedBilling(held, own.subscriptionId);
  assert.equal(charged.status, 'Paid');
});
