import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { businessDayFrom } from '../../src/values/business-day.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { runParcela } from '../audit/audit-service.ts';
import { arrive, readClock } from '../kit/clock.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, logIn, pay } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { makeThings, subscribe } from './merchant-things.ts';
import { giveBack, signedIn, wordsOf } from './visitor.ts';

/** What stands in the paths of pages, and what is looked at beside. */
export type FilledThings = Readonly<Record<string, string>>;

/** A service on whose pages stands something of everything, as a month of a merchant leaves it. */
export type FilledConsole = {
  readonly service: TestService;
  readonly things: FilledThings;
  close(): Promise<void>;
};

/** The merchant, as its programs call. */
type Shop = {
  readonly service: TestService;
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly token: string;
  readonly integrationToken: string;
  /** `parcela …` as a process of its own. */
  parcela(...words: string[]): ReturnType<typeof runParcela>;
};

const SETTINGS = {
  PARCELA_FEES: 'any:1=2.50@30, any:2-12=2.50@30/30',
  // Cents.
  PARCELA_CONSOLE_SECOND_PERSON_OVER: '50000',
  PARCELA_DISPUTE_DAYS: '10',
};
/** In hundredths of a percent: what is expected by the rules above. */
const FEE_PORTION = 250;
/** What was sold before them is paid. */
const DAYS = 35;

export async function fillConsole(): Promise<FilledConsole> {
  const service = await openTestService(SETTINGS);
  const listener = await startListener(200);
  const close = async () => {
    await service.close();
    await listener.close();
  };
  try {
    const shop = await openShop(service, listener);
    const month = await fillMonth(shop);
    const today = await fillToday(shop, addDays(month.day, 15));
    const operator = await fillOperator(shop, month.day, today.dearId);
    return { service, things: { merchantId: shop.merchantId, ...month, ...today, ...operator }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openShop(service: TestService, listener: Listener): Promise<Shop> {
  const { gatewayUrl, integrationUrl, database, folder } = service;
  const { gateway, integration, recurrence, merchantId, accountNumber } = await service.demo();
  const token = await logIn(gatewayUrl, gateway);
  const integrationToken = await logIn(integrationUrl, integration, '/api/authentication/login');
  const path = `/api/webhooks/subscriptions?accountNumber=${accountNumber}`;
  const registered = await call(integrationUrl, path, {
    token: integrationToken,
    body: { url: `${listener.url}/parcela` },
  });
  assert.equal(registered.status, 200, registered.text);
  const notifier = await call(gatewayUrl, '/v1/recurrences/merchantnotifier', {
    token: await logIn(gatewayUrl, recurrence),
    body: {
      merchantId,
      name: 'Cobranças',
      description: 'Avisa o time de cobrança',
      callbackUrl: `${listener.url}/avisos`,
      events: ['failed', 'paid', 'cardExpiring'],
    },
  });
  assert.equal(notifier.status, 200, notifier.text);
  // The simulator that the service has brought along stands on the page of the routing.
  const viewer = await signedIn(service, 'viewer', null);
  const [, acquirer] =
    /Adquirente (\S+) PARCELA_ACQUIRER_URL/.exec(wordsOf((await viewer.turnTo('/console/routing')).text)) ??
    [];
  const url = `http://${acquirer}`;
  const steps = Array.from({ length: 30 }, () => ({ feePortion: FEE_PORTION }));
  const scripted = await fetch(`${url}/script`, {
    method: 'POST',
    body: JSON.stringify({ merchantId, steps }),
  });
  assert.equal(scripted.status, 200);
  const parcela = (...words: string[]) => runParcela(database, folder, words, { PARCELA_ACQUIRER_URL: url });
  return { service, merchantId, accountNumber, token, integrationToken, parcela };
}

/** Gives the id of what was approved. */
async function sell(
  { service, token }: Shop,
  amount: number,
  reference: string,
  change = {},
): Promise<string> {
  const installments = amount > 10_000 ? 3 : 1;
  const productType = installments === 1 ? 'avista' : 'lojista';
  const { reply } = await pay(service.gatewayUrl, token, amount, {
    payment: { transactionType: 'credit', amount, productType, installments },
    referenceTransaction: reference,
    ...change,
  });
  return reply.body?.paymentAuthorization?.paymentId as string;
}

/** Sales of a month ago, what came of them, and the acquirer's files, in one of which something is wrong. */
async function fillMonth(shop: Shop) {
  const { service, token } = shop;
  const soldOn = ((await readClock(service.gatewayUrl, token)).now as string).slice(0, 10) as Day;
  // Behind its day no file came: the days until today have none.
  const early = await keepFile(shop, businessDayFrom(addDays(soldOn, -10)), '');
  await sell(shop, 12_990, 'PEDIDO-7001');
  await sell(shop, 8_990, 'PEDIDO-7002');
  await sell(shop, 45_000, 'PEDIDO-7003');
  await subscribe(service, 49.9);
  // Its issuer lacks funds once.
  await subscribe(service, 39.9, '5200050000000168');
  await arrive(service.gatewayUrl, token, { advanceDays: DAYS });
  const day = businessDayFrom(addDays(soldOn, 30));
  await until('what came of them is followed', async () => {
    const [row] = await service.auditor.query(
      "select count(*)::int as count from receivables where installment_state = 'paid'",
    );
    return (row?.count as number) >= 4;
  });
  const first = await keepFile(shop, day, '&fault=anotherFee&row=2');
  const second = await keepFile(shop, addDays(day, 1), '');
  const taken = await shop.parcela('reconcile', 'import', early, first, second);
  assert.equal(taken.exitCode, 0, taken.printed + taken.errors);
  const broken = await keepFile(shop, day, '&fault=brokenTrailer');
  assert.notEqual((await shop.parcela('reconcile', 'import', broken)).exitCode, 0);
  return { day, soldOn, monthOn: addDays(soldOn, 30) };
}

/** The acquirer's file of a day; gives its path. */
async function keepFile({ service, token }: Shop, day: Day, fault: string): Promise<string> {
  const path = `/homologation/acquirer/files?format=adiq&day=${day}${fault}`;
  const reply = await call(service.gatewayUrl, path, { token });
  assert.equal(reply.status, 200, reply.text);
  const name = `EDI_020_${day.replaceAll('-', '')}${fault.includes('broken') ? '_CORTADO' : ''}.txt`;
  const kept = join(service.folder, name);
  await writeFile(kept, reply.text, 'latin1');
  return kept;
}

/** What was sold today, with what may happen to a sale; one has everything that its page may show. */
async function fillToday(shop: Shop, dueDate: Day) {
  await sell(shop, 4_990, 'PEDIDO-8000');
  await sell(shop, 1_041, 'PEDIDO-8002');
  const disputedId = await sell(shop, 9_990, 'PEDIDO-8003');
  const disputed = await call(shop.service.gatewayUrl, `/homologation/transactions/${disputedId}/events`, {
    token: shop.token,
    body: { type: 'chargeback', installmentNumber: 1 },
  });
  assert.equal(disputed.status, 200, disputed.text);
  const [declined] = await shop.service.auditor.query(
    "select transaction_id from transactions where reference_transaction = 'PEDIDO-8002'",
  );
  const declinedId = String(declined?.transaction_id);
  const dearId = await sell(shop, 128_990, 'PEDIDO-8004');
  const paymentId = await sell(shop, 12_990, 'PEDIDO-8001', {
    configSplit: [{ documentNumberBeneficiary: '11222333000181', percent: 10.5 }],
  });
  const { billingId: deniedBillingId } = await subscribe(shop.service, 10.05);
  return { ...(await makeThings(shop.service, dueDate)), declinedId, dearId, paymentId, deniedBillingId };
}

/** What people of the operator look at: what is unknown, what differs, and users. */
async function fillOperator(shop: Shop, day: Day, dearId: string) {
  const { service, merchantId, parcela } = shop;
  const { auditor } = service;
  const id = await sell(shop, 4_200, 'PEDIDO-8005');
  await auditor.query(
    `update transactions set state = 'unresolved', decided_at = null, authorization_code = null, nsu = null,
       due_at = now() + interval '1 hour', unknown_reason = 'read timed out', unresolved_since = now() - interval '2 hours'
     where transaction_id = $1`,
    [id],
  );
  await auditor.query(
    `update receivables set reported_net = reported_net - 110
     where (merchant_id, transaction_id, installment_number) in
       (select merchant_id, transaction_id, installment_number from receivables where reported_net > 110 limit 1)`,
  );
  await parcela('reconcile', 'verify', '--merchant', merchantId);
  const [file] = await auditor.query(
    'select file_number::int as number from settlement_files where from_on <= $1 order by from_on desc limit 1',
    [day],
  );
  const [exception] = await auditor.query(
    "select exception_id from reconciliation_exceptions where state = 'open' order by line_number nulls last limit 1",
  );
  const finance = await signedIn(service, 'finance', merchantId);
  const page = `/console/merchants/${merchantId}/payments/${dearId}`;
  const asked = await giveBack(finance, page, { reason: 'cliente desistiu da compra' });
  assert.equal(asked.status, 202, asked.text);
  const [user] = await auditor.query("select name from console_users where role = 'finance'");
  const script = { steps: [{ outcome: 'approved' }], cancels: [{ afterDays: 2, fails: true }] };
  const scripted = await call(service.gatewayUrl, '/homologation/acquirer/script', {
    method: 'PUT',
    token: shop.token,
    body: script,
  });
  assert.equal(scripted.status, 200, scripted.text);
  return {
    id,
    exceptionId: String(exception?.exception_id),
    fileNumber: String(file?.number),
    name: String(user?.name),
  };
}
