import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import type { TestDatabase } from '../kit/database.ts';
import { logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { patiently } from '../kit/patience.ts';
import {
  type Auditor,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  type OpenedService,
  openAuditor,
  openService,
  openSimulator,
  type Service,
  type Simulator,
  startService,
  until,
} from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

/**
 * The wire to PostgreSQL and the wire to the acquirer break in every way; two services share one
 * database.
 */
let folder: string;
let database: TestDatabase;
let auditor: Auditor;
let proxy: CuttingProxy;
let acquirerWire: CuttingProxy;
let simulator: Simulator;
let service: Service;
let other: OpenedService;
let demo: Demo;
let token: string;

const ACQUIRER_TIMEOUT = 1_500;
/** Deadline of a request and the margin of the lease behind it, in milliseconds. */
const DEADLINE = 4_000;
/**
 * An answer so late that a busy machine sees the intent and stops what it must before; in time for
 * the acquirer's limit.
 */
const UNTIL_AWAY = 1_200;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-wires-'));
  database = await furnishedDatabase(folder, {});
  auditor = openAuditor(database.address);
  proxy = await openCuttingProxy(database.runtime);
  simulator = await openSimulator(join(folder, 'ledger'));
  const { hostname: host, port } = new URL(simulator.url);
  acquirerWire = await openCuttingProxy({ host, port: Number(port), user: '', password: '', database: '' });
  const settings = {
    PARCELA_ACQUIRER_URL: `http://127.0.0.1:${acquirerWire.address.port}`,
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: String(ACQUIRER_TIMEOUT),
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(DEADLINE),
  };
  demo = await demoIn(folder);
  service = await startService({
    folder,
    settings: { ...settings, ...databaseSettings(database, proxy.address) },
  });
  other = await openService({
    folder,
    settings: { ...settings, ...databaseSettings(database) },
  });
  token = await logIn(service.gatewayUrl, demo.gateway);
});

after(async () => {
  await Promise.all([service.stop(), other.stop()]);
  await acquirerWire.close();
  await simulator.stop();
  await proxy.close();
  await auditor.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Sets how the simulator treats the merchant's next charges. */
async function script(...steps: object[]): Promise<void> {
  const body = JSON.stringify({ merchantId: demo.merchantId, steps });
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(`${simulator.url}/script`, { method: 'POST', headers, body })).status, 200);
}

/** The status that a caller sees, null when the connection is cut without an answer. */
function payWith(request: object): Promise<number | null> {
  return post('/v1/payments', request);
}

async function post(path: string, request: object): Promise<number | null> {
  try {
    const response = await fetch(service.gatewayUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(patiently(60_000)),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    assert.notEqual((error as Error).name, 'TimeoutError', 'neither an answer nor an end came');
    return null;
  }
}

async function newRequest() {
  return paymentRequest(await tokenize(service.gatewayUrl, token), 1000);
}

async function liveCharges(reference: string): Promise<number> {
  const url = `${simulator.url}/ledger?merchantId=${demo.merchantId}&merchantReference=${reference}`;
  const { items } = (await (await fetch(url)).json()) as { items: { status: string }[] };
  return items.filter((charge) => charge.status === 'approved').length;
}

/** Waits until the payment has a final state, and gives it with its movements. */
function settled(reference: string): Promise<{ state: unknown; movements: unknown }> {
  return until(`${reference} is final`, async () => {
    const [row] = await auditor.query(
      `select state, (select count(*)::int from movements m where m.transaction_id = t.transaction_id) as movements
       from transactions t where reference_transaction = $1 and decided_at is not null`,
      [reference],
    );
    return row === undefined ? null : { state: row.state, movements: row.movements };
  });
}

/** Waits until the intent is committed. */
async function isOnRecord(reference: string): Promise<boolean> {
  const rows = await auditor.query('select 1 from transactions where reference_transaction = $1', [
    reference,
  ]);
  return rows.length === 1;
}

async function intentOf(reference: string): Promise<void> {
  await until('the intent is committed', () => isOnRecord(reference));
}

const STATEMENTS = { intent: 'transactions.commit_intents', outcome: 'transactions.commit_outcomes' };
/** Warnings and errors. */
function saidFromNowOn(): () => string[] {
  const isLoud = (line: string) => /"level":"(warn|error)"/.test(line);
  const before = service.log.filter(isLoud).length;
  return () =>
    service.log
      .filter(isLoud)
      .slice(before)
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('a database that is frozen is said to be so by the first line, and by the last that it answers', async () => {
  const said = saidFromNowOn();
  proxy.freeze();
  try {
    await until('it is said', async () => said().length > 0);
  } finally {
    proxy.thaw();
  }
  await until('it is over', async () => said().includes('the database answers again'));
  assert.deepEqual(said(), [
    'the database answers nothing: it is frozen, cut off or far too busy',
    'the database answers again',
  ]);
});

test('a database that is away is one line of the log when it goes and one when it is back, and no work says more', async () => {
  const said = saidFromNowOn();
  const ready = async () => (await fetch(new URL('/health/ready', service.gatewayUrl))).status;
  await proxy.goAway();
  await until('it is said', async () => said().includes('the database is away'));
  assert.equal(await ready(), 503);
  await proxy.comeBack();
  await until('it is said', async () => said().includes('the database is back'));
  await until('it is ready', async () => (await ready()) === 200);
  assert.deepEqual(said(), ['the database is away', 'the database is back']);
  assert.ok(
    !service.log.some((line) => line.includes('"route":"/health/')),
    'nor do those who ask for health',
  );
});

for (const [name, text] of Object.entries(STATEMENTS)) {
  for (const moment of ['before it arrives', 'exactly at its commit'] as const) {
    test(`when the connection to the database breaks at the ${name}, ${moment}, there is one charge and a 200`, async () => {
      const request = await newRequest();
      const cuts = proxy.cuts;
      if (moment === 'before it arrives') proxy.cutBefore(text);
      else proxy.cutAfter(text);
      assert.equal(await payWith(request), 200);
      assert.equal(proxy.cuts, cuts + 1, 'the connection was cut');
      assert.equal(await liveCharges(request.referenceTransaction), 1);
      assert.deepEqual(await settled(request.referenceTransaction), { state: 'approved', movements: 1 });
    });
  }
}

test('when the database is silent after the outcome, the caller is cut off at the deadline or gets a true answer', async () => {
  const request = await newRequest();
  proxy.silenceAfter(STATEMENTS.outcome);
  const status = await payWith(request);
  assert.ok(status === null || status === 200, `status ${status}`);
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'approved', movements: 1 });
  assert.equal(await liveCharges(request.referenceTransaction), 1);
});

test('when nobody can know at the deadline whether an approval is recorded, the caller is cut off', async () => {
  const request = await newRequest();
  proxy.silenceAfter(STATEMENTS.outcome);
  const paying = payWith(request);
  const recorded = await settled(request.referenceTransaction);
  await proxy.goAway();
  try {
    assert.equal(await paying, null);
  } finally {
    await proxy.comeBack();
  }
  assert.deepEqual(recorded, { state: 'approved', movements: 1 });
  assert.equal(await liveCharges(request.referenceTransaction), 1);
});

test('when an approval cannot be recorded before the deadline, the caller gets an error and the charge is voided', async () => {
  const request = await newRequest();
  await script({ delayMilliseconds: UNTIL_AWAY });
  const paying = payWith(request);
  await intentOf(request.referenceTransaction);
  await proxy.goAway();
  try {
    // The outcome was certainly never written: no charge stays, and that can be said.
    assert.equal(await paying, 500);
  } finally {
    await proxy.comeBack();
  }
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  assert.equal(await liveCharges(request.referenceTransaction), 0);
});

for (const fault of ['silent', 'booksButSilent', 'garbage', 'reset', 'wrongAmount', 'wrongReference']) {
  test(`when the acquirer's answer is spoiled (${fault}), the caller gets an error and no charge stays`, async () => {
    const request = await newRequest();
    await script({ fault });
    assert.equal(await payWith(request), 500);
    assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
    assert.equal(await liveCharges(request.referenceTransaction), 0);
  });
}

test('an answer that comes twice is one charge', async () => {
  const request = await newRequest();
  await script({ fault: 'duplicate' });
  assert.equal(await payWith(request), 200);
  assert.equal(await liveCharges(request.referenceTransaction), 1);
});

test('an acquirer that first knows nothing and refuses to void is asked until it has voided', async () => {
  const request = await newRequest();
  await script({ fault: 'booksButSilent', notFoundTimes: 2, undoRefusals: 2 });
  assert.equal(await payWith(request), 500);
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  assert.equal(await liveCharges(request.referenceTransaction), 0);
});

test('a token cannot pay again while its charge is unknown, and can once that is voided', async () => {
  const request = await until('a token is refused while its charge is unknown', async () => {
    const asked = await newRequest();
    await script({ fault: 'booksButSilent', undoRefusals: 1 });
    assert.equal(await payWith(asked), 500);
    // On a slow machine it may be voided by now: then another one is tried.
    return (await payWith(asked)) === 400 && asked;
  });
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  assert.equal(await payWith(request), 200);
  assert.equal(await liveCharges(request.referenceTransaction), 1);
  assert.equal(await payWith(request), 400, 'it has paid');
});

test('more silent charges than connections: none is sent after its time, and the truth about each is found', async () => {
  const COUNT = 400;
  const requests: Awaited<ReturnType<typeof newRequest>>[] = [];
  // Not all tokens at once: a slow machine would answer that it has too much to do.
  while (requests.length < COUNT)
    requests.push(...(await Promise.all(Array.from({ length: 20 }, newRequest))));
  await script(...Array.from({ length: COUNT }, () => ({ fault: 'silent' })));
  const statuses = await Promise.all(requests.map(payWith));
  // 500: no answer came. 503: too little time was left to ask, on a slow machine of all of them.
  assert.deepEqual(
    statuses.filter((status) => status !== 500 && status !== 503),
    [],
  );
  await script();
  for (const [index, { referenceTransaction }] of requests.entries()) {
    // What was refused for want of a connection was not sent: its intent is taken back.
    if (statuses[index] === 500 || (await isOnRecord(referenceTransaction)))
      assert.deepEqual(await settled(referenceTransaction), { state: 'voided', movements: 0 });
    assert.equal(await liveCharges(referenceTransaction), 0);
  }
  assert.equal(await payWith(await newRequest()), 200, 'the service works on');
});

test('callers that leave before their answer are not counted as under way for ever', async () => {
  const active = async () => {
    const text = await (await fetch(service.metricsUrl)).text();
    return Number(/^http_server_active_requests (\d+)/m.exec(text)?.[1]);
  };
  const requests = await Promise.all(Array.from({ length: 20 }, newRequest));
  await script(...requests.map(() => ({ delayMilliseconds: 300 })));
  const leaving = requests.map((request) =>
    fetch(`${service.gatewayUrl}/v1/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(100),
    }).catch(() => null),
  );
  await Promise.all(leaving);
  // Behind those that a busy service had not even read when their callers left.
  assert.equal(await payWith(await newRequest()), 200);
  await until('nothing is under way', async () => (await active()) === 0);
});

test('when the connection breaks exactly at the commit of what became of a cancel, it is recorded once', async () => {
  const request = await newRequest();
  assert.equal(await payWith(request), 200);
  const [{ transaction_id: paymentId } = {}] = await auditor.query(
    'select transaction_id from transactions where reference_transaction = $1',
    [request.referenceTransaction],
  );
  proxy.loseAfter('commit\0', 'cancels.record');
  const canceling = post(`/v1/payments/${paymentId}/cancel`, { amount: 400 });
  await until('the cancel has ended', async () => {
    const rows = await auditor.query(`select from cancels where transaction_id = $1 and state = 'canceled'`, [
      paymentId,
    ]);
    return rows.length === 1;
  });
  await proxy.comeBack();
  assert.equal(await canceling, 200);
  const [booked] = await auditor.query(
    `select t.canceled_amount::integer as held, (select sum(i.canceled_amount)::integer from installments i
       where i.transaction_id = t.transaction_id) as given from transactions t where t.transaction_id = $1`,
    [paymentId],
  );
  assert.deepEqual(booked, { held: 400, given: 400 });
});

test('when nobody knows whether a cancel that was not sent is given up, its caller is cut off, and the amount is free', async () => {
  const request = await newRequest();
  assert.equal(await payWith(request), 200);
  const [{ transaction_id: paymentId } = {}] = await auditor.query(
    'select transaction_id from transactions where reference_transaction = $1',
    [request.referenceTransaction],
  );
  await acquirerWire.goAway();
  proxy.loseAfter('commit\0', 'cancels.record_refusal');
  try {
    assert.equal(await post(`/v1/payments/${paymentId}/cancel`, { amount: 400 }), null);
  } finally {
    await acquirerWire.comeBack();
    await proxy.comeBack();
  }
  const cancel = await until('the cancel has ended', async () => {
    const [row] = await auditor.query(
      `select c.state, t.canceled_amount::integer as held from cancels c join transactions t using (merchant_id, transaction_id)
       where c.transaction_id = $1 and c.decided_at is not null`,
      [paymentId],
    );
    return row;
  });
  assert.deepEqual(cancel, { state: 'refused', held: 0 });
});

test('an approval that arrives while the charge is being settled is refused', async () => {
  const request = await newRequest();
  await script({ delayMilliseconds: UNTIL_AWAY, undoRefusals: 3 });
  const paying = payWith(request);
  await intentOf(request.referenceTransaction);
  service.process.kill('SIGSTOP');
  try {
    await until('another process settles it', async () => {
      // On a busy machine the refused voids may be over between two looks.
      const text = `select 1 from transactions where reference_transaction = $1 and resolve_tries > 0`;
      return (await auditor.query(text, [request.referenceTransaction])).length === 1;
    });
  } finally {
    service.process.kill('SIGCONT');
  }
  assert.notEqual(await paying, 200);
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  assert.equal(await liveCharges(request.referenceTransaction), 0);
});

test('a process that slept past its lease changes nothing when it wakes: the charge was settled by another', async () => {
  const request = await newRequest();
  await script({ delayMilliseconds: UNTIL_AWAY });
  const paying = payWith(request);
  await intentOf(request.referenceTransaction);
  service.process.kill('SIGSTOP');
  try {
    assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  } finally {
    service.process.kill('SIGCONT');
  }
  assert.notEqual(await paying, 200);
  assert.deepEqual(await settled(request.referenceTransaction), { state: 'voided', movements: 0 });
  assert.equal(await liveCharges(request.referenceTransaction), 0);
});
