import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { STATUS_BILL } from '../../src/transactions/methods/boleto/bill-status.ts';
import { runParcela } from '../audit/audit-service.ts';
import { type CallingShop, cancel as cancelBoleto, issue, untilStatus } from '../boletos/boleto-service.ts';
import { keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { call, logIn, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { makeMerchant } from '../kit/merchants.ts';
import { openSimulator, openTestService, type Simulator, type TestService, until } from '../kit/service.ts';

const OTHER = 'LOJA-BETA';
const OTHER_ACCOUNT = '7000001';
const LIMIT_MILLISECONDS = 60_000;

type Shop = { readonly merchantId: string; readonly token: string; readonly bills: CallingShop };

let service: TestService;
let folder: string;
let acquirers: { readonly default: string; readonly beta: Simulator };
let banks: { readonly beta: Simulator };
let first: Shop;
let second: Shop;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-providers-'));
  acquirers = { default: '', beta: await openSimulator(join(folder, 'acquirer-beta')) };
  banks = { beta: await openSimulator(join(folder, 'bank-beta'), [], 'bank') };
  service = await openTestService({
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
    PARCELA_ACQUIRER_CHANGES_SECONDS: '1',
    PARCELA_BANK_CHANGES_SECONDS: '1',
  });
  rememberKeyFile(service.database.address.database, keyFileIn(service.folder));
  acquirers = { ...acquirers, default: await simulatorOf('simulator') };
  const token = join(folder, 'token');
  await writeFile(token, 'secret-of-beta\n');
  await parcela(
    'provider',
    'add',
    ...of('acquirer', 'beta'),
    '--url',
    acquirers.beta.url,
    '--token-file',
    token,
  );
  await parcela('provider', 'add', ...of('bank', 'banco-beta'), '--url', banks.beta.url);
  const [gateway, integration] = await makeMerchant(service.database, {
    merchantId: OTHER,
    accountNumbers: [OTHER_ACCOUNT],
    credentials: [['gateway'], ['integration']],
  });
  await parcela('provider', 'route', '--kind', 'acquirer', '--merchant', OTHER, '--rule', 'beta');
  await parcela('provider', 'route', '--kind', 'bank', '--merchant', OTHER, '--rule', 'banco-beta');
  const demo = await service.demo();
  first = await shopOf(demo.merchantId, demo.gateway, demo.integration);
  second = await shopOf(OTHER, gateway as Login, integration as Login);
  await untilRoutedTo('beta');
});

after(async () => {
  await service?.close();
  await acquirers?.beta.stop().catch(() => {});
  await banks?.beta.stop();
  await rm(folder, { recursive: true, force: true });
});

const of = (kind: string, name: string) => ['--kind', kind, '--name', name];

async function simulatorOf(name: string): Promise<string> {
  return readFile(join(service.folder, name, 'address'), 'utf8');
}

async function parcela(...words: string[]): Promise<string> {
  const { exitCode, printed, errors } = await runParcela(service.database, service.folder, words);
  assert.equal(exitCode, 0, printed + errors);
  return printed;
}

type Login = { readonly userName: string; readonly password: string };

async function shopOf(merchantId: string, gateway: Login, integration: Login): Promise<Shop> {
  const token = await logIn(service.gatewayUrl, gateway);
  const url = service.integrationUrl;
  const [account] = await service.auditor.query(
    'select account_number from accounts where merchant_id = $1 limit 1',
    [merchantId],
  );
  return {
    merchantId,
    token,
    bills: {
      url,
      token: await logIn(url, integration, '/api/authentication/login'),
      accountNumber: String(account?.account_number),
      merchantId,
    },
  };
}

async function pay({ token }: Shop, amount: number, change: Record<string, unknown> = {}): Promise<Reply> {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const body = paymentRequest(numberToken, amount, change);
  return call(service.gatewayUrl, '/v1/payments', { token, body, timeoutMilliseconds: LIMIT_MILLISECONDS });
}

const idOf = (body: Reply['body']): string => body.paymentAuthorization.paymentId as string;

async function acquirerOf(body: Reply['body']): Promise<unknown> {
  const [row] = await service.auditor.query('select acquirer from transactions where transaction_id = $1', [
    idOf(body),
  ]);
  return row?.acquirer;
}

/** The process sees a change of providers and rules within seconds. */
function untilRoutedTo(acquirer: string): Promise<unknown> {
  return until(
    `the second shop is charged at ${acquirer}`,
    async () => (await acquirerOf((await pay(second, 100)).body)) === acquirer,
    LIMIT_MILLISECONDS,
  );
}

/** What a simulator has of a charge. */
async function chargeAt(
  url: string,
  { merchantId }: Shop,
  reference: string,
): Promise<{ status: number; body: Reply['body'] }> {
  const asked = new URL(`/charges/${reference}`, url);
  asked.searchParams.set('merchantId', merchantId);
  const reply = await fetch(asked, { headers: { 'parcela-protocol': '1' } });
  return { status: reply.status, body: await reply.json() };
}

async function isOnlyAt(reference: string, shop: Shop, has: string, lacks: string): Promise<void> {
  assert.equal((await chargeAt(has, shop, reference)).status, 200);
  assert.equal(
    (await chargeAt(lacks, shop, reference)).status,
    404,
    'the other acquirer knows nothing of it',
  );
}

test('two merchants are charged at two acquirers, and neither charge appears at the other one', async () => {
  for (const [shop, has, lacks] of [
    [first, acquirers.default, acquirers.beta.url],
    [second, acquirers.beta.url, acquirers.default],
  ] as const) {
    const paid = await pay(shop, 5_000);
    assert.equal(paid.status, 200, paid.text);
    await isOnlyAt(idOf(paid.body), shop, has, lacks);
    const canceled = await call(service.gatewayUrl, `/v1/payments/${idOf(paid.body)}/cancel`, {
      token: shop.token,
      body: { amount: 2_000 },
    });
    assert.equal(canceled.status, 200, canceled.text);
    const detail = await call(service.gatewayUrl, `/v1/payments/${idOf(paid.body)}`, { token: shop.token });
    assert.equal(detail.body.acquirer, shop === first ? 'default' : 'beta', detail.text);
  }
});

test('what is authorized at an acquirer is captured there, and let go there', async () => {
  const payment = {
    transactionType: 'credit',
    amount: 6_000,
    productType: 'avista',
    installments: 1,
    captureType: 'pa',
  };
  const held = await pay(second, 6_000, { payment });
  assert.equal(held.status, 200, held.text);
  const path = `/v1/payments/${idOf(held.body)}`;
  const captured = await call(service.gatewayUrl, `${path}/capture`, {
    token: second.token,
    body: { amount: 4_000 },
  });
  assert.equal(captured.status, 200, captured.text);
  await isOnlyAt(idOf(held.body), second, acquirers.beta.url, acquirers.default);
  const released = await pay(second, 6_000, { payment });
  const canceled = await call(service.gatewayUrl, `/v1/payments/${idOf(released.body)}/cancel`, {
    token: second.token,
    body: {},
  });
  assert.equal(canceled.status, 200, canceled.text);
  await isOnlyAt(idOf(released.body), second, acquirers.beta.url, acquirers.default);
});

test('a charge whose answer was lost is resolved at the acquirer that has it', async () => {
  const order = { referenceTransaction: 'PEDIDO-LOST' };
  const lost = await pay(second, 11_002, order);
  assert.equal(lost.status, 500, lost.text);
  const row = await until(
    'the charge is voided',
    async () => {
      const [found] = await service.auditor.query(
        "select transaction_id, acquirer, state from transactions where reference_transaction = 'PEDIDO-LOST'",
      );
      return found?.state === 'voided' ? found : null;
    },
    LIMIT_MILLISECONDS,
  );
  assert.equal(row.acquirer, 'beta');
  const reference = String(row.transaction_id);
  assert.equal((await chargeAt(acquirers.beta.url, second, reference)).body.status, 'undone');
  assert.equal((await chargeAt(acquirers.default, second, reference)).status, 404);
});

/** Books a payout at a simulator, whether the charge is its own or not. */
async function settleAt(url: string, { merchantId }: Shop, reference: string): Promise<number> {
  const body = { merchantId, reference, installmentNumber: 1, type: 'settled', at: new Date().toISOString() };
  return (await fetch(new URL('/changes', url), { method: 'POST', body: JSON.stringify(body) })).status;
}

async function untilPaid(shop: Shop, paymentId: string): Promise<void> {
  await until(
    `${paymentId} is settled`,
    async () => {
      const { body } = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token: shop.token });
      return body.installments[0].status === 'Paga';
    },
    LIMIT_MILLISECONDS,
  );
}

test('each acquirer reports its changes, under numbers that the other one uses too', async () => {
  const [ours, theirs] = [await pay(first, 7_000), await pay(second, 7_000)];
  assert.equal(await settleAt(acquirers.default, first, idOf(ours.body)), 200);
  assert.equal(await settleAt(acquirers.beta.url, second, idOf(theirs.body)), 200);
  await untilPaid(first, idOf(ours.body));
  await untilPaid(second, idOf(theirs.body));
  const cursors = await service.auditor.query(
    'select acquirer from acquirer_cursors where merchant_id = $1 order by acquirer',
    [second.merchantId],
  );
  assert.deepEqual(
    cursors.map((row) => row.acquirer),
    ['beta', 'default'],
  );
});

test('a change that another acquirer reports of a charge is refused, and changes nothing', async () => {
  const { body } = await pay(second, 7_500);
  await service.auditor.query(
    `insert into acquirer_changes (merchant_id, change_id, reference, installment_number, event, happened_at, source, acquirer)
     values ($1, 'of-another', $2, 1, 'settle', now(), 'feed', 'default')`,
    [OTHER, idOf(body)],
  );
  const ended = await until(
    'the change is refused',
    async () => {
      const [row] = await service.auditor.query(
        "select state, reason from acquirer_changes where change_id = 'of-another'",
      );
      return row?.state === 'refused' ? row : null;
    },
    LIMIT_MILLISECONDS,
  );
  assert.equal(ended.reason, 'unknownTransaction');
  const shown = await call(service.gatewayUrl, `/v1/payments/${idOf(body)}`, { token: second.token });
  assert.equal(shown.body.installments[0].status, 'Autorizada');
});

test('two banks register the boletos of two merchants, and each cancels and pays its own', async () => {
  for (const shop of [first, second]) {
    const issued = await issue(shop.bills, { value: 30 });
    assert.equal(issued.status, 200, issued.text);
    const { id, ourNumber } = issued.body;
    const at = async (bank: string) => {
      const url = new URL('/ledger', bank);
      url.search = new URLSearchParams({ merchantId: shop.merchantId, ourNumber }).toString();
      return ((await (await fetch(url)).json()) as { items: unknown[] }).items.length;
    };
    const [own, other] = [banks.beta.url, await simulatorOf('bank')];
    const expected = shop === second ? [1, 0] : [0, 1];
    assert.deepEqual([await at(own), await at(other)], expected);
    assert.equal((await cancelBoleto(shop.bills, id)).status, 200);
  }
  const paid = await issue(second.bills, { value: 40 });
  const at = new Date().toISOString();
  const reply = await fetch(new URL('/changes', banks.beta.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchantId: OTHER, ourNumber: paid.body.ourNumber, event: 'paid', at }),
  });
  assert.ok(reply.ok, await reply.text());
  await untilStatus(second.bills, paid.body.id, STATUS_BILL.paid);
});

test('a disabled acquirer gets nothing new, and what it has is canceled there', async () => {
  const paid = await pay(second, 8_000);
  await parcela('provider', 'disable', ...of('acquirer', 'beta'));
  await untilRoutedTo('default');
  const canceled = await call(service.gatewayUrl, `/v1/payments/${idOf(paid.body)}/cancel`, {
    token: second.token,
    body: {},
  });
  assert.equal(canceled.status, 200, canceled.text);
  assert.equal((await chargeAt(acquirers.beta.url, second, idOf(paid.body))).body.canceledAmount, 8_000);
  const theirs = await pay(second, 9_000);
  await isOnlyAt(idOf(theirs.body), second, acquirers.default, acquirers.beta.url);
  assert.match(await parcela('provider', 'list'), /acquirer +beta +bridge +disabled since/);
  await parcela('provider', 'enable', ...of('acquirer', 'beta'));
  await untilRoutedTo('beta');
});

test('the command says in plain words what is wrong, shows no secret, and leaves an entry', async () => {
  assert.match(await parcela('provider', 'test', ...of('acquirer', 'beta')), /answers and is fit/);
  const printed = await parcela('provider', 'list', '--json');
  assert.ok(!printed.includes('secret-of-beta'), printed);
  const again = await runParcela(service.database, service.folder, [
    ...['provider', 'add', ...of('acquirer', 'beta'), '--url', acquirers.beta.url],
  ]);
  assert.match(again.errors, /keeps its name for ever/);
  const unknown = await runParcela(service.database, service.folder, [
    ...['provider', 'route', '--kind', 'acquirer', '--rule', 'share=50 nobody'],
  ]);
  assert.match(unknown.errors, /nobody is no provider/);
  const [row] = await service.auditor.query('select sealed_credentials from providers where name = $1', [
    'beta',
  ]);
  assert.ok(!(row as { sealed_credentials: Buffer }).sealed_credentials.includes('secret-of-beta'));
  const entries = await service.auditor.query(
    "select count(*)::int as count from audit_entries where action like 'provider.%'",
  );
  assert.ok(Number(entries[0]?.count) >= 5);
});

test('a provider gets another token, and keeps its charges', async () => {
  const before = await pay(second, 6_000);
  assert.equal(before.status, 200, before.text);
  const token = join(folder, 'token-anew');
  await writeFile(token, 'another-secret-of-beta\n');
  const moved = `${acquirers.beta.url.replace(/\/$/, '')}/`;
  await parcela('provider', 'change', ...of('acquirer', 'beta'), '--url', moved, '--token-file', token);
  const listed = await parcela('provider', 'list');
  assert.doesNotMatch(listed, /another-secret/);
  const canceled = await call(service.gatewayUrl, `/v1/payments/${idOf(before.body)}/cancel`, {
    token: second.token,
    body: {},
  });
  assert.equal(canceled.status, 200, canceled.text);
  const paid = await pay(second, 6_100);
  assert.equal(paid.status, 200, paid.text);
  await isOnlyAt(idOf(paid.body), second, acquirers.beta.url, acquirers.default);
  const unknown = await runParcela(service.database, service.folder, [
    ...['provider', 'change', ...of('acquirer', 'gamma'), '--url', moved],
  ]);
  assert.equal(unknown.exitCode, 1);
});

/** The simulator books it and answers nothing. */
const LOST_ANSWER = 1_002;

async function lost(shop: Shop): Promise<string> {
  const referenceTransaction = `LOST-${shop.merchantId}`;
  assert.equal((await pay(shop, LOST_ANSWER, { referenceTransaction })).status, 500);
  const [row] = await service.auditor.query(
    'select transaction_id from transactions where reference_transaction = $1',
    [referenceTransaction],
  );
  return String(row?.transaction_id);
}

test('an acquirer that answers nothing holds up nothing that the other one has', async () => {
  const unknown = await lost(second);
  await acquirers.beta.stop();
  await service.auditor.query(
    `insert into transactions select (jsonb_populate_record(t, jsonb_build_object('transaction_id', gen_random_uuid(),
       'merchant_id', case when n % 2 = 0 then t.merchant_id else $2 end,
       'state', 'unresolved', 'due_at', now(), 'resolve_tries', 0, 'source_hash', null, 'decided_at', null))).*
     from transactions t, generate_series(1, 100) n where t.transaction_id = $1`,
    [unknown, first.merchantId],
  );
  const away = async (provider: string) => {
    const text = await (await fetch(service.metricsUrl)).text();
    const line = `parcela_acquirer_away{kind="charge",provider="${provider}"} `;
    return Number(text.split(line)[1]?.split('\n')[0]);
  };
  await until('beta is away', async () => (await away('beta')) === 1, LIMIT_MILLISECONDS);
  const own = await lost(first);
  const stateOf = async () => {
    const [row] = await service.auditor.query('select state from transactions where transaction_id = $1', [
      own,
    ]);
    return row?.state;
  };
  await until('its charge is resolved', async () => (await stateOf()) === 'voided', LIMIT_MILLISECONDS);
  assert.deepEqual([await away('beta'), await away('default')], [1, 0]);
  const [tried] = await service.auditor.query(
    `select count(*)::int as count from transactions
     where acquirer = 'beta' and state = 'unresolved' and resolve_tries > 0`,
  );
  // Ten mean away; up to 32 were under way then.
  assert.ok(Number(tried?.count) < 60, `${tried?.count} were asked`);
});
